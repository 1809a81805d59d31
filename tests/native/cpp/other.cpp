/* other.cpp: a second translation unit with mxerr.hpp, here after mxerr.h and with the long names only. */
#include "mxerr/mxerr.h"
#include "mxerr/mxerr.hpp"

int fail_elsewhere(int size);
int fail_elsewhere(int size) {
  MXERR_CHECK_LT(size, 3) << "ValueError: elsewhere";
  return size;
}

#ifdef CHECK_EQ
#error "the short names are there without having been asked for"
#endif
