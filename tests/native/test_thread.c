/* test_thread.c: each thread has its own error, and an error moves between threads only by take and set. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

enum { THREADS = 8, ERRORS = 1000 };

static int fail(int thread, int number) {
  MXERR_CHECK_LT(number, 0, "ValueError: thread %d, number %d, %f", thread, number, number / 4.0);
  return 0;
}

static int outer(int thread, int number) {
  MXERR_TRY_WITH(fail(thread, number), MXERR_LOCAL("thread", "%d"), thread);
  return 0;
}

static int api(int thread, int number) { MXERR_API(outer(thread, number)); }

static atomic_int wrong; /* EXPECT counts for the main thread only */

static void expect_own(bool holds) {
  if (!holds) atomic_fetch_add(&wrong, 1);
}

/* ---- many threads ---- */

static void *fail_often(void *argument) {
  const int thread = *(const int *)argument;
  expect_own(mxerr_record_peek() == NULL);
  for (int number = 0; number < ERRORS; number++) {
    char expected[64];
    expect_own(api(thread, number) == MXERR_FAILURE);
    snprintf(expected, sizeof expected, "thread %d, number %d, %f", thread, number, number / 4.0);
    expect_own(strcmp(expected, message_now()) == 0);
    snprintf(expected, sizeof expected, "%d", thread);
    expect_own(strcmp(expected, value_of(error_now(), 1, "thread")) == 0);
    expect_own(mxerr_record_read() != NULL);
  }
  return NULL;
}

static void each_of_many_threads_has_its_own_errors(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, fail_often, &numbers[i]) != 0) abort();
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  EXPECT_NUMBER(0, wrong);
  EXPECT(mxerr_record_peek() == NULL);
}

/* ---- from one thread to another ---- */

static void *fail_and_take(void *argument) {
  (void)argument;
  expect_own(api(1, 42) == MXERR_FAILURE);
  return mxerr_record_take();
}

static int set_and_fail(const mxerr_record *record) {
  mxerr_record_set(record);
  return MXERR_FAILURE;
}

static int raise_here(const mxerr_record *record) { MXERR_API(set_and_fail(record)); }

static void an_error_is_taken_on_one_thread_and_raised_on_another(void) {
  pthread_t thread;
  void *taken = NULL;
  if (pthread_create(&thread, NULL, fail_and_take, NULL) != 0) abort();
  pthread_join(thread, &taken);
  EXPECT(taken != NULL);
  EXPECT(mxerr_record_peek() == NULL);
  EXPECT_NUMBER(MXERR_FAILURE, raise_here(taken));
  mxerr_record_free(taken);
  EXPECT_TEXT("thread 1, number 42, 10.500000", message_now());
  EXPECT_NUMBER(4, error_now()->frame_count);
  EXPECT_TEXT("raise_here", function_of(error_now(), 3));
}

/* One error, raised by all threads at once; each adds a frame to its own copy. */
static void *set_often(void *argument) {
  const mxerr_record *record = argument;
  for (int i = 0; i < ERRORS / 10; i++) {
    expect_own(raise_here(record) == MXERR_FAILURE);
    expect_own(error_now()->frame_count == record->frame_count + 1);
    expect_own(strcmp("thread 1, number 42, 10.500000", message_now()) == 0);
  }
  return NULL;
}

static void many_threads_set_the_same_record(void) {
  pthread_t threads[THREADS];
  mxerr_record *taken = fail_and_take(NULL);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, set_often, taken) != 0) abort();
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  mxerr_record_free(taken);
  EXPECT_NUMBER(0, wrong);
}

static void *fail_quietly(void *argument) {
  (void)argument;
  expect_own(!mxerr_quiet_enter());
  expect_own(fail(1, 1) == MXERR_FAILURE);
  mxerr_quiet_leave(false);
  expect_own(mxerr_record_peek() != NULL);
  return NULL;
}

static void a_quiet_thread_does_not_quiet_another(void) {
  pthread_t thread;
  EXPECT_NUMBER(MXERR_FAILURE, api(1, 42));
  EXPECT(mxerr_quiet_enter());
  if (pthread_create(&thread, NULL, fail_quietly, NULL) != 0) abort();
  pthread_join(thread, NULL);
  mxerr_quiet_leave(true);
  EXPECT_NUMBER(0, wrong);
  EXPECT_TEXT("thread 1, number 42, 10.500000", message_now());
}

int main(void) {
  RUN(each_of_many_threads_has_its_own_errors);
  RUN(an_error_is_taken_on_one_thread_and_raised_on_another);
  RUN(many_threads_set_the_same_record);
  RUN(a_quiet_thread_does_not_quiet_another);
  return checks_end();
}
