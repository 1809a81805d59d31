/* test_quiet.c: functions that destructors call leave an error alone that still waits to be read. */
#include "check.h"

static int fail(int number) { MXERR_FAIL("ValueError: number %d", number); }
static int api(int number) { MXERR_API(fail(number)); }

static int release(int status) {
  if (status != 0) MXERR_FAIL("RuntimeError: cannot release");
  return 0;
}

static int api_release(int status) { MXERR_API_QUIET(release(status)); }

/* A destructor that runs another one from inside, and one that has a failure of its own and handles it. */
static int release_both(int status) {
  MXERR_TRY(api_release(status));
  return 0;
}

static int api_release_both(int status) { MXERR_API_QUIET(release_both(status)); }

static int release_and_handle(int status) {
  if (MXERR_FAILED(release(status))) mxerr_record_clear();
  return 0;
}

static int api_release_and_handle(int status) { MXERR_API_QUIET(release_and_handle(status)); }

static int release_and_use_records(int status) {
  mxerr_record other = {.state = MXERR_RAISED};
  EXPECT_NUMBER(MXERR_FAILURE, release(status));
  EXPECT(mxerr_record_peek() == NULL);
  EXPECT(mxerr_record_take() == NULL);
  EXPECT(mxerr_record_read() == NULL);
  EXPECT_NUMBER(0, mxerr_pack_record(NULL, 0));
  mxerr_record_set_code(99);
  mxerr_record_add_attribute("a", "b", 1);
  mxerr_record_set(&other);
  mxerr_record_set(NULL);
  MXERR_FAIL("RuntimeError: cannot use records");
}

static int api_release_and_use_records(int status) { MXERR_API_QUIET(release_and_use_records(status)); }

static void expect_first_error(void) {
  EXPECT_TEXT("ValueError", kind_now());
  EXPECT_TEXT("number 1", message_now());
  EXPECT_NUMBER(2, error_now()->frame_count);
  EXPECT(!error_now()->has_code);
  EXPECT_NUMBER(0, error_now()->attribute_count);
  EXPECT_NUMBER(MXERR_READY, error_now()->state);
}

static void a_failure_leaves_a_waiting_error_alone(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(MXERR_FAILURE, api_release(1));
  expect_first_error();
  EXPECT_NUMBER(0, api_release(0));
  expect_first_error();
}

static void so_does_a_nested_failure(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(MXERR_FAILURE, api_release_both(1));
  expect_first_error();
  EXPECT_NUMBER(0, api_release_both(0));
  EXPECT_NUMBER(MXERR_FAILURE, api_release(1));
  expect_first_error();
}

static void so_does_a_failure_that_is_handled(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(0, api_release_and_handle(1));
  expect_first_error();
}

static void records_are_out_of_reach_meanwhile(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(MXERR_FAILURE, api_release_and_use_records(1));
  expect_first_error();
}

static int fail_and_release(int number) {
  if (MXERR_FAILED(fail(number))) {
    api_release(1);
    return MXERR_FAILURE;
  }
  return 0;
}

static void an_error_on_its_way_out_is_left_alone_too(void) {
  EXPECT_NUMBER(MXERR_FAILURE, fail_and_release(5));
  EXPECT_TEXT("number 5", message_now());
  EXPECT_NUMBER(2, error_now()->frame_count);
  EXPECT_NUMBER(MXERR_RAISED, error_now()->state);
}

static void without_a_waiting_error_the_failure_is_told(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api_release(1));
  EXPECT_TEXT("cannot release", message_now());
  EXPECT_TEXT("api_release", function_of(error_now(), 1));
  EXPECT_NUMBER(MXERR_READY, error_now()->state);
  EXPECT(mxerr_record_read() != NULL);
  EXPECT_NUMBER(MXERR_FAILURE, api(1)); /* an error that was read is not waiting */
  EXPECT(mxerr_record_read() != NULL);
  EXPECT_NUMBER(MXERR_FAILURE, api_release(1));
  EXPECT_TEXT("cannot release", message_now());
  EXPECT(mxerr_record_read() != NULL);
  EXPECT_NUMBER(0, api_release_and_handle(1));
  EXPECT(mxerr_record_peek() == NULL);
}

static int silent(int status) { return status; }
static int api_silent(int status) { MXERR_API_QUIET(silent(status)); }

static void a_silent_failure_is_told_likewise(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api_silent(7));
  EXPECT_TEXT("a call in api_silent failed without saying why", message_now());
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(MXERR_FAILURE, api_silent(7));
  expect_first_error();
}

static void an_error_whose_text_was_given_out_waits_no_more(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  mxerr_record_told();
  EXPECT_NUMBER(MXERR_TOLD, error_now()->state);
  EXPECT(mxerr_pack_record(NULL, 0) > 0);
  EXPECT_NUMBER(0, api_release(0));
  EXPECT_TEXT("number 1", message_now());
  EXPECT_NUMBER(MXERR_FAILURE, api_release(1));
  EXPECT_TEXT("cannot release", message_now());
  EXPECT_NUMBER(MXERR_READY, error_now()->state);
}

static void before_it_left_the_library_an_error_is_not_told(void) {
  EXPECT_NUMBER(MXERR_FAILURE, fail(1));
  mxerr_record_told();
  EXPECT_NUMBER(MXERR_RAISED, error_now()->state);
  EXPECT(mxerr_record_read() != NULL);
  mxerr_record_told();
  EXPECT_NUMBER(MXERR_READ, error_now()->state);
}

int main(void) {
  RUN(a_failure_leaves_a_waiting_error_alone);
  RUN(so_does_a_nested_failure);
  RUN(so_does_a_failure_that_is_handled);
  RUN(records_are_out_of_reach_meanwhile);
  RUN(an_error_on_its_way_out_is_left_alone_too);
  RUN(without_a_waiting_error_the_failure_is_told);
  RUN(a_silent_failure_is_told_likewise);
  RUN(an_error_whose_text_was_given_out_waits_no_more);
  RUN(before_it_left_the_library_an_error_is_not_told);
  return checks_end();
}
