/* worker.c: threads that run what is queued. */
#include "worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"

enum { MIN_WANTED = 2, MAX_WANTED = 8, MAX_WORKERS = 256 };

/* Workers for one sort of task. */
typedef struct pool {
  pthread_cond_t can_run;
  mx_task *first, *last; /* what can run */
  int ready;             /* the number of them */
  int workers, busy;
  int waiting; /* of the busy ones: for what others do */
} pool;

typedef struct worker {
  pool *pool;
  mx_task *task; /* that it runs, or NULL */
} worker;

static struct {
  pool computing, calling_back;
  int size;
  worker workers[MAX_WORKERS];
  int orphans;      /* the first of them that are not in this process any more, with what they were running */
  mx_task *forking; /* of that, what ran on the thread that made this process, and may go on there */
  int forks;
} all = {.computing = {.can_run = PTHREAD_COND_INITIALIZER},
         .calling_back = {.can_run = PTHREAD_COND_INITIALIZER}};

static _Thread_local worker *self; /* NULL on other threads */

bool mx_is_worker(void) { return self != NULL; }

static pool *pool_of(const mx_op *op) { return op->calls_back ? &all.calling_back : &all.computing; }

/* ---- what they do ---- */

static mx_task *take(pool *from) {
  while (from->first == NULL) mx_engine_wait(&from->can_run);
  mx_task *task = from->first;
  from->first = task->next;
  from->ready--;
  return task;
}

/*
 * A function of the program has made a child process, and returned there: on the thread of a worker that is none in
 * the child, and with nothing below it to return to.
 */
static void leave_child(const mx_task *task) {
  char text[256];
  const int size =
      snprintf(text, sizeof text,
               "mxerr: %s: a function forked the process and returned in the child too, where nothing "
               "can go on; the child ends. Expected it to end there by os._exit\n",
               task->call.op->name);
  if (write(STDERR_FILENO, text, (size_t)size) != size) _exit(EXIT_FAILURE + 1);
  _exit(EXIT_FAILURE);
}

/* Runs a task, without the lock. Gives its fault, or NULL. */
static mx_fault *run(mx_task *task, bool *is_new) {
  const int forks = all.forks;
  mx_engine_unlock();
  mx_fault *fault = mx_fault_retain(mx_task_fault(task));
  *is_new = fault == NULL && mx_task_run(task) != 0;
  if (*is_new) fault = mx_fault_take();
  mx_engine_lock();
  if (all.forks != forks) leave_child(task);
  return fault;
}

static void *work(void *place) {
  mx_engine_lock();
  self = place;
  for (pool *own = self->pool;;) {
    bool is_new;
    mx_task *task = self->task = take(own);
    own->busy++;
    mx_fault *fault = run(task, &is_new);
    mx_engine_end(task, fault, is_new);
    self->task = NULL;
    mx_engine_unlock();
    mx_task_free(task);
    mx_exceptions_bury();
    mx_engine_lock();
    own->busy--;
  }
  return NULL;
}

/* ---- how many there are ---- */

static int wanted(void) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores < MIN_WANTED ? MIN_WANTED : cores > MAX_WANTED ? MAX_WANTED : (int)cores;
}

/* Whether more can run than there are workers with nothing to do. */
static bool is_short(const pool *p) { return p->ready > p->workers - p->busy; }

static bool start_one(pool *p) {
  pthread_attr_t detached;
  sigset_t signals, before;
  pthread_t thread;
  if (all.size == MAX_WORKERS) return false;
  worker *started = &all.workers[all.size];
  *started = (worker){.pool = p};
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigfillset(&signals); /* they are for the program's own threads */
  pthread_sigmask(SIG_SETMASK, &signals, &before);
  const bool is_there = pthread_create(&thread, &detached, work, started) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
  all.size += is_there;
  p->workers += is_there;
  return is_there;
}

static bool start_first(pool *p) { return p->workers > 0 || start_one(p); }

bool mx_workers_start(const mx_op *op) {
  if (op != NULL) return start_first(pool_of(op));
  return (all.computing.ready == 0 || start_first(&all.computing)) &&
         (all.calling_back.ready == 0 || start_first(&all.calling_back));
}

void mx_workers_add(mx_task *task) {
  pool *p = pool_of(task->call.op);
  task->next = NULL;
  if (p->first != NULL)
    p->last->next = task;
  else
    p->first = task;
  p->last = task;
  p->ready++;
  if (is_short(p) && p->workers - p->waiting < wanted()) start_one(p);
  pthread_cond_signal(&p->can_run);
}

void mx_worker_waits(bool begins) {
  self->pool->waiting += begins ? 1 : -1;
  if (begins && is_short(self->pool)) start_one(self->pool);
}

static bool is_stuck(const pool *p) {
  return p->busy == p->waiting && (p->ready == 0 || p->busy == p->workers);
}

bool mx_workers_are_stuck(void) { return is_stuck(&all.computing) && is_stuck(&all.calling_back); }

void mx_workers_help(void) {
  if (is_short(&all.computing)) start_one(&all.computing);
  if (is_short(&all.calling_back)) start_one(&all.calling_back);
}

/* ---- forks ---- */

static void forget_workers(pool *p) {
  p->workers = p->busy = p->waiting = 0;
  pthread_cond_init(&p->can_run, NULL); /* who waited is not in this process */
}

void mx_workers_forked(void) {
  all.forks++;
  if (all.size > 0) {
    all.orphans = all.size;
    all.forking = self != NULL ? self->task : NULL;
  }
  all.size = 0;
  self = NULL;
  forget_workers(&all.computing);
  forget_workers(&all.calling_back);
}

void mx_workers_end_orphans(void (*end)(mx_task *task)) {
  for (; all.orphans > 0; all.orphans--) {
    mx_task *task = all.workers[all.orphans - 1].task;
    if (task == NULL) continue;
    end(task);
    if (task != all.forking) mx_task_free(task);
  }
}
