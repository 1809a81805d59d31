/* test_handle.c: array handles: no freed, doubled or made-up one is taken for another. */
#include "arrays.h"

#include <pthread.h>
#include <stdatomic.h>

static const int64_t one[] = {1};

static const NDArrayHandle *made_up(int *count) {
  static NDArrayHandle handles[16];
  int n = 0;
  /* clang-format off */
  const uintptr_t numbers[] = {1, 2, 256, 0xffffffffu, (uintptr_t)1 << 32, ((uintptr_t)1 << 32) + 0xffffffffu,
                               UINTPTR_MAX, UINTPTR_MAX - 1, (uintptr_t)INT64_MAX, (uintptr_t)1 << 63};
  /* clang-format on */
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) handles[n++] = (NDArrayHandle)numbers[i];
  handles[n++] = handles; /* a real address */
  *count = n;
  return handles;
}

/* Every function refuses it. */
static void expect_unusable(NDArrayHandle handle, const char *message) {
  NDArrayHandle output = NULL;
  int64_t shape[MX_MAX_NDIM];
  int number;
  char data[16];
  expect_failure(MXNDArrayGetShape(handle, &number, shape), "ValueError", message);
  expect_failure(MXNDArrayGetDType(handle, &number), "ValueError", message);
  expect_failure(MXNDArraySyncCopyToCPU(handle, data, 1), "ValueError", message);
  expect_failure(MXNDArraySyncCopyFromCPU(handle, data, 1), "ValueError", message);
  if (handle == NULL) return; /* for the helper it would be no input */
  expect_failure(invoke_one("transpose", handle, NULL, NULL, &output), "ValueError", message);
}

static void freeing_nothing_is_allowed(void) {
  EXPECT_NUMBER(0, MXNDArrayFree(NULL));
  expect_unusable(NULL, "the array handle is NULL");
}

static void a_freed_handle_is_recognised(void) {
  NDArrayHandle handle = new_array(one, 1, FLOAT64);
  EXPECT_NUMBER(0, MXNDArrayFree(handle));
  expect_unusable(handle, "freed, or never made");
  mxerr_record_clear();
  expect_failure(MXNDArrayFree(handle), "ValueError", "freed already, or never made");
}

static void a_made_up_handle_is_recognised(void) {
  int count;
  const NDArrayHandle *handles = made_up(&count);
  NDArrayHandle live = new_array(one, 1, FLOAT64);
  for (int i = 0; i < count; i++) {
    expect_unusable(handles[i], "freed, or never made");
    mxerr_record_clear();
    expect_failure(MXNDArrayFree(handles[i]), "ValueError", "freed already, or never made");
  }
  EXPECT_NUMBER(0, MXNDArrayFree(live));
}

static void a_slot_that_is_used_again_gives_other_handles(void) {
  NDArrayHandle handles[1000];
  for (int i = 0; i < 1000; i++) {
    handles[i] = new_array(one, 1, FLOAT64);
    EXPECT_NUMBER(0, MXNDArrayFree(handles[i]));
  }
  for (int i = 0; i < 1000; i++) {
    mxerr_record_clear();
    EXPECT_NUMBER(-1, MXNDArrayFree(handles[i]));
    for (int j = 0; j < i; j++)
      if (handles[i] == handles[j]) EXPECT(handles[i] != handles[j]);
  }
}

static void many_arrays_live_at_once(void) {
  enum { COUNT = 3000 };
  static NDArrayHandle handles[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const double number = i;
    handles[i] = new_array(one, 1, FLOAT64);
    EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(handles[i], &number, 1));
  }
  for (int i = 0; i < COUNT; i += 2) EXPECT_NUMBER(0, MXNDArrayFree(handles[i]));
  for (int i = 1; i < COUNT; i += 2) {
    double number = -1;
    EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(handles[i], &number, 1));
    EXPECT(number == i);
    EXPECT_NUMBER(0, MXNDArrayFree(handles[i]));
  }
}

static void a_failing_free_leaves_a_waiting_error_alone(void) {
  expect_failure(MXGetVersion(NULL), "ValueError", "the result pointer is NULL");
  EXPECT_NUMBER(-1, MXNDArrayFree((NDArrayHandle)(uintptr_t)77));
  EXPECT_TEXT("MXGetVersion", function_of(error_now(), 1));
}

/* ---- several threads ---- */

enum { THREADS = 4, ROUNDS = 2000 };
static NDArrayHandle shared[64];
static atomic_int freed, wrong;

/* Each thread tries to free all arrays, while others read them: each is freed once, and read whole or refused. */
static void *race(void *argument) {
  (void)argument;
  for (int i = 0; i < 64; i++) {
    double number = 0;
    if (MXNDArraySyncCopyToCPU(shared[i], &number, 1) == 0 && number != i) atomic_fetch_add(&wrong, 1);
    if (MXNDArrayFree(shared[i]) == 0) atomic_fetch_add(&freed, 1);
    mxerr_record_clear();
  }
  return NULL;
}

static void run_threads(void *(*body)(void *)) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, body, NULL) != 0) abort();
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void of_several_threads_one_frees(void) {
  for (int i = 0; i < 64; i++) {
    const double number = i;
    shared[i] = new_array(one, 1, FLOAT64);
    EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(shared[i], &number, 1));
  }
  run_threads(race);
  EXPECT_NUMBER(64, freed);
  EXPECT_NUMBER(0, wrong);
}

static void *make_and_free(void *argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; i++) {
    NDArrayHandle handle = NULL, output = NULL;
    if (MXNDArrayCreate(one, 1, FLOAT64, &handle) != 0 ||
        invoke_one("transpose", handle, NULL, NULL, &output) != 0 || MXNDArrayFree(output) != 0 ||
        MXNDArrayFree(handle) != 0)
      atomic_fetch_add(&wrong, 1);
  }
  return NULL;
}

static void several_threads_make_and_free(void) {
  run_threads(make_and_free);
  EXPECT_NUMBER(0, wrong);
}

int main(void) {
  RUN(freeing_nothing_is_allowed);
  RUN(a_freed_handle_is_recognised);
  RUN(a_made_up_handle_is_recognised);
  RUN(a_slot_that_is_used_again_gives_other_handles);
  RUN(many_arrays_live_at_once);
  RUN(a_failing_free_leaves_a_waiting_error_alone);
  RUN(of_several_threads_one_frees);
  RUN(several_threads_make_and_free);
  return checks_end();
}
