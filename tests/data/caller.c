/* caller.c: a library that calls back, and reports what it is told in every way that libraries do. */
#define MXERR_IMPLEMENTATION
#include "mxerr/mxerr.h"

#include <pthread.h>
#include <signal.h>

typedef int (*visitor)(int value);
typedef double (*function)(double x);
typedef void (*listener)(void);

static visitor kept;

/* ---- callbacks whose failure is reported ---- */

static int visit(int value, visitor call) {
  MXERR_TRY_WITH(call(value), MXERR_LOCAL("value", "%d"), value);
  return 0;
}

static int visit_all(const int *values, int size, visitor call) {
  for (int i = 0; i < size; i++) MXERR_TRY(visit(values[i], call));
  return 0;
}
MXERR_EXPORT int caller_visit(const int *values, int size, visitor call);
int caller_visit(const int *values, int size, visitor call) { MXERR_API(visit_all(values, size, call)); }

static int visit_and_clean(visitor call, visitor clean) {
  const int status = call(1);
  (void)clean(status);
  MXERR_TRY(status);
  return 0;
}
MXERR_EXPORT int caller_visit_and_clean(visitor call, visitor clean);
int caller_visit_and_clean(visitor call, visitor clean) { MXERR_API(visit_and_clean(call, clean)); }

/* ---- a callback that is kept for later ---- */

MXERR_EXPORT int caller_keep(visitor call);
int caller_keep(visitor call) {
  kept = call;
  return 0;
}
static int visit_kept(int value) {
  MXERR_CHECK(kept != NULL, "ValueError: nothing is kept");
  return visit(value, kept);
}
MXERR_EXPORT int caller_visit_kept(int value);
int caller_visit_kept(int value) { MXERR_API(visit_kept(value)); }

/* ---- callbacks whose failure cannot be reported, or is not ---- */

MXERR_EXPORT int caller_ignore(visitor call, int times);
int caller_ignore(visitor call, int times) {
  for (int i = 0; i < times; i++) (void)call(i);
  return 0;
}

MXERR_EXPORT double caller_sum(function call, int times);
double caller_sum(function call, int times) {
  double sum = 0;
  for (int i = 0; i < times; i++) sum += call(i);
  return sum;
}

MXERR_EXPORT void caller_notify(listener call);
void caller_notify(listener call) { call(); }

static void *visit_in_thread(void *call) {
  visitor *visit_it = (visitor *)call;
  return (*visit_it)(0) ? call : NULL;
}
static int spawn(visitor call) {
  pthread_t thread;
  void *failed;
  MXERR_CHECK_EQ(pthread_create(&thread, NULL, visit_in_thread, &call), 0, "no thread");
  MXERR_CHECK_EQ(pthread_join(thread, &failed), 0, "no end");
  MXERR_CHECK(failed == NULL, "the thread failed");
  return 0;
}
MXERR_EXPORT int caller_spawn(visitor call);
int caller_spawn(visitor call) { MXERR_API(spawn(call)); }

/* ---- Ctrl-C while C runs ---- */

static int interrupted(int value, visitor call) {
  MXERR_CHECK_EQ(raise(SIGINT), 0, "no signal");
  MXERR_TRY(visit(value, call));
  return 0;
}
MXERR_EXPORT int caller_interrupted(int value, visitor call);
int caller_interrupted(int value, visitor call) { MXERR_API(interrupted(value, call)); }
