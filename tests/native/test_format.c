/* test_format.c: the standard text form of a record. */
#include <stdlib.h>

#include "check.h"

static int fail_plain(void) { MXERR_FAIL("plain"); }
static int fail_kind(void) { MXERR_FAIL("ValueError: %s", "stated"); }
static int fail_empty(const char *empty) { MXERR_FAIL("%s", empty); }

static int check(int x) {
  MXERR_CHECK(x == 1 || x == 2, "neither");
  MXERR_CHECK_EQ(x, 2, "ValueError: not two");
  return 0;
}

static int outer(int x) {
  MXERR_TRY(check(x));
  return 0;
}

static char *format_now(const char *default_kind) {
  const size_t size = mxerr_record_format(error_now(), default_kind, NULL, 0);
  char *text = malloc(size + 1);
  if (text == NULL) abort();
  EXPECT_NUMBER(size, mxerr_record_format(error_now(), default_kind, text, size + 1));
  EXPECT_NUMBER(size, strlen(text));
  return text;
}

/* The text up to the frames, which hold file names of this build. */
static void expect_head(const char *head, const char *default_kind) {
  char *text = format_now(default_kind), *end = strstr(text, "\nStack trace:\n");
  EXPECT(end != NULL);
  if (end != NULL) *end = '\0';
  EXPECT_TEXT(head, text);
  free(text);
}

static void kind_check_and_message_follow_each_other(void) {
  fail_plain();
  expect_head("plain", NULL);
  expect_head("MXNetError: plain", "MXNetError");
  fail_kind();
  expect_head("ValueError: stated", NULL);
  expect_head("ValueError: stated", "MXNetError");
  check(3);
  expect_head("Check failed: x == 1 || x == 2: neither", NULL);
  check(1);
  expect_head("ValueError: Check failed: x == 2 (1 vs. 2) : not two", "MXNetError");
  fail_empty("");
  expect_head("", NULL);
  expect_head("", "");
}

static void frames_follow_from_the_innermost_outwards(void) {
  char expected[1024], *text;
  outer(1);
  text = format_now(NULL);
  snprintf(expected, sizeof expected,
           "\nStack trace:\n  File \"%s\", line %d, in check\n  File \"%s\", line %d, in outer\n",
           mxerr_text(error_now(), error_now()->frames[0].file), (int)error_now()->frames[0].line,
           mxerr_text(error_now(), error_now()->frames[1].file), (int)error_now()->frames[1].line);
  EXPECT(strlen(text) > strlen(expected));
  EXPECT_TEXT(expected, text + strlen(text) - strlen(expected));
  free(text);
}

static int descend(int depth) {
  MXERR_CHECK_GT(depth, 0, "ValueError: bottom");
  MXERR_TRY(descend(depth - 1));
  return 0;
}

static void omitted_frames_have_a_line_in_their_place(void) {
  char expected[100], *text, *line;
  uint32_t lines = 0;
  EXPECT_NUMBER(MXERR_FAILURE, descend(499));
  text = format_now(NULL);
  snprintf(expected, sizeof expected, "  File \"<native>\", line 0, in [%u C frames omitted]\n",
           (unsigned)(500 - MXERR_FRAMES_MAX));
  line = strstr(text, expected);
  EXPECT(line != NULL);
  for (char *c = strstr(text, "trace:\n"); c != NULL && line != NULL && c < line; c++) lines += *c == '\n';
  EXPECT_NUMBER(MXERR_FRAMES_MAX / 2 + 1, lines);
  free(text);
}

static void a_text_is_cut_to_the_buffer(void) {
  char *whole, *buffer;
  size_t size;
  check(1);
  whole = format_now("MXNetError");
  size = strlen(whole);
  buffer = malloc(size + 2);
  if (buffer == NULL) abort();
  for (size_t room = 0; room <= size + 1; room++) {
    const size_t kept = room == 0 ? 0 : room - 1 < size ? room - 1 : size;
    memset(buffer, '~', size + 2);
    EXPECT_NUMBER(size, mxerr_record_format(error_now(), "MXNetError", buffer, room));
    EXPECT(strncmp(whole, buffer, kept) == 0);
    if (room > 0) EXPECT(buffer[kept] == '\0');
    EXPECT(buffer[room] == '~');
  }
  free(whole);
  free(buffer);
}

static void formatting_reads_nothing(void) {
  char *text;
  fail_plain();
  text = format_now(NULL);
  EXPECT(mxerr_record_read() != NULL);
  free(text);
}

int main(void) {
  RUN(kind_check_and_message_follow_each_other);
  RUN(frames_follow_from_the_innermost_outwards);
  RUN(omitted_frames_have_a_line_in_their_place);
  RUN(a_text_is_cut_to_the_buffer);
  RUN(formatting_reads_nothing);
  return checks_end();
}
