/* fuzz_npy.c: the contents of .npy files; what can be loaded is saved and loaded again, and is the same. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mxerr/c_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds) {
  if (!holds) abort();
}

/* A file in memory, and the path under which this process finds it. */
static int new_file(char path[64]) {
  const int file = memfd_create("fuzz", 0);
  expect(file >= 0);
  snprintf(path, 64, "/proc/self/fd/%d", file);
  return file;
}

static int load(const char *path, NDArrayHandle *out) {
  static const char *const keys[] = {"file"};
  NDArrayHandle *outputs = NULL;
  int count = 0;
  if (MXImperativeInvoke("load", 0, NULL, 1, keys, &path, &count, &outputs) != 0) return -1;
  expect(count == 1);
  *out = outputs[0];
  return 0;
}

static void save(NDArrayHandle array, const char *path) {
  static const char *const keys[] = {"file"};
  NDArrayHandle *outputs = NULL;
  int count = 1;
  expect(MXImperativeInvoke("save", 1, &array, 1, keys, &path, &count, &outputs) == 0 && count == 0);
}

static void expect_same(NDArrayHandle a, NDArrayHandle b) {
  int64_t shape[2][MX_MAX_NDIM], elements = 1;
  int ndim[2], dtype[2];
  expect(MXNDArrayGetShape(a, &ndim[0], shape[0]) == 0 && MXNDArrayGetShape(b, &ndim[1], shape[1]) == 0);
  expect(MXNDArrayGetDType(a, &dtype[0]) == 0 && MXNDArrayGetDType(b, &dtype[1]) == 0);
  expect(dtype[0] == dtype[1] && ndim[0] == ndim[1]);
  for (int i = 0; i < ndim[0]; i++) {
    expect(shape[0][i] == shape[1][i]);
    if (shape[0][i] == 0) return;
  }
  for (int i = 0; i < ndim[0]; i++) elements *= shape[0][i];
  char *contents[2] = {calloc((size_t)elements, 16), calloc((size_t)elements, 16)};
  expect(contents[0] != NULL && contents[1] != NULL);
  expect(MXNDArraySyncCopyToCPU(a, contents[0], (size_t)elements) == 0);
  expect(MXNDArraySyncCopyToCPU(b, contents[1], (size_t)elements) == 0);
  expect(memcmp(contents[0], contents[1], (size_t)elements * 16) == 0);
  free(contents[0]);
  free(contents[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char folder[] = "/tmp/fuzz_npy.XXXXXX";
  static char copy[64];
  char path[64];
  NDArrayHandle first, second;
  if (copy[0] == '\0') {
    expect(mkdtemp(folder) != NULL);
    snprintf(copy, sizeof copy, "%s/a.npy", folder);
  }
  const int file = new_file(path);
  expect(write(file, data, size) == (ssize_t)size);
  if (load(path, &first) == 0) {
    save(first, copy);
    expect(load(copy, &second) == 0);
    expect_same(first, second);
    expect(MXNDArrayFree(first) == 0 && MXNDArrayFree(second) == 0);
    remove(copy);
  } else {
    expect(strlen(MXGetLastError()) > 0);
  }
  close(file);
  return 0;
}
