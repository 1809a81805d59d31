/* units_other.h: the other source file of test_units.c. */
#ifndef MXERR_TESTS_UNITS_OTHER_H
#define MXERR_TESTS_UNITS_OTHER_H

#include "mxerr/mxerr.h"

int other_check(int number);
const mxerr_record *other_peek(void);
void other_clear(void);

#endif
