/*
 * check.h: what the C tests share: checks that are counted and go on, and a report in TAP, which meson reads.
 *
 * A test is a function whose name is its sentence; main lists them: RUN(a_sentence); return checks_end();
 */
#ifndef MXERR_TESTS_CHECK_H
#define MXERR_TESTS_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mxerr/mxerr.h"

/* ---- checks; for the main thread only, as they count ---- */

typedef struct checks {
  int tests, failed_tests, failures; /* failures: of the running test */
  const char *skipped;               /* why, for the running test */
} checks;

static checks checks_now;

static inline void check_true(bool holds, const char *condition, const char *file, int line) {
  if (holds) return;
  checks_now.failures++;
  printf("# %s:%d: expected %s\n", file, line, condition);
}

static inline void check_number(long long expected, long long actual, const char *name, const char *file,
                                int line) {
  if (expected == actual) return;
  checks_now.failures++;
  printf("# %s:%d: %s: expected %lld, got %lld\n", file, line, name, expected, actual);
}

static inline void check_text(const char *expected, const char *actual, const char *name, const char *file,
                              int line) {
  if (actual != NULL && strcmp(expected, actual) == 0) return;
  checks_now.failures++;
  printf("# %s:%d: %s: expected \"%s\", got \"%s\"\n", file, line, name, expected,
         actual ? actual : "(none)");
}

#define EXPECT(condition) check_true(condition, #condition, __FILE__, __LINE__)
#define EXPECT_NUMBER(expected, actual) \
  check_number((long long)(expected), (long long)(actual), #actual, __FILE__, __LINE__)
#define EXPECT_TEXT(expected, actual) check_text(expected, actual, #actual, __FILE__, __LINE__)

/* ---- tests ---- */

static inline void run_test(void (*test)(void), const char *name) {
  checks_now.failures = 0;
  checks_now.skipped = NULL;
  mxerr_record_clear();
  test();
  checks_now.tests++;
  checks_now.failed_tests += checks_now.failures > 0;
  printf("%s %d - %s", checks_now.failures > 0 ? "not ok" : "ok", checks_now.tests, name);
  if (checks_now.skipped != NULL) printf(" # SKIP %s", checks_now.skipped);
  printf("\n");
  fflush(stdout);
}

#define RUN(test) run_test(test, #test)

/* Leaves a test that cannot run here. */
#define SKIP(reason)             \
  do {                           \
    checks_now.skipped = reason; \
    return;                      \
  } while (0)

/* The last line of main: its exit status. */
static inline int checks_end(void) {
  printf("1..%d\n", checks_now.tests);
  return checks_now.failed_tests > 0;
}

/* ---- records ---- */

/* The current error, or an empty one, so that a test that expects one fails and goes on. */
static inline const mxerr_record *error_now(void) {
  static mxerr_record none; /* never written */
  const mxerr_record *record = mxerr_record_peek();
  return record != NULL ? record : &none;
}

static inline const char *message_now(void) { return mxerr_text(error_now(), error_now()->message); }
static inline const char *kind_now(void) { return mxerr_text(error_now(), error_now()->kind); }

/* The function of a frame, NULL where there is no such frame. Frame 0 is the one that failed. */
static inline const char *function_of(const mxerr_record *record, uint32_t frame) {
  return frame < record->frame_count ? mxerr_text(record, record->frames[frame].function) : NULL;
}

/* The value of that name in a frame, NULL where it has none. */
static inline const char *value_of(const mxerr_record *record, uint32_t frame, const char *name) {
  if (frame >= record->frame_count) return NULL;
  for (uint32_t i = 0; i < record->frames[frame].value_count; i++) {
    const mxerr_value *value = &record->values[record->frames[frame].first_value + i];
    if (strcmp(mxerr_text(record, value->name), name) == 0) return mxerr_text(record, value->text);
  }
  return NULL;
}

#endif
