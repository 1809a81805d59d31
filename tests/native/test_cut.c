/* test_cut.c: what does not fit into a record is cut, between characters, and the cut is marked. */
#include <stdlib.h>

#include "check.h"

#define CUT " ... [cut by mxerr]"

static int fail_text(const char *text) { MXERR_FAIL("%s", text); }

static char *repeat(const char *unit, size_t size) {
  char *text = malloc(size + 1);
  const size_t unit_size = strlen(unit);
  if (text == NULL) abort();
  for (size_t i = 0; i < size; i++) text[i] = unit[i % unit_size];
  text[size] = '\0';
  return text;
}

/* The longest message that is kept whole, by halving. */
static size_t capacity(void) {
  size_t whole = 0, cut = MXERR_TEXT_MAX;
  while (cut - whole > 1) {
    const size_t size = (whole + cut) / 2;
    char *text = repeat("x", size);
    EXPECT_NUMBER(MXERR_FAILURE, fail_text(text));
    if (error_now()->truncated)
      cut = size;
    else
      whole = size;
    free(text);
  }
  return whole;
}

static void expect_cut(const char *message, size_t most) {
  const size_t size = strlen(message), mark_size = strlen(CUT);
  EXPECT(error_now()->truncated);
  EXPECT(size <= most);
  EXPECT(size >= mark_size && strcmp(message + size - mark_size, CUT) == 0);
}

static void a_message_is_cut_where_it_no_longer_fits(void) {
  const size_t most = capacity();
  const long steps[] = {-1, 0, 1, 2, 1000, 1000000};
  EXPECT(most > MXERR_TEXT_MAX / 2);
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    char *text = repeat("abc", most + (size_t)steps[i]);
    EXPECT_NUMBER(MXERR_FAILURE, fail_text(text));
    if (steps[i] <= 0) {
      EXPECT(!error_now()->truncated);
      EXPECT(strcmp(text, message_now()) == 0);
    } else {
      expect_cut(message_now(), most);
      EXPECT(strncmp(text, message_now(), most - strlen(CUT)) == 0);
    }
    EXPECT_TEXT("fail_text", function_of(error_now(), 0));
    free(text);
  }
}

static bool is_utf8(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  while (*s != '\0') {
    int more = 0;
    if (*s >= 0xf5 || (*s >= 0x80 && *s < 0xc2)) return false;
    if (*s >= 0x80) more = *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
    s++;
    for (int i = 0; i < more; i++)
      if ((*s++ & 0xc0) != 0x80) return false;
  }
  return true;
}

static void no_cut_is_within_a_character(void) {
  static const char *const units[] = {"\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  const size_t most = capacity();
  for (size_t i = 0; i < 3; i++) {
    for (size_t shift = 0; shift < 4; shift++) {
      char *units_text = repeat(units[i], 2 * most - 2 * most % 12), *text = malloc(2 * most + 8);
      if (text == NULL) abort();
      snprintf(text, 2 * most + 8, "%.*s%s", (int)shift, "abc", units_text);
      EXPECT(is_utf8(text));
      EXPECT_NUMBER(MXERR_FAILURE, fail_text(text));
      expect_cut(message_now(), most);
      EXPECT(is_utf8(message_now()));
      EXPECT(strlen(message_now()) + 4 > most);
      free(text);
      free(units_text);
    }
  }
}

static void bytes_that_are_no_utf8_are_kept_and_cut_alike(void) {
  const size_t most = capacity();
  char *text = repeat("\x80", most + 10);
  EXPECT_NUMBER(MXERR_FAILURE, fail_text("\x80\xc3("));
  EXPECT_TEXT("\x80\xc3(", message_now());
  EXPECT(!error_now()->truncated);
  EXPECT_NUMBER(MXERR_FAILURE, fail_text(text));
  expect_cut(message_now(), most);
  EXPECT(strlen(message_now()) == most);
  free(text);
}

static int fail_long_value(const char *before, const char *value, const char *after) {
  MXERR_FAIL("%s" MXERR_VALUE("v", "%s") "%s" MXERR_LOCAL("after", "%s"), before, value, after, after);
}

static int fail_long_local(const char *before, const char *value, const char *after) {
  MXERR_FAIL("%s" MXERR_LOCAL("v", "%s") "%s", before, value, after);
}

/* Every place of the cut: before the value, in its marks, in its name, in its text, behind it. */
static void a_cut_leaves_no_marks(void) {
  const size_t most = capacity();
  for (size_t room = 0; room < 64; room++) {
    char *before = repeat("x", most - room);
    for (int local = 0; local < 2; local++) {
      const char *stored;
      EXPECT_NUMBER(MXERR_FAILURE, local ? fail_long_local(before, "0123456789", "tail of the message")
                                         : fail_long_value(before, "0123456789", "tail of the message"));
      EXPECT(strpbrk(message_now(), "\xfc\xfd\xfe\xff") == NULL);
      EXPECT(strlen(message_now()) <= most + 1);
      stored = value_of(error_now(), 0, "v");
      if (error_now()->truncated) expect_cut(message_now(), most + 1);
      if (stored != NULL && strcmp(stored, "0123456789") != 0) expect_cut(stored, most);
    }
    free(before);
  }
}

static void a_long_value_is_cut_in_the_frame(void) {
  char *value = repeat("0123456789", 5000);
  EXPECT_NUMBER(MXERR_FAILURE, fail_long_value("", value, ""));
  expect_cut(value_of(error_now(), 0, "v"), 1024);
  free(value);
}

/* As the macros call them: a condition longer than any that compilers must take. */
static void a_long_condition_is_cut(void) {
  const mxerr_operand one = mxerr_operand_of(1), two = mxerr_operand_of(2);
  char *condition = repeat("a+", 3000), *left = repeat("b+", 1019);
  mxerr_fail_check("f.c", 1, "f", condition, "KeyError: x");
  expect_cut(mxerr_text(error_now(), error_now()->condition), 1024);
  EXPECT_TEXT("x", message_now());
  mxerr_fail_relation("f.c", 1, "f", condition, "==", "c", one, two, "x");
  expect_cut(mxerr_text(error_now(), error_now()->condition), 1024);
  EXPECT_TEXT("2", value_of(error_now(), 0, "c"));
  mxerr_fail_relation("f.c", 1, "f", left, "==", "c", one, two, "x"); /* 1024 bytes */
  EXPECT(!error_now()->truncated);
  EXPECT_NUMBER(1024, error_now()->condition.size);
  left[1018] = '\0';
  mxerr_fail_relation("f.c", 1, "f", left, "==", "cd", one, two, "x");
  EXPECT(!error_now()->truncated);
  mxerr_fail_relation("f.c", 1, "f", left, "==", "cde", one, two, "x"); /* 1025 bytes */
  expect_cut(mxerr_text(error_now(), error_now()->condition), 1024);
  free(condition);
  free(left);
}

int main(void) {
  RUN(a_message_is_cut_where_it_no_longer_fits);
  RUN(no_cut_is_within_a_character);
  RUN(bytes_that_are_no_utf8_are_kept_and_cut_alike);
  RUN(a_cut_leaves_no_marks);
  RUN(a_long_value_is_cut_in_the_frame);
  RUN(a_long_condition_is_cut);
  return checks_end();
}
