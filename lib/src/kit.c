/* kit.c: the one file that holds the implementation of mxerr.h. */
#define MXERR_IMPLEMENTATION
#include "mxerr/mxerr.h"
