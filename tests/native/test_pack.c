/* test_pack.c: the packed form of a record, read back as a reader in another language does. */
#include <stdlib.h>

#include "check.h"

static int fail_bare(void) { MXERR_FAIL("plain"); }

static int check(int x, const char *text) {
  MXERR_CHECK_EQ(x, 2, "ValueError: %s " MXERR_LOCAL("text", "%s"), text, text);
  return 0;
}

static int outer(int x, const char *text) {
  MXERR_TRY(check(x, text));
  return 0;
}

static int api(int x, const char *text) { MXERR_API(outer(x, text)); }

/* ---- a reader ---- */

typedef struct packed {
  char *data;
  size_t size, at;
  mxerr_packed numbers;
} packed;

static packed pack(void) {
  packed p = {NULL, mxerr_pack_record(NULL, 0), sizeof(mxerr_packed), {0}};
  EXPECT(p.size > sizeof p.numbers);
  p.data = malloc(p.size + 1);
  if (p.data == NULL || p.size < sizeof p.numbers) abort();
  p.data[p.size] = '~';
  EXPECT_NUMBER(p.size, mxerr_pack_record(p.data, p.size));
  EXPECT(p.data[p.size] == '~');
  memcpy(&p.numbers, p.data, sizeof p.numbers);
  EXPECT_NUMBER(MXERR_ABI, p.numbers.abi);
  return p;
}

static void expect_next(packed *p, const char *text) {
  const char *found = p->data + p->at;
  EXPECT_TEXT(text, found);
  p->at += strlen(found) + 1;
}

static void expect_bytes(packed *p, const void *bytes, uint32_t size) {
  uint32_t found;
  memcpy(&found, p->data + p->at, sizeof found);
  EXPECT_NUMBER(size, found);
  p->at += sizeof found;
  EXPECT(size == 0 || memcmp(bytes, p->data + p->at, size) == 0);
  p->at += size;
}

static void expect_message(packed *p, const char *message) {
  EXPECT_NUMBER(sizeof p->numbers + p->numbers.texts_size, p->at);
  EXPECT_NUMBER(strlen(message), p->numbers.message_size);
  EXPECT(memcmp(message, p->data + p->at, p->numbers.message_size) == 0);
  p->at += p->numbers.message_size;
}

static void expect_end(packed *p) {
  EXPECT_NUMBER(p->size, p->at);
  free(p->data);
}

static const char *place(uint32_t frame, const char *names) {
  static char text[2048];
  const mxerr_record *record = error_now();
  snprintf(text, sizeof text, "%s\x1f%s\x1f%d%s", mxerr_text(record, record->frames[frame].file),
           mxerr_text(record, record->frames[frame].function), (int)record->frames[frame].line, names);
  return text;
}

/* ---- tests ---- */

static void every_part_of_a_record_is_packed(void) {
  packed p;
  EXPECT_NUMBER(MXERR_FAILURE, api(1, "a\nb"));
  mxerr_record_set_code(-7);
  mxerr_record_add_attribute("url", "a\0b", 3);
  mxerr_record_add_attribute("empty", "", 0);
  p = pack();
  EXPECT_NUMBER(0, p.numbers.truncated);
  EXPECT_NUMBER(1, p.numbers.has_code);
  EXPECT_NUMBER(-7, p.numbers.code);
  EXPECT_NUMBER(3, p.numbers.frame_count);
  EXPECT_NUMBER(0, p.numbers.frames_omitted);
  EXPECT_NUMBER(2, p.numbers.attribute_count);
  expect_next(&p, "ValueError");
  expect_next(&p, "x == 2");
  expect_next(&p, "1");
  expect_next(&p, "2");
  expect_next(&p, place(0, "\x1fx\x1ftext"));
  expect_next(&p, "1\037a\nb");
  expect_next(&p, place(1, ""));
  expect_next(&p, "");
  expect_next(&p, place(2, ""));
  expect_next(&p, "");
  expect_next(&p, "url");
  expect_next(&p, "empty");
  expect_message(&p, "a\nb ");
  expect_bytes(&p, "a\0b", 3);
  expect_bytes(&p, "", 0);
  expect_end(&p);
}

static void absent_parts_are_empty_texts(void) {
  packed p;
  EXPECT_NUMBER(MXERR_FAILURE, fail_bare());
  p = pack();
  EXPECT_NUMBER(0, p.numbers.has_code);
  for (int i = 0; i < 4; i++) expect_next(&p, "");
  expect_next(&p, place(0, ""));
  expect_next(&p, "");
  expect_message(&p, "plain");
  expect_end(&p);
}

static int fail_separators(void) { MXERR_FAIL("%c%c" MXERR_LOCAL("v", "%s"), '\0', '\x1f', "a\037b"); }

static void separators_in_texts_are_blanks(void) {
  packed p;
  EXPECT_NUMBER(MXERR_FAILURE, fail_separators());
  p = pack();
  for (int i = 0; i < 4; i++) expect_next(&p, "");
  expect_next(&p, place(0, "\x1fv"));
  expect_next(&p, "a b");
  EXPECT_NUMBER(2, p.numbers.message_size); /* the message has a size and keeps its bytes */
  EXPECT(memcmp("\0\x1f", p.data + p.at, 2) == 0);
  free(p.data);
}

static void an_error_is_packed_once(void) {
  char buffer[4096];
  EXPECT_NUMBER(0, mxerr_pack_record(buffer, sizeof buffer));
  EXPECT_NUMBER(MXERR_FAILURE, api(1, "x"));
  EXPECT(mxerr_pack_record(buffer, sizeof buffer) > 0);
  EXPECT_NUMBER(0, mxerr_pack_record(buffer, sizeof buffer));
  EXPECT(mxerr_record_read() == NULL);
  EXPECT_NUMBER(MXERR_FAILURE, api(1, "x"));
  EXPECT(mxerr_record_read() != NULL);
  EXPECT_NUMBER(0, mxerr_pack_record(buffer, sizeof buffer));
}

static void a_buffer_that_is_too_small_leaves_the_error_unread(void) {
  char *buffer;
  size_t size;
  EXPECT_NUMBER(MXERR_FAILURE, api(1, "x"));
  size = mxerr_pack_record(NULL, 0);
  EXPECT_NUMBER(size, mxerr_pack_record(NULL, SIZE_MAX));
  EXPECT_NUMBER(MXERR_READY, error_now()->state);
  buffer = malloc(size + 1);
  if (buffer == NULL) abort();
  for (size_t less = 1; less <= size; less++) {
    memset(buffer, '~', size + 1);
    EXPECT_NUMBER(size, mxerr_pack_record(buffer, size - less));
    EXPECT(buffer[size - less] == '~');
    EXPECT_NUMBER(MXERR_READY, error_now()->state);
  }
  EXPECT_NUMBER(size, mxerr_pack_record(buffer, size));
  EXPECT_NUMBER(MXERR_READ, error_now()->state);
  free(buffer);
}

static int descend(int depth) {
  MXERR_CHECK_GT(depth, 0, "ValueError: bottom");
  MXERR_TRY_WITH(descend(depth - 1), MXERR_LOCAL("depth", "%d"), depth);
  return 0;
}

static void omitted_frames_are_counted(void) {
  packed p;
  EXPECT_NUMBER(MXERR_FAILURE, descend(499));
  p = pack();
  EXPECT_NUMBER(MXERR_FRAMES_MAX, p.numbers.frame_count);
  EXPECT_NUMBER(500 - MXERR_FRAMES_MAX, p.numbers.frames_omitted);
  for (int i = 0; i < 4; i++) expect_next(&p, i == 0 ? "ValueError" : i == 1 ? "depth > 0" : "0");
  for (uint32_t i = 0; i < MXERR_FRAMES_MAX; i++) {
    expect_next(&p, place(i, "\037depth"));
    expect_next(&p, value_of(error_now(), i, "depth"));
  }
  expect_message(&p, "bottom");
  expect_end(&p);
}

int main(void) {
  RUN(every_part_of_a_record_is_packed);
  RUN(absent_parts_are_empty_texts);
  RUN(separators_in_texts_are_blanks);
  RUN(an_error_is_packed_once);
  RUN(a_buffer_that_is_too_small_leaves_the_error_unread);
  RUN(omitted_frames_are_counted);
  return checks_end();
}
