/* axis.h: axes that users give, which may count from the end. */
#ifndef MXERR_AXIS_H
#define MXERR_AXIS_H

#include "../op.h"

/* Makes an axis count from 0; IndexError where an array with `ndim` dimensions has no such axis. */
int mx_axis_resolve(const mx_call *call, int64_t axis, int ndim, int *out);

/* Marks the axes of a list in `chosen`; IndexError as above, ValueError where one is repeated. */
int mx_axes_resolve(const mx_call *call, const mx_shape *axes, int ndim, bool chosen[MX_MAX_NDIM]);

/* The elements of an array as (before, along, after) an axis: it is before * along * after of them. */
typedef struct mx_axis_split {
  int64_t before, along, after;
} mx_axis_split;

mx_axis_split mx_axis_split_of(const mx_shape *shape, int axis);

#endif
