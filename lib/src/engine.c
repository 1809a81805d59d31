/* engine.c: what is queued, in which order it ends, and who waits for it. */
#include "engine.h"

#include <pthread.h>
#include <time.h>

#include "untold.h"
#include "worker.h"

enum {
  MAX_QUEUED = 4096, /* calls; who queues more waits while calls end */
  STALLED = 4 /* times that a wait goes on for MX_POLL_MS, and nothing ends: what runs waits for something */
};

/* Of waits with an end: one that nobody sets, where the system has it for that. */
#if defined(__APPLE__)
#define MX_ENGINE_CLOCK CLOCK_REALTIME
#else
#define MX_ENGINE_CLOCK CLOCK_MONOTONIC
#endif

static struct {
  pthread_mutex_t
      lock; /* of all below, of workers, of errors that are untold, and of the order of accesses */
  pthread_cond_t ended;
  mx_task *oldest, *newest; /* of those that have not ended */
  int64_t queued, done;     /* how many ever were */
  mx_fault *no_memory;      /* in place of an error for which there is no memory */
} engine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int type_now = MX_ENGINE_NAIVE;

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
         call->num_outputs > 0 && !mx_is_worker();
}

/* ---- the order of tasks; the lock is held ---- */

static void access_granted(mx_access *access) {
  if (--access->task->waiting == 0) mx_workers_add(access->task);
}

static void queue(mx_task *task) {
  task->number = ++engine.queued;
  task->older = engine.newest;
  if (engine.newest != NULL)
    engine.newest->newer = task;
  else
    engine.oldest = task;
  engine.newest = task;
  for (int i = 0; i < task->num_accesses; i++) mx_access_queue(&task->accesses[i], access_granted);
  access_granted(&(mx_access){.task = task}); /* the one that mx_task_create keeps it back with */
}

static void leave_queue(mx_task *task) {
  if (task->older != NULL)
    task->older->newer = task->newer;
  else
    engine.oldest = task->newer;
  if (task->newer != NULL)
    task->newer->older = task->older;
  else
    engine.newest = task->older;
}

void mx_engine_end(mx_task *task, mx_fault *fault, bool is_new) {
  if (is_new && fault == NULL) fault = mx_fault_retain(engine.no_memory);
  if (is_new) mx_untold_add(fault);
  mx_task_spoil(task, fault);
  mx_fault_release(fault);
  for (int i = 0; i < task->num_accesses; i++) mx_access_end(&task->accesses[i], access_granted);
  leave_queue(task);
  engine.done++;
  pthread_cond_broadcast(&engine.ended);
}

static int fail_no_memory(void) {
  MXERR_FAIL("the operator failed, and there was no memory to keep its error");
}

static int fail_forked(const mx_op *op) {
  MXERR_FAIL("RuntimeError: %s: was running when the process was forked; the child has no result of it",
             op->name);
}

/* In a child process: what another thread was running never ends. The calling thread's own error stays. */
static void end_orphan(mx_task *task) {
  mxerr_record *own = mxerr_record_take();
  fail_forked(task->call.op);
  mx_task_leave(task);
  mx_engine_end(task, mx_fault_take(), true);
  mxerr_record_set(own);
  mxerr_record_free(own);
}

/* Makes sure that what is queued is run, and a call of that operator, or NULL; false where that cannot be. */
static bool start(const mx_op *op) {
  if (engine.no_memory == NULL) {
    fail_no_memory();
    engine.no_memory = mx_fault_take();
    if (engine.no_memory == NULL) return false;
  }
  mx_workers_end_orphans(end_orphan);
  return mx_workers_start(op);
}

/* ---- waiting ---- */

typedef bool condition(const void *what);

static bool is_written(const void *var) { return atomic_load(&((const mx_var *)var)->writes) == 0; }
static bool is_unused(const void *var) { return ((const mx_var *)var)->first == NULL; }
static bool has_room(const void *unused) { return (void)unused, engine.queued - engine.done < MAX_QUEUED; }
static bool have_ended(const void *number) {
  return engine.oldest == NULL || engine.oldest->number > *(const int64_t *)number;
}

/* Waits until some task has ended, but not for long. The lock is held. */
static void wait_a_moment(void) {
  struct timespec until;
  clock_gettime(MX_ENGINE_CLOCK, &until);
  until.tv_nsec += MX_POLL_MS * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&engine.ended, &engine.lock, &until);
}

static int poll_unlocked(int64_t *last) {
  pthread_mutex_unlock(&engine.lock);
  const int status = mx_host_poll_at_times(last);
  pthread_mutex_lock(&engine.lock);
  return status;
}

/*
 * Waits until a condition holds, unless it never can, or the host wants to stop; or, where the caller can do without
 * it, nothing ends any more. The lock is held.
 */
static int wait_until(condition *holds, const void *what, bool can_do_without) {
  const bool is_worker = mx_is_worker();
  int64_t done = engine.done, polled = 0;
  int status = 0, quiet = 0;
  bool stuck = false;
  if (holds(what)) return 0;
  MXERR_CHECK(start(NULL), "RuntimeError: the system starts no thread for what is queued");
  if (is_worker) mx_worker_waits(true);
  while (status == 0 && !holds(what) && !(stuck = is_worker && mx_workers_are_stuck())) {
    if (quiet == STALLED && can_do_without) break;
    if (quiet == STALLED) mx_workers_help();
    wait_a_moment();
    quiet = engine.done == done ? quiet % STALLED + 1 : 0;
    done = engine.done;
    status = poll_unlocked(&polled);
  }
  if (is_worker) mx_worker_waits(false);
  MXERR_CHECK(!stuck,
              "RuntimeError: an operator waits for an array that would never be ready, as all workers wait");
  MXERR_TRY(status);
  return 0;
}

static int wait_locking(condition *holds, const void *what, bool can_do_without) {
  pthread_mutex_lock(&engine.lock);
  const int status = wait_until(holds, what, can_do_without);
  pthread_mutex_unlock(&engine.lock);
  MXERR_TRY(status);
  return 0;
}

int mx_wait_to_read(mx_var *var) {
  if (is_written(var) && atomic_load(&var->fault) == NULL) return 0; /* as nearly always */
  pthread_mutex_lock(&engine.lock);
  const int status = wait_until(is_written, var, false);
  mx_fault *fault = status == 0 ? mx_fault_retain(atomic_load(&var->fault)) : NULL;
  if (fault != NULL) mx_untold_tell(fault);
  pthread_mutex_unlock(&engine.lock);
  MXERR_TRY(status);
  MXERR_TRY(mx_fault_raise(fault));
  return 0;
}

int mx_wait_to_write(mx_var *var) {
  MXERR_TRY(wait_locking(is_unused, var, false));
  return 0;
}

int mx_wait_for_all(void) {
  mx_fault *oldest = NULL;
  int64_t errors = 0;
  MXERR_CHECK(!mx_is_worker(), "RuntimeError: an operator cannot wait for all operators: it is one of them");
  pthread_mutex_lock(&engine.lock);
  const int64_t newest = engine.queued; /* others may go on to queue */
  const int status = wait_until(have_ended, &newest, false);
  if (status == 0) oldest = mx_untold_tell_all(&errors);
  pthread_mutex_unlock(&engine.lock);
  MXERR_TRY(status);
  MXERR_TRY_WITH(mx_fault_raise(oldest), MXERR_LOCAL("errors", "%lld"), (long long)errors);
  MXERR_CHECK_EQ(errors, 0, "RuntimeError: more operators failed than errors are kept");
  return 0;
}

/* ---- queueing ---- */

int mx_engine_push(mx_call *call) {
  mx_task *task;
  MXERR_TRY(wait_locking(has_room, NULL, true));
  MXERR_TRY(mx_task_create(call, &task));
  pthread_mutex_lock(&engine.lock);
  const bool started = start(call->op);
  if (started) queue(task);
  pthread_mutex_unlock(&engine.lock);
  if (!started) mx_task_free(task);
  MXERR_CHECK(started, "RuntimeError: %s: cannot be queued, as the system starts no thread", call->op->name);
  return 0;
}

/* ---- the lock, and forks ---- */

void mx_engine_lock(void) { pthread_mutex_lock(&engine.lock); }
void mx_engine_unlock(void) { pthread_mutex_unlock(&engine.lock); }
void mx_engine_wait(pthread_cond_t *condition) { pthread_cond_wait(condition, &engine.lock); }

void mx_engine_prepare(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#if !defined(__APPLE__)
  pthread_condattr_setclock(&attributes, MX_ENGINE_CLOCK);
#endif
  pthread_cond_init(&engine.ended, &attributes);
  pthread_condattr_destroy(&attributes);
}

void mx_engine_forked(void) {
  mx_engine_prepare(); /* who waited is not in this process */
  mx_workers_forked();
  pthread_mutex_unlock(&engine.lock);
}
