/* engine.c: worker threads, what they run, and who waits for it. */
#include "engine.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "task.h"

enum { MIN_WORKERS = 2, MAX_WORKERS = 8, MAX_UNTOLD = 64 };

static struct {
  pthread_mutex_t lock; /* of all below, and of the order of accesses */
  pthread_cond_t can_run, ended;
  mx_task *first, *last;         /* what can run */
  mx_task *running[MAX_WORKERS]; /* by each worker, or NULL */
  int workers, busy;
  int blocked; /* of the busy ones: they wait for what others do */
  int64_t unfinished;
  mx_fault *untold[MAX_UNTOLD]; /* errors that nobody was told of, the oldest first */
  int num_untold;
  int64_t counted;     /* more of them, for which there was no room; arrays still hold them */
  int64_t round;       /* of telling all */
  mx_fault *no_memory; /* in place of an error for which there is no memory */
} engine = {.lock = PTHREAD_MUTEX_INITIALIZER,
            .can_run = PTHREAD_COND_INITIALIZER,
            .ended = PTHREAD_COND_INITIALIZER,
            .round = 1};

static atomic_int type_now = MX_ENGINE_NAIVE;
static _Thread_local bool on_worker;

int mx_engine_set_type(int type) {
  MXERR_CHECK(type == MX_ENGINE_NAIVE || type == MX_ENGINE_THREADED,
              "ValueError: expected 0 (NaiveEngine) or 1 (ThreadedEngine), got " MXERR_VALUE("type", "%d"),
              type);
  atomic_store(&type_now, type);
  return 0;
}

int mx_engine_type_now(void) { return atomic_load(&type_now); }

bool mx_engine_queues(const mx_call *call) {
  return atomic_load_explicit(&type_now, memory_order_relaxed) == MX_ENGINE_THREADED &&
         call->num_outputs > 0 && !on_worker;
}

/* ---- tasks that can run, and their end; the lock is held ---- */

static void access_granted(mx_access *access) {
  mx_task *task = access->task;
  if (--task->waiting > 0) return;
  task->next = NULL;
  if (engine.last != NULL)
    engine.last->next = task;
  else
    engine.first = task;
  engine.last = task;
  pthread_cond_signal(&engine.can_run);
}

static void keep_untold(mx_fault *fault) {
  if (fault->is_kept || fault->counted_in == engine.round) return;
  fault->is_kept = engine.num_untold < MAX_UNTOLD;
  if (fault->is_kept) {
    engine.untold[engine.num_untold++] = mx_fault_retain(fault);
  } else {
    fault->counted_in = engine.round;
    engine.counted++;
  }
}

/* Somebody is told of an error. */
static void tell(mx_fault *fault) {
  engine.counted -= fault->counted_in == engine.round;
  fault->counted_in = 0;
  if (!fault->is_kept) return;
  fault->is_kept = false;
  int i = 0;
  while (engine.untold[i] != fault) i++;
  for (engine.num_untold--; i < engine.num_untold; i++) engine.untold[i] = engine.untold[i + 1];
  mx_fault_release(fault); /* the caller has a count of its own, or needs none any more */
}

/* The task has run, or failed with an error of its own, or did not run for the fault of an input. */
static void end(mx_task *task, mx_fault *fault, bool is_new) {
  if (is_new && fault == NULL) fault = mx_fault_retain(engine.no_memory);
  if (is_new) keep_untold(fault);
  mx_task_spoil(task, fault);
  mx_fault_release(fault);
  for (int i = 0; i < task->num_accesses; i++) mx_access_end(&task->accesses[i], access_granted);
  engine.unfinished--;
  pthread_cond_broadcast(&engine.ended);
}

/* ---- workers ---- */

static void *work(void *place) {
  mx_task **running = place;
  on_worker = true;
  pthread_mutex_lock(&engine.lock);
  for (;;) {
    while (engine.first == NULL) pthread_cond_wait(&engine.can_run, &engine.lock);
    mx_task *task = *running = engine.first;
    engine.first = task->next;
    if (engine.first == NULL) engine.last = NULL;
    engine.busy++;
    pthread_mutex_unlock(&engine.lock);
    mx_fault *fault = mx_fault_retain(mx_task_fault(task));
    const bool is_new = fault == NULL && mx_task_run(task) != 0;
    if (is_new) fault = mx_fault_take();
    pthread_mutex_lock(&engine.lock);
    end(task, fault, is_new);
    *running = NULL;
    engine.busy--;
    pthread_mutex_unlock(&engine.lock);
    mx_task_free(task);
    pthread_mutex_lock(&engine.lock);
  }
  return NULL;
}

static int64_t workers_wanted(void) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores < MIN_WORKERS ? MIN_WORKERS : cores > MAX_WORKERS ? MAX_WORKERS : cores;
}

static int fail_no_memory(void) {
  MXERR_FAIL("the operator failed, and there was no memory to keep its error");
}

static int fail_forked(const mx_op *op) {
  MXERR_FAIL("RuntimeError: %s: was running when the process was forked; the child has no result of it",
             op->name);
}

/* In a child process: what other threads were running never ends. The calling thread's own error stays. */
static void end_what_was_running(void) {
  mxerr_record *own = mxerr_record_take();
  for (int i = 0; i < MAX_WORKERS; i++) {
    mx_task *task = engine.running[i];
    if (task == NULL) continue;
    engine.running[i] = NULL;
    fail_forked(task->call.op);
    mx_task_leave(task);
    end(task, mx_fault_take(), true);
    mx_task_free(task);
  }
  mxerr_record_set(own);
  mxerr_record_free(own);
}

/* Starts the workers, unless they are there; false where there can be none. The lock is held. */
static bool start_workers(void) {
  pthread_attr_t detached;
  sigset_t all, before;
  if (engine.workers > 0) return true;
  if (engine.no_memory == NULL) {
    fail_no_memory();
    engine.no_memory = mx_fault_take();
    if (engine.no_memory == NULL) return false;
  }
  end_what_was_running();
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigfillset(&all); /* signals are for the program's own threads */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int64_t i = workers_wanted(); i > 0; i--) {
    pthread_t thread;
    engine.workers += pthread_create(&thread, &detached, work, &engine.running[engine.workers]) == 0;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
  return engine.workers > 0;
}

int mx_engine_push(mx_call *call) {
  mx_task *task;
  MXERR_TRY(mx_task_create(call, &task));
  pthread_mutex_lock(&engine.lock);
  const bool started = start_workers();
  if (started) {
    engine.unfinished++;
    for (int i = 0; i < task->num_accesses; i++) mx_access_queue(&task->accesses[i], access_granted);
    access_granted(&(mx_access){.task = task}); /* the one that mx_task_create keeps it back with */
  }
  pthread_mutex_unlock(&engine.lock);
  if (!started) mx_task_free(task);
  MXERR_CHECK(started, "RuntimeError: %s: cannot be queued, as the system starts no thread", call->op->name);
  return 0;
}

/* ---- waiting ---- */

typedef bool condition(const mx_var *var);

static bool is_written(const mx_var *var) { return atomic_load(&var->writes) == 0; }
static bool is_unused(const mx_var *var) { return var->first == NULL; }
static bool is_all_done(const mx_var *var) { return (void)var, engine.unfinished == 0; }

/* Whether nothing that runs can end: each worker waits for another, or for itself. */
static bool is_stuck(void) {
  return engine.busy == engine.blocked && (engine.first == NULL || engine.busy == engine.workers);
}

/* Waits until a condition holds, unless it never can. The lock is held. */
static int wait_until(condition *holds, const mx_var *var) {
  bool stuck = false;
  if (holds(var)) return 0;
  MXERR_CHECK(start_workers(), "RuntimeError: the system starts no thread for what is queued");
  engine.blocked += on_worker;
  while (!holds(var) && !(stuck = on_worker && is_stuck())) pthread_cond_wait(&engine.ended, &engine.lock);
  engine.blocked -= on_worker;
  MXERR_CHECK(!stuck,
              "RuntimeError: an operator waits for an array that would never be ready, as all workers wait");
  return 0;
}

int mx_wait_to_read(mx_var *var) {
  if (is_written(var) && atomic_load(&var->fault) == NULL) return 0; /* as nearly always */
  pthread_mutex_lock(&engine.lock);
  const int status = wait_until(is_written, var);
  mx_fault *fault = status == 0 ? mx_fault_retain(atomic_load(&var->fault)) : NULL;
  if (fault != NULL) tell(fault);
  pthread_mutex_unlock(&engine.lock);
  MXERR_TRY(status);
  MXERR_TRY(mx_fault_raise(fault));
  return 0;
}

int mx_wait_to_write(mx_var *var) {
  pthread_mutex_lock(&engine.lock);
  const int status = wait_until(is_unused, var);
  pthread_mutex_unlock(&engine.lock);
  MXERR_TRY(status);
  return 0;
}

/* The oldest error that nobody was told of, with a count; then all have been told. The lock is held. */
static mx_fault *tell_all(int64_t *errors) {
  mx_fault *oldest = engine.num_untold > 0 ? mx_fault_retain(engine.untold[0]) : NULL;
  *errors = engine.num_untold + engine.counted;
  while (engine.num_untold > 0) tell(engine.untold[0]);
  engine.counted = 0;
  engine.round++;
  return oldest;
}

int mx_wait_for_all(void) {
  mx_fault *oldest = NULL;
  int64_t errors = 0;
  MXERR_CHECK(!on_worker, "RuntimeError: an operator cannot wait for all operators: it is one of them");
  pthread_mutex_lock(&engine.lock);
  const int status = wait_until(is_all_done, NULL);
  if (status == 0) oldest = tell_all(&errors);
  pthread_mutex_unlock(&engine.lock);
  MXERR_TRY(status);
  MXERR_TRY_WITH(mx_fault_raise(oldest), MXERR_LOCAL("errors", "%lld"), (long long)errors);
  MXERR_CHECK_EQ(errors, 0, "RuntimeError: more operators failed than errors are kept");
  return 0;
}

/* ---- forks ---- */

void mx_engine_lock(void) { pthread_mutex_lock(&engine.lock); }
void mx_engine_unlock(void) { pthread_mutex_unlock(&engine.lock); }

void mx_engine_forked(void) {
  engine.workers = engine.busy = engine.blocked = 0;
  pthread_cond_init(&engine.can_run, NULL); /* who waited is not in this process */
  pthread_cond_init(&engine.ended, NULL);
  on_worker = false;
  pthread_mutex_unlock(&engine.lock);
}
