/* test_instrument.c: fail points and traces through the C API: every bad argument, and what they do to a call. */
#include "arrays.h"

static const int64_t shape23[] = {2, 3};

static int transpose(void) {
  NDArrayHandle array = new_array(shape23, 2, FLOAT64), output = NULL;
  const int status = invoke_one("transpose", array, NULL, NULL, &output);
  MXNDArrayFree(output);
  MXNDArrayFree(array);
  return status;
}

/* ---- fail points ---- */

static void bad_fail_points_are_refused(void) {
  const char *const *names;
  static char long_text[100000];
  int count;
  memset(long_text, 'x', sizeof long_text - 1);
  expect_failure(MXListFailPoints(NULL, &names), "ValueError", "the result pointer is NULL");
  expect_failure(MXListFailPoints(&count, NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXFailPointSet(NULL, "x", 0, 1), "ValueError", "name is NULL");
  expect_failure(MXFailPointSet("transpose.parse", NULL, 0, 1), "ValueError", "message is NULL");
  expect_failure(MXFailPointSet("transpose.parse", long_text, 0, 1), "ValueError", "too long");
  expect_failure(MXFailPointSet(long_text, "x", 0, 1), "ValueError", "there is no fail point");
  expect_failure(MXFailPointSet("", "x", 0, 1), "ValueError", "there is no fail point ''");
  expect_failure(MXFailPointSet("transpose.", "x", 0, 1), "ValueError", "there is no fail point");
  expect_failure(MXFailPointClear(NULL), "ValueError", "name is NULL");
  expect_failure(MXFailPointClear("x"), "ValueError", "there is no fail point 'x'");
  for (int i = 0; i < 2; i++) {
    const int after[] = {-1, INT32_MIN}, times[] = {0, -2};
    EXPECT_NUMBER(-1, MXFailPointSet("transpose.parse", "x", after[i], 1));
    EXPECT_TEXT("ValueError", kind_now());
    EXPECT_NUMBER(-1, MXFailPointSet("transpose.parse", "x", 0, times[i]));
    EXPECT_TEXT("ValueError", kind_now());
  }
  EXPECT_NUMBER(0, transpose()); /* none of them was set */
}

static void every_stage_of_every_operator_can_fail(void) {
  const char *const *names = NULL;
  int count = 0, hits = 0;
  EXPECT_NUMBER(0, MXListFailPoints(&count, &names));
  for (int i = 0; i < count; i++) {
    EXPECT_NUMBER(0, MXFailPointSet(names[i], "KeyError: injected 100%s", 0, 1));
    if (strncmp(names[i], "transpose.", 10) == 0) {
      expect_failure(transpose(), "KeyError", "injected 100%s");
      EXPECT_TEXT(names[i], function_of(error_now(), 0));
      hits++;
    }
    EXPECT_NUMBER(0, transpose());
    EXPECT_NUMBER(0, MXFailPointClear(names[i]));
  }
  EXPECT_NUMBER(5, hits);
}

static void a_fail_point_waits_and_ends(void) {
  EXPECT_NUMBER(0, MXFailPointSet("transpose.forward", "x", 2, 3));
  for (int i = 0; i < 8; i++) EXPECT_NUMBER(i >= 2 && i < 5 ? -1 : 0, transpose());
  EXPECT_NUMBER(0, MXFailPointSet("transpose.forward", "x", 0, -1));
  for (int i = 0; i < 8; i++) EXPECT_NUMBER(-1, transpose());
  EXPECT_NUMBER(0, MXFailPointClear("transpose.forward"));
  EXPECT_NUMBER(0, MXFailPointClear("transpose.forward"));
  EXPECT_NUMBER(0, transpose());
}

/* ---- traces ---- */

static void bad_traces_are_refused(void) {
  const int bad[] = {0, -1, INT32_MIN, INT32_MAX};
  MXTraceEvent event;
  int size;
  int64_t dropped;
  for (int i = 0; i < 4; i++) {
    EXPECT_NUMBER(-1, MXTraceStart(bad[i]));
    EXPECT_TEXT("ValueError", kind_now());
  }
  EXPECT_NUMBER(0, MXTraceStop()); /* none runs */
  expect_failure(MXTraceTake(-1, &event, &size, &dropped), "ValueError", "negative");
  expect_failure(MXTraceTake(1, NULL, &size, &dropped), "ValueError", "the events are NULL");
  expect_failure(MXTraceTake(1, &event, NULL, &dropped), "ValueError", "the result pointer is NULL");
  expect_failure(MXTraceTake(1, &event, &size, NULL), "ValueError", "the result pointer is NULL");
}

static void a_trace_keeps_the_last_events(void) {
  MXTraceEvent events[16];
  int size = -1;
  int64_t dropped = -1;
  EXPECT_NUMBER(0, MXTraceStart(4));
  EXPECT_NUMBER(0, transpose()); /* five stages, entered and left */
  EXPECT_NUMBER(0, MXTraceStop());
  EXPECT_NUMBER(0, transpose());
  EXPECT_NUMBER(0, MXTraceTake(0, NULL, &size, &dropped));
  EXPECT_NUMBER(4, size);
  EXPECT_NUMBER(6, dropped);
  memset(events, 0, sizeof events);
  EXPECT_NUMBER(0, MXTraceTake(3, events, &size, &dropped)); /* room for fewer than there are */
  EXPECT_NUMBER(4, size);
  EXPECT(events[3].op_name == NULL);
  EXPECT_NUMBER(0, MXTraceTake(16, events, &size, &dropped));
  for (int i = 0; i < 4; i++) {
    EXPECT_TEXT("transpose", events[i].op_name);
    EXPECT_TEXT(i < 2 ? "allocate" : "forward", events[i].stage_name);
    EXPECT_NUMBER(i % 2, events[i].type);
    EXPECT(i == 0 || events[i].time_ns >= events[i - 1].time_ns);
  }
}

static void a_failure_is_an_event(void) {
  MXTraceEvent events[16];
  int size = 0;
  int64_t dropped = 0;
  EXPECT_NUMBER(0, MXFailPointSet("transpose.infer_shape", "x", 0, 1) + MXTraceStart(16));
  EXPECT_NUMBER(-1, transpose());
  EXPECT_NUMBER(0, MXTraceStop());
  EXPECT_NUMBER(0, MXTraceTake(16, events, &size, &dropped));
  EXPECT_NUMBER(5, size); /* parse, entered and left; infer_shape, entered, failed and left */
  EXPECT_NUMBER(2, events[3].type);
  EXPECT_TEXT("infer_shape", events[3].stage_name);
}

int main(void) {
  RUN(bad_fail_points_are_refused);
  RUN(every_stage_of_every_operator_can_fail);
  RUN(a_fail_point_waits_and_ends);
  RUN(bad_traces_are_refused);
  RUN(a_trace_keeps_the_last_events);
  RUN(a_failure_is_an_event);
  return checks_end();
}
