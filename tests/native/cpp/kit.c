/* kit.c: holds the implementation of mxerr.h, as C, and a function that fails in C. */
#define MXERR_IMPLEMENTATION
#include "mxerr/mxerr.h"

int fail_in_c(int a);

static int check(int a) {
  MXERR_CHECK_EQ(a, 2, "ValueError: in C, a is %d. " MXERR_LOCAL("twice", "%d"), a, 2 * a);
  return 0;
}

int fail_in_c(int a) {
  MXERR_TRY(check(a));
  return 0;
}
