/* strided.h: copying an array that is seen through strides into a dense one. */
#ifndef MXERR_STRIDED_H
#define MXERR_STRIDED_H

#include "../op.h"

/* What is seen: dimensions with their lengths and the strides between their elements, which may be negative. */
typedef struct mx_view {
  int ndim;
  int64_t size[MX_MAX_NDIM];
  int64_t stride[MX_MAX_NDIM];
  int64_t offset; /* of the first element */
} mx_view;

/* Writes the strides of a dense array, in elements. */
void mx_strides_of(const mx_shape *shape, int64_t strides[MX_MAX_NDIM]);

/* Copies what is seen of an array with elements of `element_size` bytes (1, 2, 4, 8 or 16) into `out`. */
void mx_copy_view(const mx_view *view, size_t element_size, const void *in, void *out);

#endif
