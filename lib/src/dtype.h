/* dtype.h: element types, by MXNet's type flags. */
#ifndef MXERR_DTYPE_H
#define MXERR_DTYPE_H

#include "mxerr/mxerr.h"

/* The flags of MXNet; the two complex types are additions at the end. */
typedef enum mx_dtype {
  MX_FLOAT32 = 0,
  MX_FLOAT64 = 1,
  MX_FLOAT16 = 2,
  MX_UINT8 = 3,
  MX_INT32 = 4,
  MX_INT8 = 5,
  MX_INT64 = 6,
  MX_BOOL = 7,
  MX_INT16 = 8,
  MX_UINT16 = 9,
  MX_UINT32 = 10,
  MX_UINT64 = 11,
  MX_COMPLEX64 = 13,
  MX_COMPLEX128 = 14
} mx_dtype;

/* Bytes of one element; 0 where `dtype` is no type flag. */
size_t mx_dtype_size(int dtype);

/* NumPy's name of the type; NULL where `dtype` is no type flag. */
const char *mx_dtype_name(int dtype);

/* Writes the names of all types; returns how many there are. */
enum { MX_MAX_DTYPES = 16 };
int mx_dtype_names(const char *out[MX_MAX_DTYPES]);

/* The type flag of a name, or -1. */
int mx_dtype_from_name(const char *name);

#endif
