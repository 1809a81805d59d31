/* arrays.h: what the tests of libmxerr share: making arrays and running operators through the C API. */
#ifndef MXERR_TESTS_ARRAYS_H
#define MXERR_TESTS_ARRAYS_H

#include <stdlib.h>

#include "check.h"
#include "mxerr/c_api.h"

/* MXNet's type flags with their sizes in bytes. */
static const struct {
  int flag;
  size_t size;
} all_dtypes[] = {{0, 4}, {1, 8}, {2, 2}, {3, 1},  {4, 4},  {5, 1},  {6, 8},
                  {7, 1}, {8, 2}, {9, 2}, {10, 4}, {11, 8}, {13, 8}, {14, 16}};
enum { DTYPES = sizeof all_dtypes / sizeof all_dtypes[0], FLOAT32 = 0, FLOAT64 = 1, UINT8 = 3 };

/* A new array; a test that has none cannot go on. */
static inline NDArrayHandle new_array(const int64_t *shape, int ndim, int dtype) {
  NDArrayHandle handle = NULL;
  if (MXNDArrayCreate(shape, ndim, dtype, &handle) != 0) {
    printf("Bail out! %s\n", MXGetLastError());
    exit(2);
  }
  return handle;
}

static inline size_t count_elements(const int64_t *shape, int ndim) {
  size_t size = 1;
  for (int i = 0; i < ndim; i++) size *= (size_t)shape[i];
  return size;
}

/* Runs an operator with one parameter, or none where `key` is NULL. */
static inline int invoke_one(const char *name, NDArrayHandle input, const char *key, const char *value,
                             NDArrayHandle *out) {
  NDArrayHandle *outputs = NULL;
  int count = 0;
  const int status =
      MXImperativeInvoke(name, input != NULL, &input, key != NULL, &key, &value, &count, &outputs);
  if (status == 0) *out = outputs[0];
  return status;
}

/* The call failed with this kind, and its message holds this text. */
static inline void expect_failure(int status, const char *kind, const char *part) {
  EXPECT_NUMBER(-1, status);
  EXPECT_TEXT(kind, kind_now());
  EXPECT(strstr(message_now(), part) != NULL);
  if (strstr(message_now(), part) == NULL) printf("# \"%s\" is not in \"%s\"\n", part, message_now());
  EXPECT(error_now()->frame_count > 0);
}

#endif
