/* test_engine.c: the threaded engine: order, errors that wait, forks, and nothing that waits for ever. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arrays.h"

enum { SIZE = 64, THREADS = 4 };

static const int64_t shape[] = {SIZE};

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); }

/* ---- custom operators to order with ---- */

static atomic_int gate_open, entered;

/* Waits for the gate, adds one to the first array, and fails where it holds a negative number. */
static int forward(const char *op_type, int num_inputs, const NDArrayHandle *inputs, NDArrayHandle output,
                   MXCustomError *error) {
  double data[SIZE];
  int status = MXNDArraySyncCopyToCPU(inputs[0], data, SIZE);
  (void)op_type;
  atomic_fetch_add(&entered, 1);
  while (!atomic_load(&gate_open)) nap();
  for (int i = 0; i < SIZE; i++) data[i]++;
  if (data[0] < 0) {
    snprintf(error->message, sizeof error->message, "ValueError: negative: %g", data[0]);
    status = 7;
  }
  status |= MXNDArraySyncCopyFromCPU(output, data, SIZE);
  for (int i = 0; i < num_inputs; i++) MXNDArrayFree(inputs[i]);
  MXNDArrayFree(output);
  return status;
}

static int infer_shape(const char *op_type, int num_inputs, const int *ndims, const int64_t *const *shapes,
                       int *out_ndim, int64_t *out_shape, MXCustomError *error) {
  (void)op_type, (void)num_inputs, (void)error;
  *out_ndim = ndims[0];
  memcpy(out_shape, shapes[0], (size_t)ndims[0] * sizeof out_shape[0]);
  return 0;
}

static void open_gate(bool open) { atomic_store(&gate_open, open); }

/* ---- calls ---- */

static int run(const char *name, int num_inputs, const NDArrayHandle *inputs, NDArrayHandle *out) {
  const char *const keys[] = {"op_type"}, *const values[] = {"gated"};
  NDArrayHandle *outputs = NULL;
  int count;
  if (MXImperativeInvoke(name, num_inputs, inputs, strcmp(name, "custom") == 0, keys, values, &count,
                         &outputs))
    return -1;
  *out = outputs[0];
  return 0;
}

static NDArrayHandle call(const char *name, int num_inputs, const NDArrayHandle *inputs) {
  NDArrayHandle out = NULL;
  if (run(name, num_inputs, inputs, &out) != 0) {
    printf("Bail out! %s: %s\n", name, MXGetLastError());
    exit(1);
  }
  return out;
}

static NDArrayHandle filled(double number) {
  double data[SIZE];
  NDArrayHandle array = new_array(shape, 1, FLOAT64);
  for (int i = 0; i < SIZE; i++) data[i] = number;
  MXNDArraySyncCopyFromCPU(array, data, SIZE);
  return array;
}

/* The number that all elements are; -1e9 where it cannot be read. */
static double number_of(NDArrayHandle array) {
  double data[SIZE] = {0};
  if (MXNDArraySyncCopyToCPU(array, data, SIZE) != 0) return -1e9;
  for (int i = 1; i < SIZE; i++)
    if (data[i] != data[0]) return -1e9;
  return data[0];
}

static void free_all(int count, NDArrayHandle *arrays) {
  for (int i = 0; i < count; i++) EXPECT_NUMBER(0, MXNDArrayFree(arrays[i]));
}

/* Frames run outwards: whether these functions are among them in this order. */
static bool has_frames(int count, const char *const *functions) {
  int found = 0;
  for (uint32_t i = 0; i < error_now()->frame_count && found < count; i++)
    found += strcmp(function_of(error_now(), i), functions[found]) == 0;
  return found == count;
}

/* ---- tests ---- */

static void a_chain_is_computed_in_order(void) {
  NDArrayHandle a = filled(1), sum = a;
  for (int i = 0; i < 500; i++) {
    const NDArrayHandle inputs[] = {sum, a};
    NDArrayHandle next = call("add", 2, inputs);
    if (sum != a) MXNDArrayFree(sum); /* while it is queued */
    sum = next;
  }
  EXPECT(number_of(sum) == 501);
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(sum));
  EXPECT_NUMBER(0, MXNDArrayWaitAll());
}

static void a_write_waits_for_those_who_read_and_the_other_way_round(void) {
  NDArrayHandle a = filled(1), read[8];
  double data[SIZE] = {0};
  open_gate(false);
  for (int i = 0; i < 8; i++) read[i] = call("custom", 1, &a);
  open_gate(true);
  EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(a, data, SIZE));
  for (int i = 0; i < 8; i++) EXPECT(number_of(read[i]) == 2);
  free_all(8, read);
  EXPECT_NUMBER(0, MXNDArrayFree(a));
}

static void an_error_waits_in_what_it_spoils(void) {
  static const char *const frames[] = {"fail_custom", "custom_forward", "mx_call_run", "build",
                                       "mx_wait_to_read"};
  NDArrayHandle a = filled(-5), good = filled(1), arrays[3];
  EXPECT_NUMBER(0, MXEngineSetOrigin("model.py", "build", 12));
  arrays[0] = call("custom", 1, &a);
  EXPECT_NUMBER(0, MXEngineSetOrigin("", "", 0));
  arrays[1] = call("add", 2, (NDArrayHandle[]){arrays[0], good});
  arrays[2] = call("custom", 1, &good);
  EXPECT(number_of(arrays[2]) == 2);
  for (int i = 0; i < 4; i++) {
    EXPECT_NUMBER(-1, i % 2 ? MXNDArrayWaitToRead(arrays[1]) : MXNDArrayWaitToRead(arrays[0]));
    EXPECT_TEXT("ValueError", kind_now());
    EXPECT_TEXT("negative: -4", message_now());
    EXPECT(has_frames(5, frames));
  }
  EXPECT_NUMBER(0, MXNDArrayWaitAll()); /* it was told of already */
  EXPECT(number_of(arrays[2]) == 2);
  free_all(3, arrays);
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(good));
}

static void waiting_for_all_tells_the_oldest_error_once(void) {
  NDArrayHandle a = filled(-5), arrays[100];
  for (int i = 0; i < 100; i++) arrays[i] = call("custom", 1, &a);
  expect_failure(MXNDArrayWaitAll(), "ValueError", "negative: -4");
  EXPECT_NUMBER(0, MXNDArrayWaitAll());
  for (int i = 0; i < 100; i++) EXPECT_NUMBER(-1, MXNDArrayWaitToRead(arrays[i]));
  EXPECT_NUMBER(0, MXNDArrayWaitAll());
  free_all(100, arrays);
  for (int i = 0; i < 100; i++) arrays[i] = call("custom", 1, &a);
  for (int i = 0; i < 100; i++) EXPECT_NUMBER(-1, MXNDArrayWaitToRead(arrays[i]));
  EXPECT_NUMBER(0, MXNDArrayWaitAll()); /* each was told, also of those for which there was no room */
  free_all(100, arrays);
  EXPECT_NUMBER(0, MXNDArrayFree(a));
}

static void a_spoiled_array_can_be_written(void) {
  double data[SIZE] = {0};
  NDArrayHandle a = filled(-5), b = call("custom", 1, &a);
  EXPECT_NUMBER(-1, MXNDArrayWaitToRead(b));
  EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(b, data, SIZE));
  EXPECT(number_of(b) == 0);
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(b) + MXNDArrayWaitAll());
}

static void what_is_freed_while_it_is_queued_is_computed_and_told(void) {
  NDArrayHandle a = filled(-5), b;
  open_gate(false);
  b = call("custom", 1, &a);
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(b));
  expect_failure(MXNDArrayFree(b), "ValueError", "freed already");
  open_gate(true);
  expect_failure(MXNDArrayWaitAll(), "ValueError", "negative: -4");
}

static void the_engine_can_be_left_while_calls_are_queued(void) {
  NDArrayHandle a = filled(1), b, c;
  open_gate(false);
  b = call("custom", 1, &a);
  EXPECT_NUMBER(0, MXEngineSetType(0));
  open_gate(true);
  c = call("add", 2, (NDArrayHandle[]){b, b});
  EXPECT(number_of(c) == 4);
  EXPECT_NUMBER(0, MXEngineSetType(1));
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(b) + MXNDArrayFree(c));
}

static void *compute(void *shared) {
  NDArrayHandle arrays[3];
  const char **wrong = shared;
  NDArrayHandle own = filled(1);
  for (int i = 0; i < 200; i++) {
    arrays[0] = call("add", 2, (NDArrayHandle[]){own, own});
    arrays[1] = call("multiply", 2, (NDArrayHandle[]){arrays[0], own});
    arrays[2] = call("custom", 1, &arrays[1]);
    if (number_of(arrays[2]) != 3) *wrong = "a number is wrong";
    for (int j = 0; j < 3; j++) MXNDArrayFree(arrays[j]);
  }
  MXNDArrayFree(own);
  return NULL;
}

static void many_threads_queue_at_once(void) {
  pthread_t threads[THREADS];
  const char *wrong[THREADS] = {NULL};
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, compute, &wrong[i]) != 0) abort();
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) EXPECT(wrong[i] == NULL);
}

static void the_same_seed_gives_the_same_numbers(void) {
  const char *const keys[] = {"size"}, *const values[] = {"(64,)"};
  double numbers[2][20][SIZE];
  for (int round = 0; round < 2; round++) {
    NDArrayHandle *outputs = NULL, arrays[20];
    int count;
    EXPECT_NUMBER(0, MXRandomSeed(7));
    for (int i = 0; i < 20; i++) {
      EXPECT_NUMBER(0, MXImperativeInvoke("random_normal", 0, NULL, 1, keys, values, &count, &outputs));
      arrays[i] = outputs[0];
    }
    for (int i = 0; i < 20; i++) EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(arrays[i], numbers[round][i], SIZE));
    free_all(20, arrays);
  }
  EXPECT(memcmp(numbers[0], numbers[1], sizeof numbers[0]) == 0);
}

/* What a child process finds: 0 for all that is right. */
static int look_around(NDArrayHandle running, NDArrayHandle queued, NDArrayHandle done) {
  NDArrayHandle next = NULL;
  alarm(60); /* a child that hangs dies */
  open_gate(true);
  if (MXNDArrayWaitToRead(running) != -1 || strcmp("RuntimeError", kind_now()) != 0) return 1;
  if (strstr(message_now(), "was running when the process was forked") == NULL) return 2;
  if (MXNDArrayWaitToRead(queued) != -1) return 3;
  if (number_of(done) != 1) return 4;
  if (run("add", 2, (NDArrayHandle[]){done, done}, &next) != 0 || number_of(next) != 2) return 5;
  if (MXNDArrayWaitAll() != 0) return 6;
  return 0;
}

/*
 * Ends a child process with a status. Another program does it in its place, as a check for leaks at the end of this
 * one would find what the parent's threads hold: they are not here.
 */
static void leave_child(int status) {
  char command[16];
  snprintf(command, sizeof command, "exit %d", status);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

static void a_child_process_has_an_engine_of_its_own(void) {
#if defined(__SANITIZE_THREAD__)
  SKIP("the thread sanitizer takes no new threads after a fork");
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  SKIP("the thread sanitizer takes no new threads after a fork");
#endif
#endif
  NDArrayHandle a = filled(1), running, queued;
  int status = -1;
  open_gate(false);
  atomic_store(&entered, 0);
  running = call("custom", 1, &a);
  queued = call("add", 2, (NDArrayHandle[]){running, a});
  while (atomic_load(&entered) == 0) nap();
  const pid_t child = fork();
  if (child == 0) leave_child(look_around(running, queued, a));
  open_gate(true);
  EXPECT(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT_NUMBER(0, status);
  EXPECT(number_of(queued) == 3);
  EXPECT_NUMBER(0, MXNDArrayFree(a) + MXNDArrayFree(running) + MXNDArrayFree(queued));
}

static void bad_arguments_are_refused(void) {
  const int bad[] = {-1, 2, INT32_MAX, INT32_MIN};
  const MXCustomOp none = {NULL, NULL}, whole = {infer_shape, forward};
  for (int i = 0; i < 4; i++)
    expect_failure(MXEngineSetType(bad[i]), "ValueError", "expected 0 (NaiveEngine)");
  expect_failure(MXEngineGetType(NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXEngineSetOrigin(NULL, "f", 1), "ValueError", "the name of the place is NULL");
  expect_failure(MXEngineSetOrigin("f", NULL, 1), "ValueError", "the name of the place is NULL");
  expect_failure(MXNDArrayWaitToRead(NULL), "ValueError", "the array handle is NULL");
  expect_failure(MXNDArrayWaitToWrite((NDArrayHandle)(intptr_t)-1), "ValueError", "was freed, or never made");
  expect_failure(MXCustomOpRegister(NULL, &whole), "ValueError", "name is NULL");
  expect_failure(MXCustomOpRegister("x", NULL), "ValueError", "functions are NULL");
  expect_failure(MXCustomOpRegister("x", &none), "ValueError", "a function is NULL");
}

/* Runs last: the process ends with calls that wait for it. */
static void leave_calls_behind(void) {
  NDArrayHandle a = filled(1);
  open_gate(false);
  for (int i = 0; i < 10; i++) MXNDArrayFree(call("custom", 1, &a));
  EXPECT_NUMBER(0, MXNDArrayFree(a));
}

int main(void) {
  const MXCustomOp gated = {infer_shape, forward};
  EXPECT_NUMBER(0, MXCustomOpRegister("gated", &gated));
  EXPECT_NUMBER(0, MXEngineSetType(1));
  open_gate(true);
  RUN(a_chain_is_computed_in_order);
  RUN(a_write_waits_for_those_who_read_and_the_other_way_round);
  RUN(an_error_waits_in_what_it_spoils);
  RUN(waiting_for_all_tells_the_oldest_error_once);
  RUN(a_spoiled_array_can_be_written);
  RUN(what_is_freed_while_it_is_queued_is_computed_and_told);
  RUN(the_engine_can_be_left_while_calls_are_queued);
  RUN(many_threads_queue_at_once);
  RUN(the_same_seed_gives_the_same_numbers);
  RUN(a_child_process_has_an_engine_of_its_own);
  RUN(bad_arguments_are_refused);
  RUN(leave_calls_behind);
  return checks_end();
}
