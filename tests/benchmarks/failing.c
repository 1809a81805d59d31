/* failing.c: a library whose call fails three functions deep, with values, and one that never fails. */
#define MXERR_IMPLEMENTATION
#include "mxerr/mxerr.h"

#include <stdio.h>

static char last_error[256];

static int innermost(int index, int size) {
  MXERR_CHECK_LT(index, size, "ValueError: index out of bounds. " MXERR_VALUE("index", "%d"), index);
  return 0;
}

static int middle(int index) {
  MXERR_TRY_WITH(innermost(index, 3), MXERR_LOCAL("index", "%d") MXERR_LOCAL("step", "%d"), index, 1);
  return 0;
}

static int outermost(int index) {
  MXERR_TRY_WITH(middle(index), MXERR_LOCAL("index", "%d"), index);
  return 0;
}

MXERR_EXPORT int fail_with_record(int index);
int fail_with_record(int index) { return outermost(index); }

/* What a library without the kit does: a text, and a status. */
MXERR_EXPORT int fail_with_text(int index);
int fail_with_text(int index) {
  if (index < 3) return 0;
  snprintf(last_error, sizeof last_error, "index out of bounds. index = %d", index);
  return -1;
}

MXERR_EXPORT const char *get_last_error(void);
const char *get_last_error(void) { return last_error; }
