/* test_host.c: the program around the library: it stops what waits, and hears of exceptions that nobody needs. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "arrays.h"

enum { ROUNDS = 300 };

static const int64_t shape[] = {1};

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

/* ---- the host ---- */

static atomic_int polls, stop_at, released[ROUNDS + 1];

static int64_t poll(void) { return atomic_fetch_add(&polls, 1) + 1 >= atomic_load(&stop_at) ? 7 : 0; }

/* Waits itself, in the library: the poll of the next depth is asked. */
static NDArrayHandle waited_for;
static int64_t poll_that_waits(void) {
  EXPECT_NUMBER(-1, MXNDArrayWaitToRead(waited_for));
  EXPECT_NUMBER(0, MXExceptionRelease());
  return 9;
}

static void release(int64_t id) { atomic_fetch_add(&released[id], 1); }

static void be_host(int64_t (*first)(void)) {
  const MXHost host = {.poll = {first, poll}, .release = release};
  EXPECT_NUMBER(0, MXHostRegister(&host));
  atomic_store(&polls, 0);
  atomic_store(&stop_at, 2);
}

/* ---- custom operators ---- */

static int infer_shape(const char *op_type, int num_inputs, const int *ndims, const int64_t *const *shapes,
                       int *out_ndim, int64_t *out_shape, MXCustomError *error) {
  (void)op_type, (void)num_inputs, (void)error;
  *out_ndim = ndims[0];
  memcpy(out_shape, shapes[0], (size_t)ndims[0] * sizeof out_shape[0]);
  return 0;
}

static void free_handles(int num_inputs, const NDArrayHandle *inputs, NDArrayHandle output) {
  for (int i = 0; i < num_inputs; i++) MXNDArrayFree(inputs[i]);
  MXNDArrayFree(output);
}

static atomic_int gate_open;

static int wait_for_gate(const char *op_type, int num_inputs, const NDArrayHandle *inputs,
                         NDArrayHandle output, MXCustomError *error) {
  (void)op_type, (void)error;
  while (!atomic_load(&gate_open)) nap();
  free_handles(num_inputs, inputs, output);
  return 0;
}

/* Fails with the exception whose number the array holds. */
static int fail(const char *op_type, int num_inputs, const NDArrayHandle *inputs, NDArrayHandle output,
                MXCustomError *error) {
  double number = 0;
  (void)op_type;
  MXNDArraySyncCopyToCPU(inputs[0], &number, 1);
  error->id = (int64_t)number;
  snprintf(error->message, sizeof error->message, "KeyError: %d", (int)number);
  free_handles(num_inputs, inputs, output);
  return 1;
}

/* Computes on a thread of the program, which uses operators. */
static void *add_on_thread(void *shared) {
  NDArrayHandle *array = shared, *outputs = NULL;
  int count;
  double number = -1;
  if (MXImperativeInvoke("add", 2, (NDArrayHandle[]){*array, *array}, 0, NULL, NULL, &count, &outputs) == 0) {
    NDArrayHandle sum = outputs[0];
    if (MXNDArraySyncCopyToCPU(sum, &number, 1) != 0) number = -2;
    MXNDArrayFree(sum);
  }
  MXNDArraySyncCopyFromCPU(*array, &number, 1);
  return NULL;
}

static int add_elsewhere(const char *op_type, int num_inputs, const NDArrayHandle *inputs,
                         NDArrayHandle output, MXCustomError *error) {
  pthread_t thread;
  double number = 1;
  NDArrayHandle array = new_array(shape, 1, FLOAT64);
  (void)op_type, (void)error;
  MXNDArraySyncCopyFromCPU(array, &number, 1);
  if (pthread_create(&thread, NULL, add_on_thread, &array) != 0) abort();
  pthread_join(thread, NULL);
  MXNDArraySyncCopyToCPU(array, &number, 1);
  MXNDArraySyncCopyFromCPU(output, &number, 1);
  MXNDArrayFree(array);
  free_handles(num_inputs, inputs, output);
  return 0;
}

static NDArrayHandle custom(const char *op_type, NDArrayHandle input) {
  NDArrayHandle out = NULL;
  EXPECT_NUMBER(0, invoke_one("custom", input, "op_type", op_type, &out));
  return out;
}

static NDArrayHandle filled(double number) {
  NDArrayHandle array = new_array(shape, 1, FLOAT64);
  EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(array, &number, 1));
  return array;
}

/* ---- tests ---- */

static void every_wait_can_be_stopped(void) {
  NDArrayHandle a = filled(1), b, none;
  double number = 0;
  atomic_store(&gate_open, 0);
  b = custom("gate", a);
  for (int i = 0; i < 5; i++) {
    be_host(poll);
    EXPECT_NUMBER(-1, i == 0   ? MXNDArrayWaitToRead(b)
                      : i == 1 ? MXNDArrayWaitToWrite(a)
                      : i == 2 ? MXNDArrayWaitAll()
                      : i == 3 ? MXNDArraySyncCopyToCPU(b, &number, 1)
                               : invoke_one("save", b, "file", "'/no/such/file'", &none));
    EXPECT(strstr(message_now(), "was asked to stop") != NULL);
    EXPECT_NUMBER(1, error_now()->attribute_count);
    EXPECT_NUMBER(i, atomic_load(&released[7]));
    EXPECT_NUMBER(0, MXExceptionRelease() + MXExceptionRelease());
    EXPECT_NUMBER(i + 1, atomic_load(&released[7]));
  }
  atomic_store(&gate_open, 1);
  EXPECT_NUMBER(0, MXNDArrayWaitToRead(b));
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(b));
}

static void a_host_that_waits_itself_can_be_stopped(void) {
  NDArrayHandle a = filled(1);
  atomic_store(&gate_open, 0);
  waited_for = custom("gate", a);
  be_host(poll_that_waits);
  EXPECT_NUMBER(-1, MXNDArrayWaitToRead(waited_for));
  EXPECT_NUMBER(0, MXExceptionRelease());
  EXPECT_NUMBER(1, atomic_load(&released[9]));
  atomic_store(&gate_open, 1);
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(waited_for) + MXNDArrayWaitAll());
}

static void an_exception_is_let_go_with_the_last_array_that_holds_it(void) {
  NDArrayHandle arrays[ROUNDS], sums[ROUNDS];
  be_host(NULL);
  for (int i = 0; i <= ROUNDS; i++) atomic_store(&released[i], 0);
  for (int i = 0; i < ROUNDS; i++) {
    NDArrayHandle a = filled(i + 1);
    arrays[i] = custom("fail", a);
    EXPECT_NUMBER(0, invoke_one("negative", arrays[i], NULL, NULL, &sums[i]));
    MXNDArrayFree(a);
  }
  expect_failure(MXNDArrayWaitAll(), "KeyError", "");
  EXPECT_NUMBER(0, MXExceptionRelease());
  for (int i = 0; i < ROUNDS; i++) {
    EXPECT_NUMBER(0, MXNDArrayFree(arrays[i]));
    EXPECT_NUMBER(0, atomic_load(&released[i + 1]));
    EXPECT_NUMBER(-1, MXNDArrayWaitToRead(sums[i]));
    EXPECT_NUMBER(0, MXNDArrayFree(sums[i]));
    EXPECT_NUMBER(0, atomic_load(&released[i + 1])); /* the thread's error stands for it */
    EXPECT_NUMBER(0, MXExceptionRelease());
  }
  for (int i = 0; i < ROUNDS; i++) { /* a worker may be the last */
    for (int naps = 0; naps < 10000 && atomic_load(&released[i + 1]) == 0; naps++) nap();
    EXPECT_NUMBER(1, atomic_load(&released[i + 1]));
  }
}

static void operators_may_wait_for_threads_that_use_operators(void) {
  NDArrayHandle a = filled(1), arrays[20];
  double number;
  for (int i = 0; i < 20; i++) arrays[i] = custom("elsewhere", a);
  for (int i = 0; i < 20; i++) {
    EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(arrays[i], &number, 1));
    EXPECT(number == 2);
    EXPECT_NUMBER(0, MXNDArrayFree(arrays[i]));
  }
  EXPECT_NUMBER(0, MXNDArrayFree(a));
}

int main(void) {
  const MXCustomOp gate = {infer_shape, wait_for_gate}, failing = {infer_shape, fail},
                   elsewhere = {infer_shape, add_elsewhere};
  const MXHost none = {.release = NULL};
  EXPECT_NUMBER(0, MXCustomOpRegister("gate", &gate) + MXCustomOpRegister("fail", &failing) +
                       MXCustomOpRegister("elsewhere", &elsewhere) + MXEngineSetType(1));
  RUN(every_wait_can_be_stopped);
  RUN(a_host_that_waits_itself_can_be_stopped);
  RUN(an_exception_is_let_go_with_the_last_array_that_holds_it);
  RUN(operators_may_wait_for_threads_that_use_operators);
  EXPECT_NUMBER(0, MXHostRegister(&none));
  return checks_end();
}
