/* test_record.c: the life of a record: raised, ready, read; taken, set, cleared; and what it carries. */
#include <errno.h>
#include <stdlib.h>

#include "check.h"

static int fail(int number) { MXERR_FAIL("ValueError: number %d", number); }
static int silent(int status) { return status; }
static int outer(int number) {
  MXERR_TRY(fail(number));
  return 0;
}
static int outer_silent(int status) {
  MXERR_TRY(silent(status));
  return 0;
}
static int api(int number) { MXERR_API(outer(number)); }
static int api_silent(int status) { MXERR_API(silent(status)); }
static int api_outer_silent(int status) { MXERR_API(outer_silent(status)); }
static int api_success(void) { MXERR_API(silent(0)); }

/* ---- states ---- */

static void there_is_no_error_at_first(void) {
  EXPECT(mxerr_record_peek() == NULL);
  EXPECT(mxerr_record_read() == NULL);
  EXPECT(mxerr_record_take() == NULL);
  EXPECT_NUMBER(0, mxerr_pack_record(NULL, 0));
}

static void an_error_is_read_once_and_stays_visible(void) {
  const mxerr_record *record;
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(MXERR_READY, error_now()->state);
  record = mxerr_record_read();
  EXPECT(record != NULL && record == mxerr_record_peek());
  EXPECT(mxerr_record_read() == NULL);
  EXPECT_TEXT("number 1", message_now());
  EXPECT_NUMBER(0, api_success());
  EXPECT_TEXT("number 1", message_now()); /* as a last-error function wants it */
  EXPECT_NUMBER(MXERR_FAILURE, api(2));
  EXPECT_TEXT("number 2", message_now());
  EXPECT(mxerr_record_read() != NULL);
}

static void a_new_error_has_nothing_of_the_one_before(void) {
  fail(1);
  mxerr_record_set_code(7);
  mxerr_record_add_attribute("a", "b", 1);
  EXPECT_NUMBER(MXERR_FAILURE, outer(2));
  EXPECT(!error_now()->has_code);
  EXPECT_NUMBER(0, error_now()->attribute_count);
  EXPECT_NUMBER(2, error_now()->frame_count);
  EXPECT_NUMBER(0, error_now()->frames_omitted);
}

static void a_failure_without_a_record_gets_one_of_its_own(void) {
  int (*const silent_calls[])(int) = {api_silent, api_outer_silent};
  const char *const texts[] = {"a call in api_silent failed without saying why",
                               "a call in outer_silent failed without saying why"};
  for (int i = 0; i < 2; i++)
    for (int earlier = 0; earlier < 3; earlier++) { /* no error, one that was read, one that was not */
      mxerr_record_clear();
      if (earlier > 0) EXPECT_NUMBER(MXERR_FAILURE, api(1));
      if (earlier == 1) EXPECT(mxerr_record_read() != NULL);
      EXPECT_NUMBER(MXERR_FAILURE, silent_calls[i](-5));
      EXPECT_TEXT(texts[i], message_now());
      EXPECT_TEXT("", kind_now());
      EXPECT_NUMBER(i + 1, error_now()->frame_count);
      EXPECT_NUMBER(MXERR_READY, error_now()->state);
    }
}

static int swallow(int number) {
  if (MXERR_FAILED(fail(number))) mxerr_record_clear();
  MXERR_TRY(silent(number));
  return 0;
}

static void a_swallowed_error_is_not_told_later(void) {
  EXPECT_NUMBER(MXERR_FAILURE, swallow(3));
  EXPECT_TEXT("a call in swallow failed without saying why", message_now());
  EXPECT_NUMBER(0, swallow(0));
  EXPECT(mxerr_record_peek() == NULL);
}

/* ---- taken and set ---- */

static int set_and_fail(const mxerr_record *record) {
  mxerr_record_set(record);
  return MXERR_FAILURE;
}

static int raise_again(const mxerr_record *record) {
  MXERR_TRY(set_and_fail(record));
  return 0;
}

static void a_taken_error_is_gone_until_it_is_set(void) {
  mxerr_record *record;
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  record = mxerr_record_take();
  EXPECT(record != NULL);
  EXPECT(mxerr_record_peek() == NULL);
  EXPECT(mxerr_record_take() == NULL);
  EXPECT_NUMBER(MXERR_FAILURE, api(2));
  EXPECT_NUMBER(MXERR_FAILURE, raise_again(record));
  EXPECT_TEXT("number 1", message_now());
  EXPECT_NUMBER(4, error_now()->frame_count); /* fail, outer, api; and raise_again */
  EXPECT_TEXT("raise_again", function_of(error_now(), 3));
  EXPECT_NUMBER(3, record->frame_count); /* it was copied */
  EXPECT_NUMBER(MXERR_FAILURE, raise_again(record));
  EXPECT_NUMBER(4, error_now()->frame_count);
  mxerr_record_free(record);
  EXPECT_TEXT("number 1", message_now());
  mxerr_record_free(NULL);
}

static void setting_nothing_clears(void) {
  fail(1);
  mxerr_record_set(NULL);
  EXPECT(mxerr_record_peek() == NULL);
}

static void the_current_error_can_be_set_again(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT(mxerr_record_read() != NULL);
  EXPECT_NUMBER(MXERR_FAILURE, raise_again(mxerr_record_peek()));
  EXPECT_TEXT("number 1", message_now());
  EXPECT_TEXT("raise_again", function_of(error_now(), error_now()->frame_count - 1));
  EXPECT(mxerr_record_read() != NULL);
}

static void an_error_that_was_read_can_be_taken_and_told_again(void) {
  mxerr_record *record;
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT(mxerr_record_read() != NULL);
  record = mxerr_record_take();
  EXPECT(record != NULL);
  mxerr_record_set(record);
  EXPECT(mxerr_record_read() != NULL);
  EXPECT_TEXT("number 1", message_now());
  mxerr_record_free(record);
}

/* ---- code and attributes ---- */

static void a_code_and_attributes_are_carried(void) {
  mxerr_record *record;
  const char bytes[] = {'\0', '\xff', '\x1f', '\n'};
  fail(1);
  mxerr_record_set_code(INT64_MIN);
  mxerr_record_add_attribute("bytes", bytes, sizeof bytes);
  mxerr_record_add_attribute("nothing", NULL, 0);
  record = mxerr_record_take();
  mxerr_record_set(record);
  mxerr_record_free(record);
  EXPECT(error_now()->has_code);
  EXPECT_NUMBER(INT64_MIN, error_now()->code);
  EXPECT_NUMBER(2, error_now()->attribute_count);
  EXPECT_TEXT("bytes", mxerr_text(error_now(), error_now()->attributes[0].name));
  EXPECT_NUMBER(sizeof bytes, error_now()->attributes[0].text.size);
  EXPECT(memcmp(bytes, mxerr_text(error_now(), error_now()->attributes[0].text), sizeof bytes) == 0);
  EXPECT_NUMBER(0, error_now()->attributes[1].text.size);
  EXPECT(!error_now()->truncated);
}

static void without_an_unread_error_there_is_nothing_to_carry_them(void) {
  mxerr_record_set_code(1);
  mxerr_record_add_attribute("a", "b", 1);
  EXPECT(mxerr_record_peek() == NULL);
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT(mxerr_record_read() != NULL);
  mxerr_record_set_code(1);
  mxerr_record_add_attribute("a", "b", 1);
  EXPECT(!error_now()->has_code);
  EXPECT_NUMBER(0, error_now()->attribute_count);
}

static void attributes_that_do_not_fit_are_dropped(void) {
  static char many[2 * MXERR_TEXT_MAX];
  const size_t sizes[] = {SIZE_MAX,    SIZE_MAX - 1,   SIZE_MAX / 2,
                          sizeof many, MXERR_TEXT_MAX, MXERR_TEXT_MAX - 1};
  memset(many, 'x', sizeof many - 1);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    fail(1);
    mxerr_record_add_attribute("a", many, sizes[i]);
    EXPECT(error_now()->truncated);
    EXPECT_NUMBER(0, error_now()->attribute_count);
  }
  fail(1);
  mxerr_record_add_attribute(many, "x", 1);
  EXPECT_NUMBER(0, error_now()->attribute_count);
  fail(1);
  for (uint32_t i = 0; i < MXERR_ATTRIBUTES_MAX; i++) mxerr_record_add_attribute("a", &many[i], 1);
  EXPECT(!error_now()->truncated);
  mxerr_record_add_attribute("a", "b", 1);
  EXPECT(error_now()->truncated);
  EXPECT_NUMBER(1, error_now()->attributes_omitted);
  mxerr_record_omit_attributes(2);
  EXPECT_NUMBER(3, error_now()->attributes_omitted);
  EXPECT_NUMBER(MXERR_ATTRIBUTES_MAX, error_now()->attribute_count);
}

/* ---- errno ---- */

static int fail_after_errno(const char *text) {
  errno = ENOENT;
  MXERR_FAIL("OSError: %s %f", text, 5e-324);
}

static int check_after_errno(double x) {
  errno = ENOENT;
  MXERR_CHECK_EQ(x, 1, "denormal");
  return 0;
}

static int try_after_errno(int status) {
  errno = ENOENT;
  MXERR_TRY_WITH(silent(status), MXERR_LOCAL("status", "%d"), status);
  return 0;
}

static int api_after_errno(int status) {
  errno = ENOENT;
  MXERR_API(silent(status));
}

static void errno_is_kept(void) {
  EXPECT_NUMBER(MXERR_FAILURE, fail_after_errno("x"));
  EXPECT_NUMBER(ENOENT, errno);
  EXPECT_NUMBER(MXERR_FAILURE, check_after_errno(5e-324)); /* strtod says ERANGE */
  EXPECT_NUMBER(ENOENT, errno);
  EXPECT_NUMBER(MXERR_FAILURE, try_after_errno(1));
  EXPECT_NUMBER(ENOENT, errno);
  EXPECT_NUMBER(MXERR_FAILURE, api_after_errno(1));
  EXPECT_NUMBER(ENOENT, errno);
}

/* ---- a failure between a failure and its reading ---- */

static void expect_packed(int number) {
  char text[32];
  const size_t size = mxerr_pack_record(NULL, 0);
  char *buffer = malloc(size > 0 ? size : 1);
  EXPECT(size > 0 && buffer != NULL);
  if (buffer == NULL || size == 0) return;
  EXPECT_NUMBER((long long)size, (long long)mxerr_pack_record(buffer, size));
  snprintf(text, sizeof text, "number %d", number);
  EXPECT_TEXT(text, message_now());
  free(buffer);
}

static void an_error_waits_while_another_one_comes_and_is_read(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(MXERR_FAILURE, api(2));
  expect_packed(2);
  EXPECT_TEXT("number 2", message_now()); /* a last-error function still tells the newest */
  EXPECT_NUMBER(0, api_success());
  expect_packed(1);
  EXPECT_NUMBER(0, mxerr_pack_record(NULL, 0));
}

static void several_may_come_one_after_the_other(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  for (int number = 2; number < 5; number++) {
    EXPECT_NUMBER(MXERR_FAILURE, api(number));
    expect_packed(number);
  }
  fail(5); /* handled before it leaves the library */
  mxerr_record_clear();
  expect_packed(1);
  EXPECT(mxerr_record_read() == NULL);
}

static void an_error_that_was_told_waits_for_nobody(void) {
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  mxerr_record_told();
  EXPECT_NUMBER(MXERR_FAILURE, api(2));
  expect_packed(2);
  EXPECT_NUMBER(0, mxerr_pack_record(NULL, 0));
}

static void an_error_that_is_set_leaves_a_waiting_one_alone(void) {
  mxerr_record *taken;
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  taken = mxerr_record_take();
  EXPECT_NUMBER(MXERR_FAILURE, api(2));
  mxerr_record_set(taken);
  expect_packed(1);
  expect_packed(2);
  mxerr_record_free(taken);
}

int main(void) {
  RUN(there_is_no_error_at_first);
  RUN(an_error_is_read_once_and_stays_visible);
  RUN(a_new_error_has_nothing_of_the_one_before);
  RUN(a_failure_without_a_record_gets_one_of_its_own);
  RUN(a_swallowed_error_is_not_told_later);
  RUN(a_taken_error_is_gone_until_it_is_set);
  RUN(setting_nothing_clears);
  RUN(the_current_error_can_be_set_again);
  RUN(an_error_that_was_read_can_be_taken_and_told_again);
  RUN(a_code_and_attributes_are_carried);
  RUN(without_an_unread_error_there_is_nothing_to_carry_them);
  RUN(attributes_that_do_not_fit_are_dropped);
  RUN(errno_is_kept);
  mxerr_record_clear();
  RUN(an_error_waits_while_another_one_comes_and_is_read);
  RUN(several_may_come_one_after_the_other);
  RUN(an_error_that_was_told_waits_for_nobody);
  RUN(an_error_that_is_set_leaves_a_waiting_one_alone);
  return checks_end();
}
