/* test_room.c: more frames and more values than there is room for. */
#include "check.h"

#define HEAD (MXERR_FRAMES_MAX / 2)

static int fail(void) { MXERR_FAIL("ValueError: the first"); }

/* ---- frames ---- */

static int descend(int depth) {
  MXERR_CHECK_GT(depth, 0, "ValueError: the bottom");
  MXERR_TRY_WITH(descend(depth - 1), MXERR_LOCAL("depth", "%d"), depth);
  return 0;
}

static int bounce_back(int depth);

static int bounce(int depth) {
  MXERR_CHECK_GT(depth, 0, "ValueError: the bottom");
  MXERR_TRY(bounce_back(depth - 1));
  return 0;
}

static int bounce_back(int depth) {
  MXERR_CHECK_GT(depth, 0, "ValueError: the bottom");
  MXERR_TRY(bounce(depth - 1));
  return 0;
}

static void of_many_frames_the_first_and_the_last_are_kept(void) {
  for (int depth = 0; depth <= 500; depth += depth < 2 * (int)MXERR_FRAMES_MAX ? 1 : 31) {
    const uint32_t frames = (uint32_t)depth + 1;
    EXPECT_NUMBER(MXERR_FAILURE, descend(depth));
    EXPECT_NUMBER(frames < MXERR_FRAMES_MAX ? frames : MXERR_FRAMES_MAX, error_now()->frame_count);
    EXPECT_NUMBER(frames - error_now()->frame_count, error_now()->frames_omitted);
    EXPECT_TEXT("the bottom", message_now());
    for (uint32_t i = 0; i < error_now()->frame_count; i++) {
      char expected[16];
      snprintf(expected, sizeof expected, "%u", (unsigned)(i < HEAD ? i : i + error_now()->frames_omitted));
      EXPECT_TEXT("descend", function_of(error_now(), i));
      EXPECT_TEXT(expected, value_of(error_now(), i, "depth"));
    }
  }
}

static void a_mutual_recursion_keeps_its_order(void) {
  EXPECT_NUMBER(MXERR_FAILURE, bounce(501));
  EXPECT_TEXT("bounce_back", function_of(error_now(), 0));
  EXPECT_NUMBER(502 - MXERR_FRAMES_MAX, error_now()->frames_omitted);
  for (uint32_t i = 0; i < error_now()->frame_count; i++) {
    const uint32_t number = i < HEAD ? i : i + error_now()->frames_omitted;
    EXPECT_TEXT(number % 2 == 0 ? "bounce_back" : "bounce", function_of(error_now(), i));
  }
}

/* As the macros call it: each frame has other names and values than all others. */
static void leave_with_names(int number) {
  char function[32], file[32];
  snprintf(function, sizeof function, "function_%d", number);
  snprintf(file, sizeof file, "file_%d.c", number);
  mxerr_leave(file, number, function, MXERR_LOCAL("number", "%d") "filler" MXERR_LOCAL("text", "%0100d"),
              number, number);
}

static void names_and_values_of_dropped_frames_give_their_room_back(void) {
  fail();
  mxerr_record_add_attribute("early", "before the frames", 17);
  for (int i = 1; i < 1000; i++) {
    leave_with_names(i);
    if (i == 2 * (int)MXERR_FRAMES_MAX) mxerr_record_add_attribute("late", "amid the frames", 15);
  }
  EXPECT_NUMBER(MXERR_FRAMES_MAX, error_now()->frame_count);
  EXPECT_NUMBER(1000 - MXERR_FRAMES_MAX, error_now()->frames_omitted);
  EXPECT_TEXT("the first", message_now());
  EXPECT_TEXT("fail", function_of(error_now(), 0));
  for (uint32_t i = 1; i < MXERR_FRAMES_MAX; i++) {
    const unsigned number = i < HEAD ? i : i + error_now()->frames_omitted;
    char expected[32];
    snprintf(expected, sizeof expected, "function_%u", number);
    EXPECT_TEXT(expected, function_of(error_now(), i));
    snprintf(expected, sizeof expected, "file_%u.c", number);
    EXPECT_TEXT(expected, mxerr_text(error_now(), error_now()->frames[i].file));
    EXPECT_NUMBER(number, error_now()->frames[i].line);
    snprintf(expected, sizeof expected, "%u", number);
    EXPECT_TEXT(expected, value_of(error_now(), i, "number"));
    EXPECT_NUMBER(100, strlen(value_of(error_now(), i, "text")));
  }
  EXPECT(!error_now()->truncated);
  EXPECT_NUMBER(2, error_now()->attribute_count);
  EXPECT_TEXT("before the frames", mxerr_text(error_now(), error_now()->attributes[0].text));
  EXPECT_TEXT("late", mxerr_text(error_now(), error_now()->attributes[1].name));
  EXPECT_TEXT("amid the frames", mxerr_text(error_now(), error_now()->attributes[1].text));
}

static void a_function_named_like_its_file_is_dropped_once(void) {
  fail();
  for (int i = 0; i < 200; i++) mxerr_leave("x", i, i % 3 == 0 ? "x" : "y", NULL);
  for (uint32_t i = 1; i < error_now()->frame_count; i++) {
    EXPECT_TEXT("x", mxerr_text(error_now(), error_now()->frames[i].file));
    EXPECT_TEXT(error_now()->frames[i].line % 3 == 0 ? "x" : "y", function_of(error_now(), i));
  }
}

/* ---- values ---- */

static int leave_with_long_values(int depth, const char *text) {
  MXERR_CHECK_GT(depth, 0, "ValueError: the bottom");
  MXERR_TRY_WITH(leave_with_long_values(depth - 1, text), MXERR_LOCAL("a", "%s") MXERR_LOCAL("b", "%s"), text,
                 text);
  return 0;
}

static void expect_room_for_names(const char *file, const char *function) {
  uint32_t last;
  EXPECT(error_now()->truncated);
  mxerr_leave(file, 1, function, NULL);
  last = error_now()->frame_count - 1;
  EXPECT_TEXT(function, function_of(error_now(), last));
  EXPECT_TEXT(file, mxerr_text(error_now(), error_now()->frames[last].file));
}

static void values_and_attributes_leave_room_for_the_names_of_later_frames(void) {
  static char text[MXERR_TEXT_MAX];
  memset(text, 'x', 900);
  EXPECT_NUMBER(MXERR_FAILURE, leave_with_long_values(MXERR_FRAMES_MAX - 2, text));
  expect_room_for_names("next.c", "the_next_function");
  for (size_t size = MXERR_TEXT_MAX; error_now()->attribute_count == 0; size--) /* the largest that fits */
    mxerr_record_add_attribute("a", text, size);
  expect_room_for_names("last.c", "the_last_function");
}

/* clang-format off */
#define TEN_LOCALS                                                                                 \
  MXERR_LOCAL("a", "%d") MXERR_LOCAL("b", "%d") MXERR_LOCAL("c", "%d") MXERR_LOCAL("d", "%d") MXERR_LOCAL("e", "%d") \
  MXERR_LOCAL("f", "%d") MXERR_LOCAL("g", "%d") MXERR_LOCAL("h", "%d") MXERR_LOCAL("i", "%d") MXERR_LOCAL("j", "%d")
/* clang-format on */

static int leave_with_many_values(int depth) {
  MXERR_CHECK_GT(depth, 0, "ValueError: the bottom");
  MXERR_TRY_WITH(leave_with_many_values(depth - 1), TEN_LOCALS, 1, 2, 3, 4, 5, 6, 7, 8, 9, depth);
  return 0;
}

static void too_many_values_are_dropped_and_that_is_said(void) {
  EXPECT_NUMBER(MXERR_FAILURE, leave_with_many_values(MXERR_VALUES_MAX));
  EXPECT(error_now()->truncated);
  EXPECT(error_now()->value_count <= MXERR_VALUES_MAX);
  EXPECT_TEXT("1", value_of(error_now(), 1, "a"));
  EXPECT_TEXT("1", value_of(error_now(), 1, "j")); /* of the innermost call that has values */
  for (uint32_t i = 0; i < error_now()->frame_count; i++) {
    const mxerr_frame *frame = &error_now()->frames[i];
    EXPECT(frame->first_value + frame->value_count <= error_now()->value_count);
  }
}

int main(void) {
  RUN(of_many_frames_the_first_and_the_last_are_kept);
  RUN(a_mutual_recursion_keeps_its_order);
  RUN(names_and_values_of_dropped_frames_give_their_room_back);
  RUN(a_function_named_like_its_file_is_dropped_once);
  RUN(values_and_attributes_leave_room_for_the_names_of_later_frames);
  RUN(too_many_values_are_dropped_and_that_is_said);
  return checks_end();
}
