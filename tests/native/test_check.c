/* test_check.c: the checks of check.h can fail, and what failed is reported. Its lines of TAP are not read. */
#include <stdlib.h>

#include "check.h"

static void a_true_check_passes(void) {
  EXPECT(1 == 1);
  EXPECT_NUMBER(1, 1);
  EXPECT_TEXT("a", "a");
}

static void a_false_condition_fails(void) { EXPECT(1 == 2); }
static void another_number_fails(void) { EXPECT_NUMBER(1, 2); }
static void another_text_fails(void) { EXPECT_TEXT("a", "b"); }
static void no_text_fails(void) { EXPECT_TEXT("", NULL); }
static void a_skipped_test_passes(void) { SKIP("to see it"); }

static void all_failures_are_counted(void) {
  EXPECT(false);
  EXPECT_NUMBER(1, 2);
}

static void an_error_of_the_test_before_is_cleared(void) { EXPECT(mxerr_record_peek() == NULL); }

static void leave_an_error(void) { mxerr_fail("f.c", 1, "f", "left behind"); }

static void must(bool holds) {
  if (!holds) abort();
}

int main(void) {
  void (*const failing[])(void) = {a_false_condition_fails, another_number_fails, another_text_fails,
                                   no_text_fails};
  RUN(a_true_check_passes);
  must(checks_end() == 0 && checks_now.tests == 1);
  for (int i = 0; i < 4; i++) {
    const int failed = checks_now.failed_tests;
    run_test(failing[i], "failing");
    must(checks_now.failed_tests == failed + 1 && checks_now.failures == 1);
  }
  RUN(all_failures_are_counted);
  must(checks_now.failures == 2);
  RUN(a_skipped_test_passes);
  must(checks_now.failures == 0 && checks_now.skipped != NULL);
  RUN(leave_an_error);
  RUN(an_error_of_the_test_before_is_cleared);
  must(checks_now.failures == 0);
  must(checks_end() == 1);
  return 0;
}
