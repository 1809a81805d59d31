/* host.c: asks the program around the library whether to go on, and keeps count of its exceptions. */
#define _GNU_SOURCE /* syscall */
#include "host.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

typedef int64_t poll_function(void);
typedef void release_function(int64_t id);

static _Atomic(poll_function *) polls[MX_POLL_DEPTH];
static _Atomic(release_function *) release_of_host;

int mx_host_register(const MXHost *host) {
  MXERR_CHECK_NE(host, NULL, "ValueError: the host is NULL");
  for (int i = 0; i < MX_POLL_DEPTH; i++) atomic_store(&polls[i], host->poll[i]);
  atomic_store(&release_of_host, host->release);
  return 0;
}

/* ---- asking whether to go on ---- */

/* On other systems: true everywhere, as nothing happens where Python asks for signals on another thread. */
static bool on_main_thread(void) {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
  return pthread_main_np() != 0;
#else
  return true;
#endif
}

static int stop(int64_t id) {
  mxerr_fail(__FILE__, __LINE__, __func__, "the program was asked to stop while it waited");
  mx_exception_raise(id);
  return MXERR_FAILURE;
}

int mx_host_poll(void) {
  static _Thread_local int depth; /* of polls on this thread that have not returned */
  poll_function *poll = depth < MX_POLL_DEPTH ? atomic_load(&polls[depth]) : NULL;
  if (poll == NULL || !on_main_thread()) return 0;
  fexcept_t raised; /* what loops have raised so far is theirs */
  fegetexceptflag(&raised, FE_ALL_EXCEPT);
  depth++;
  const int64_t id = poll();
  depth--;
  fesetexceptflag(&raised, FE_ALL_EXCEPT);
  if (id != 0) MXERR_TRY(stop(id));
  return 0;
}

int mx_host_poll_at_times(int64_t *last) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t now = time.tv_sec * 1000 + time.tv_nsec / 1000000;
  if (*last == 0) *last = now;
  if (now - *last < MX_POLL_MS) return 0;
  *last = now;
  MXERR_TRY(mx_host_poll());
  return 0;
}

/* ---- exceptions ---- */

struct mx_exception {
  atomic_int count;
  int64_t id;
  mx_exception *next; /* of those that were let go */
};

static _Atomic(mx_exception *) let_go;
static _Thread_local mx_exception *of_error; /* of the thread's error; the thread has a count of it */

static void add(mx_exception *exception) {
  mx_exception_release(of_error);
  of_error = exception;
}

void mx_exception_raise(int64_t id) {
  mx_exception *exception = id != 0 ? malloc(sizeof *exception) : NULL;
  if (exception != NULL) {
    atomic_init(&exception->count, 1);
    exception->id = id;
    mxerr_record_add_attribute(MX_EXCEPTION_ATTRIBUTE, &id, sizeof id);
  }
  add(exception);
}

void mx_exception_raise_again(mx_exception *exception) {
  if (exception != NULL) atomic_fetch_add(&exception->count, 1);
  add(exception);
}

mx_exception *mx_exception_take(void) {
  mx_exception *taken = of_error;
  of_error = NULL;
  return taken;
}

void mx_exception_release(mx_exception *exception) {
  if (exception == NULL || atomic_fetch_sub(&exception->count, 1) > 1) return;
  exception->next = atomic_load(&let_go);
  while (!atomic_compare_exchange_weak(&let_go, &exception->next, exception)) continue;
}

void mx_exceptions_bury(void) {
  if (atomic_load_explicit(&let_go, memory_order_relaxed) == NULL) return; /* as nearly always */
  mx_exception *exception = atomic_exchange(&let_go, NULL);
  while (exception != NULL) {
    mx_exception *next = exception->next;
    release_function *release = atomic_load(&release_of_host);
    if (release != NULL) release(exception->id);
    free(exception);
    exception = next;
  }
}
