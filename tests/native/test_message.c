/* test_message.c: from a format to a message: the kind, and the marked values. */
#include <wchar.h>

#include "check.h"

/* ---- the kind ---- */

static int fail_text(const char *text) { MXERR_FAIL("%s", text); }
static int fail_kind(void) { MXERR_FAIL("ValueError: too %s", "small"); }
static int fail_dotted_kind(void) { MXERR_FAIL("my.lib2.Bad_Error: x"); }
static int fail_no_kind(void) { MXERR_FAIL("the first word: is no kind"); }
static int fail_no_space(void) { MXERR_FAIL("a:b"); }
static int fail_scope(void) { MXERR_FAIL("ns::name is bad"); }
static int fail_only_kind(void) { MXERR_FAIL("KeyError: "); }
static int fail_colon_at_end(void) { MXERR_FAIL("KeyError:"); }
static int fail_digit(void) { MXERR_FAIL("2Error: x"); }
static int fail_percent(void) { MXERR_FAIL("100%%: full"); }
static int fail_user_kind(const char *text) { MXERR_FAIL("%s: x", text); }
static int fail_twice(void) { MXERR_FAIL("ValueError: TypeError: x"); }
static int fail_empty(const char *empty) { MXERR_FAIL("%s", empty); }

static int check_kind(int number) {
  MXERR_CHECK(number > 0, "IndexError: %d", number);
  MXERR_CHECK_LT(number, 10, "KeyError: %d", number);
  return 0;
}

static void expect_error(int status, const char *kind, const char *message) {
  EXPECT_NUMBER(MXERR_FAILURE, status);
  EXPECT_TEXT(kind, kind_now());
  EXPECT_TEXT(message, message_now());
  EXPECT(!error_now()->truncated);
}

static void the_kind_is_split_off(void) {
  expect_error(fail_kind(), "ValueError", "too small");
  expect_error(fail_dotted_kind(), "my.lib2.Bad_Error", "x");
  expect_error(fail_only_kind(), "KeyError", "");
  expect_error(fail_twice(), "ValueError", "TypeError: x");
  expect_error(check_kind(0), "IndexError", "0");
  expect_error(check_kind(11), "KeyError", "11");
}

static void what_is_no_kind_stays_in_the_message(void) {
  expect_error(fail_no_kind(), "", "the first word: is no kind");
  expect_error(fail_no_space(), "", "a:b");
  expect_error(fail_scope(), "", "ns::name is bad");
  expect_error(fail_colon_at_end(), "", "KeyError:");
  expect_error(fail_digit(), "", "2Error: x");
  expect_error(fail_percent(), "", "100%: full");
  expect_error(fail_empty(""), "", "");
}

static void a_kind_in_an_argument_is_not_believed(void) {
  expect_error(fail_text("ValueError: x"), "", "ValueError: x");
  expect_error(fail_user_kind("ValueError"), "", "ValueError: x");
}

/* ---- marked values ---- */

static int fail_value(const char *axes) {
  MXERR_FAIL("ValueError: Repeated axis. " MXERR_VALUE("param.axes", "%s"), axes);
}

static int fail_values(const char *a, int b, const char *c) {
  MXERR_FAIL(MXERR_LOCAL("c", "%s") MXERR_VALUE("a", "%s") ", " MXERR_VALUE("b", "%d") " end", c, a, b);
}

static int fail_position(const char *a, const char *b) {
  MXERR_FAIL("%s: " MXERR_VALUE("b", "%s") MXERR_LOCAL("a", "%s"), a, b, a);
}

static void marked_values_are_in_the_message_and_in_the_frame(void) {
  expect_error(fail_value("[0,0,1]"), "ValueError", "Repeated axis. param.axes = [0,0,1]");
  EXPECT_TEXT("[0,0,1]", value_of(error_now(), 0, "param.axes"));
  expect_error(fail_values("x", 2, "hidden"), "", "a = x, b = 2 end");
  EXPECT_TEXT("x", value_of(error_now(), 0, "a"));
  EXPECT_TEXT("2", value_of(error_now(), 0, "b"));
  EXPECT_TEXT("hidden", value_of(error_now(), 0, "c"));
  EXPECT_NUMBER(3, error_now()->frames[0].value_count);
}

static void an_empty_value_is_a_value(void) {
  expect_error(fail_value(""), "ValueError", "Repeated axis. param.axes = ");
  EXPECT_TEXT("", value_of(error_now(), 0, "param.axes"));
}

static void arguments_do_not_mark(void) {
  /* 0xfc to 0xff, in octal, as hexadecimal escapes have no end */
  static const char *const hostile[] = {"\374",
                                        "\375",
                                        "\376",
                                        "\377",
                                        "\376xyz\3751\377",
                                        "\374xyz\3751\377",
                                        "\377\377",
                                        "\375\377",
                                        "\376a\375",
                                        "\377\376x\375",
                                        "\376\374\376",
                                        "a\377b\375c",
                                        "\376b\375",
                                        "\377 end",
                                        "M\374ller und S\375hne \377",
                                        "\374\375\376\377"};
  for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
    const char *text = hostile[i];
    char expected[200];
    expect_error(fail_text(text), "", text);
    EXPECT_NUMBER(0, error_now()->value_count);
    snprintf(expected, sizeof expected, "a = %s, b = 2 end", text);
    expect_error(fail_values(text, 2, text), "", expected);
    EXPECT_NUMBER(3, error_now()->value_count);
    EXPECT_TEXT(text, value_of(error_now(), 0, "a"));
    EXPECT_TEXT("2", value_of(error_now(), 0, "b"));
    EXPECT_TEXT(text, value_of(error_now(), 0, "c"));
    snprintf(expected, sizeof expected, "%s: b = %s", text, text);
    expect_error(fail_position(text, text), "", expected);
    EXPECT_TEXT(text, value_of(error_now(), 0, "a"));
    EXPECT_TEXT(text, value_of(error_now(), 0, "b"));
  }
}

static int fail_broken_marks(int which) {
  switch (which) {
    case 0: MXERR_FAIL("\376a");      /* no separator */
    case 1: MXERR_FAIL("\376a\3751"); /* not closed */
    case 2: MXERR_FAIL("1\377");
    case 3: MXERR_FAIL("\375\377\376");
    case 4: MXERR_FAIL("%c\376a\3751\377", 'x');
    default: MXERR_FAIL("\376\375\377"); /* a value without a name is only printed */
  }
}

static void a_broken_mark_does_no_harm(void) {
  expect_error(fail_broken_marks(0), "", "\376a");
  expect_error(fail_broken_marks(1), "", "\376a\3751");
  expect_error(fail_broken_marks(2), "", "1\377");
  expect_error(fail_broken_marks(3), "", "\375\377\376");
  expect_error(fail_broken_marks(4), "", "xa = 1");
  expect_error(fail_broken_marks(5), "", " = ");
  EXPECT_NUMBER(0, error_now()->value_count);
}

/* ---- a text from elsewhere ---- */

static void a_text_from_elsewhere_is_no_format(void) {
  mxerr_fail_text("f.py", 7, "g", "KeyError: 100%s %n \376a\3751\377");
  expect_error(MXERR_FAILURE, "KeyError", "100%s %n \376a\3751\377");
  EXPECT_NUMBER(0, error_now()->value_count);
  EXPECT_TEXT("g", function_of(error_now(), 0));
  mxerr_fail_text("f.py", 7, "g", "");
  expect_error(MXERR_FAILURE, "", "");
}

/* ---- wide characters ---- */

static int fail_wide(const wchar_t *wide) {
  MXERR_FAIL("ValueError: wide " MXERR_VALUE("w", "%ls") " end", wide);
}

static void a_wide_text_that_cannot_be_printed_leaves_the_format(void) {
  expect_error(fail_wide(L"plain"), "ValueError", "wide w = plain end");
  EXPECT_NUMBER(MXERR_FAILURE, fail_wide(L"\x20ac"));
  EXPECT_TEXT("wide w = %ls end", message_now());
  EXPECT_TEXT("%ls", value_of(error_now(), 0, "w"));
}

int main(void) {
  RUN(the_kind_is_split_off);
  RUN(what_is_no_kind_stays_in_the_message);
  RUN(a_kind_in_an_argument_is_not_believed);
  RUN(marked_values_are_in_the_message_and_in_the_frame);
  RUN(an_empty_value_is_a_value);
  RUN(arguments_do_not_mark);
  RUN(a_broken_mark_does_no_harm);
  RUN(a_text_from_elsewhere_is_no_format);
  RUN(a_wide_text_that_cannot_be_printed_leaves_the_format);
  return checks_end();
}
