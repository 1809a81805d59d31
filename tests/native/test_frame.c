/* test_frame.c: the frames that a failure leaves on its way out: which, in what order, with which values. */
#include <stdlib.h>

#include "check.h"

static int line_of_fail, line_of_check, line_of_relation, line_of_try, line_of_api;

/* The line breaks are what is tested. */
/* clang-format off */
static int fail_here(void) {
  line_of_fail = __LINE__ + 1;
  MXERR_FAIL("ValueError: %s %s",
             "spread over",
             "lines");
}

static int check_here(int x) {
  line_of_check = __LINE__ + 1;
  MXERR_CHECK(x ==
                  1,
              "no");
  return 0;
}

static int relate_here(int x) {
  line_of_relation = __LINE__ + 1;
  MXERR_CHECK_EQ(x,
                 1,
                 "no");
  return 0;
}

static int try_here(int (*f)(int), int x) {
  line_of_try = __LINE__ + 1;
  MXERR_TRY(f(
      x));
  return 0;
}

static int try_with_here(int (*f)(int), int x) {
  line_of_try = __LINE__ + 1;
  MXERR_TRY_WITH(f(x),
                 MXERR_LOCAL("x", "%d") MXERR_LOCAL("twice", "%d"),
                 x, 2 * x);
  return 0;
}

static int api_here(int x) {
  line_of_api = __LINE__ + 1;
  MXERR_API(try_here(relate_here,
                     x));
}
/* clang-format on */

static int failed_here(int (*f)(int), int x, int *released) {
  line_of_try = __LINE__ + 1;
  if (MXERR_FAILED(f(x))) goto release;
  return 0;
release:
  ++*released;
  return MXERR_FAILURE;
}

static int failed_with_here(int (*f)(int), int x) {
  return MXERR_FAILED_WITH(f(x), MXERR_LOCAL("x", "%d"), x) ? MXERR_FAILURE : 0;
}

static void expect_frame(uint32_t frame, const char *function, int line) {
  EXPECT_TEXT(function, function_of(error_now(), frame));
  EXPECT_NUMBER(line, error_now()->frames[frame].line);
  EXPECT(strstr(mxerr_text(error_now(), error_now()->frames[frame].file), "test_frame.c") != NULL);
}

static void a_statement_has_the_line_where_it_begins(void) {
  fail_here();
  expect_frame(0, "fail_here", line_of_fail);
  check_here(2);
  expect_frame(0, "check_here", line_of_check);
  relate_here(2);
  expect_frame(0, "relate_here", line_of_relation);
  try_here(relate_here, 2);
  expect_frame(1, "try_here", line_of_try);
  try_with_here(relate_here, 2);
  expect_frame(1, "try_with_here", line_of_try);
  api_here(2);
  expect_frame(2, "api_here", line_of_api);
}

static void each_function_on_the_way_out_is_a_frame(void) {
  int released = 0;
  EXPECT_NUMBER(MXERR_FAILURE, api_here(3));
  EXPECT_NUMBER(3, error_now()->frame_count);
  expect_frame(0, "relate_here", line_of_relation);
  expect_frame(1, "try_here", line_of_try);
  expect_frame(2, "api_here", line_of_api);
  EXPECT_NUMBER(MXERR_READY, error_now()->state);
  EXPECT_TEXT("3", value_of(error_now(), 0, "x"));

  EXPECT_NUMBER(MXERR_FAILURE, failed_here(check_here, 3, &released));
  EXPECT_NUMBER(1, released);
  EXPECT_NUMBER(2, error_now()->frame_count);
  expect_frame(1, "failed_here", line_of_try);
  EXPECT_NUMBER(MXERR_RAISED, error_now()->state);
}

static void frames_have_values_of_their_own(void) {
  EXPECT_NUMBER(MXERR_FAILURE, try_with_here(relate_here, 21));
  EXPECT_TEXT("21", value_of(error_now(), 1, "x"));
  EXPECT_TEXT("42", value_of(error_now(), 1, "twice"));
  EXPECT(value_of(error_now(), 0, "twice") == NULL);
  EXPECT_NUMBER(MXERR_FAILURE, failed_with_here(relate_here, 21));
  EXPECT_TEXT("21", value_of(error_now(), 1, "x"));
}

static int succeed(int x) { return x - x; }

static void success_touches_no_record(void) {
  mxerr_record *before, *after;
  int released = 0;
  fail_here();
  before = malloc(sizeof *before);
  after = malloc(sizeof *after);
  if (before == NULL || after == NULL) abort();
  *before = *mxerr_record_peek();
  EXPECT_NUMBER(0, try_here(succeed, 1));
  EXPECT_NUMBER(0, try_with_here(succeed, 1));
  EXPECT_NUMBER(0, failed_with_here(succeed, 1));
  EXPECT_NUMBER(0, failed_here(succeed, 1, &released));
  EXPECT_NUMBER(0, check_here(1) + relate_here(1) + api_here(1));
  *after = *mxerr_record_peek();
  EXPECT(memcmp(before, after, sizeof *before) == 0);
  EXPECT_NUMBER(0, released);
  free(before);
  free(after);
}

static int other_status(int status) { return status; }

static void any_status_but_0_is_a_failure(void) {
  const int statuses[] = {1, -1, -2, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
    EXPECT_NUMBER(MXERR_FAILURE, try_here(other_status, statuses[i]));
    EXPECT_TEXT("a call in try_here failed without saying why", message_now());
    EXPECT_NUMBER(1, error_now()->frame_count);
    mxerr_record_clear();
  }
}

int main(void) {
  RUN(a_statement_has_the_line_where_it_begins);
  RUN(each_function_on_the_way_out_is_a_frame);
  RUN(frames_have_values_of_their_own);
  RUN(success_touches_no_record);
  RUN(any_status_but_0_is_a_failure);
  return checks_end();
}
