/* units_other.c: a source file that uses the kit and does not hold its implementation. */
#include "units_other.h"

int other_check(int number) {
  MXERR_CHECK_GE(number, 0, "ValueError: negative");
  return 0;
}

const mxerr_record *other_peek(void) { return mxerr_record_peek(); }

void other_clear(void) { mxerr_record_clear(); }
