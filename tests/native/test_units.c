/* test_units.c: all source files of a library share the record of a thread; see units_other.c. */
#include "units_other.h"

#include "check.h"

static int call_other(int number) {
  MXERR_TRY_WITH(other_check(number), MXERR_LOCAL("number", "%d"), number);
  return 0;
}

static int api(int number) { MXERR_API(call_other(number)); }

static int fail(int number) { MXERR_FAIL("ValueError: number %d", number); }

static void a_failure_in_another_file_has_frames_of_both(void) {
  EXPECT_NUMBER(0, api(1));
  EXPECT(mxerr_record_peek() == NULL);
  EXPECT_NUMBER(MXERR_FAILURE, api(-1));
  EXPECT_TEXT("other_check", function_of(error_now(), 0));
  EXPECT_TEXT("call_other", function_of(error_now(), 1));
  EXPECT(strstr(mxerr_text(error_now(), error_now()->frames[0].file), "units_other.c") != NULL);
  EXPECT(strstr(mxerr_text(error_now(), error_now()->frames[1].file), "test_units.c") != NULL);
}

static void both_files_see_the_same_record(void) {
  EXPECT_NUMBER(MXERR_FAILURE, fail(3));
  EXPECT(other_peek() == mxerr_record_peek());
  other_clear();
  EXPECT(mxerr_record_peek() == NULL);
}

int main(void) {
  RUN(a_failure_in_another_file_has_frames_of_both);
  RUN(both_files_see_the_same_record);
  return checks_end();
}
