/*
 * ndarray.h: arrays and the handles that name them.
 *
 * An array is dense, in C order, and counted: it lives as long as its handle or a borrower of it. Who reads or
 * writes its elements outside of an operator waits for its variable first (engine.h). A handle is a number that is never used twice, so that one that was freed is recognised.
 */
#ifndef MXERR_NDARRAY_H
#define MXERR_NDARRAY_H

#include <stdatomic.h>

#include "dtype.h"
#include "mxerr/c_api.h"
#include "var.h"

/* A shape, or a list of axes. `ndim` is -1 for Python's None. */
typedef struct mx_shape {
  int ndim;
  int64_t dim[MX_MAX_NDIM];
} mx_shape;

typedef struct mx_ndarray {
  int dtype;
  mx_shape shape;
  size_t size; /* elements */
  void *data;  /* NULL until it is allocated */
  atomic_int count;
  mx_var var;
} mx_ndarray;

/* Room for any shape printed as "[3,4,5]". */
#define MX_SHAPE_TEXT_MAX (MX_MAX_NDIM * 21 + 3)

/* Whether two shapes of arrays are the same. */
bool mx_shape_equal(const mx_shape *a, const mx_shape *b);

/* Prints a shape as MXNet does, "[3,4,5]", or "None". Returns `buffer`. */
const char *mx_shape_print(const mx_shape *shape, char buffer[MX_SHAPE_TEXT_MAX]);

/* Makes an array, of zeros, or of elements that the caller then writes. The caller owns one count of *out. */
int mx_ndarray_create(const mx_shape *shape, int dtype, bool zeros, mx_ndarray **out);

/* The same in two steps: an array that has no elements yet, and memory for them. */
int mx_ndarray_declare(const mx_shape *shape, int dtype, mx_ndarray **out);
int mx_ndarray_allocate(mx_ndarray *array, bool zeros);

/* Takes one more count. */
void mx_ndarray_retain(mx_ndarray *array);

/* Gives a count back; the last one frees. NULL is allowed. */
void mx_ndarray_release(mx_ndarray *array);

/* Gives an array a handle, which takes over the caller's count. On failure the count stays the caller's. */
int mx_handle_create(mx_ndarray *array, NDArrayHandle *out);

/* Borrows the array of a handle: the caller owns a new count of *out. */
int mx_handle_borrow(NDArrayHandle handle, mx_ndarray **out);

/* Frees a handle and its count. */
int mx_handle_free(NDArrayHandle handle);

/* What a fork needs: see fork.c. */
void mx_handles_lock(void);
void mx_handles_unlock(void);

#endif
