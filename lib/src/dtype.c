/* dtype.c: the table of element types. */
#include "dtype.h"

#include <string.h>

static const struct {
  int dtype;
  size_t size;
  const char *name;
} mx_dtypes[] = {
    {MX_FLOAT32, 4, "float32"},     {MX_FLOAT64, 8, "float64"},
    {MX_FLOAT16, 2, "float16"},     {MX_UINT8, 1, "uint8"},
    {MX_INT32, 4, "int32"},         {MX_INT8, 1, "int8"},
    {MX_INT64, 8, "int64"},         {MX_BOOL, 1, "bool"},
    {MX_INT16, 2, "int16"},         {MX_UINT16, 2, "uint16"},
    {MX_UINT32, 4, "uint32"},       {MX_UINT64, 8, "uint64"},
    {MX_COMPLEX64, 8, "complex64"}, {MX_COMPLEX128, 16, "complex128"},
};

enum { MX_NUM_DTYPES = sizeof mx_dtypes / sizeof mx_dtypes[0] };

size_t mx_dtype_size(int dtype) {
  for (int i = 0; i < MX_NUM_DTYPES; i++)
    if (mx_dtypes[i].dtype == dtype) return mx_dtypes[i].size;
  return 0;
}

const char *mx_dtype_name(int dtype) {
  for (int i = 0; i < MX_NUM_DTYPES; i++)
    if (mx_dtypes[i].dtype == dtype) return mx_dtypes[i].name;
  return NULL;
}

int mx_dtype_from_name(const char *name) {
  for (int i = 0; i < MX_NUM_DTYPES; i++)
    if (strcmp(mx_dtypes[i].name, name) == 0) return mx_dtypes[i].dtype;
  return -1;
}

int mx_dtype_names(const char *out[MX_MAX_DTYPES]) {
  _Static_assert((int)MX_NUM_DTYPES <= (int)MX_MAX_DTYPES, "room for all");
  for (int i = 0; i < MX_NUM_DTYPES; i++) out[i] = mx_dtypes[i].name;
  return MX_NUM_DTYPES;
}
