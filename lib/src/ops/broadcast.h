/* broadcast.h: shapes that are stretched to each other, and walks over several arrays at once. */
#ifndef MXERR_BROADCAST_H
#define MXERR_BROADCAST_H

#include "../op.h"

/* Writes the shape that NumPy broadcasts the inputs to; ValueError where they do not fit. */
int mx_broadcast_shape(const mx_call *call, mx_shape *out);

/*
 * A walk over a shape in C order with up to three arrays that are broadcast to it: strides in elements, 0
 * along what is stretched. Dimensions of length 1 are left out, and those that run on are joined.
 */
typedef struct mx_walk {
  int ndim; /* at least 1 */
  int arrays;
  int64_t size[MX_MAX_NDIM];
  int64_t stride[3][MX_MAX_NDIM];
} mx_walk;

/* Makes the walk of the first `arrays` inputs of a call over a shape that has elements. */
mx_walk mx_walk_of(const mx_call *call, int arrays, const mx_shape *shape);

/*
 * Calls `row` for each run along the last dimension: `count` elements, of which array i has its own at
 * at[i] + k * stride[i]; `out` counts the elements before it.
 */
typedef void mx_row(void *context, int64_t count, const int64_t *at, const int64_t *stride, int64_t out);
void mx_walk_rows(const mx_walk *walk, mx_row *row, void *context);

#endif
