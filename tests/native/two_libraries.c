/* two_libraries.c: a library with the kit; test_two_libraries.c loads two of it, which differ in LIBRARY. */
#define MXERR_IMPLEMENTATION
#include "mxerr/mxerr.h"

/* both libraries export this name, too */
MXERR_EXPORT int library_fail(int number);

static int fail(int number) { MXERR_FAIL("ValueError: %s, number %d", LIBRARY, number); }
int library_fail(int number) { MXERR_API(fail(number)); }
