/* axis.c: see axis.h. */
#include "axis.h"

int mx_axis_resolve(const mx_call *call, int64_t axis, int ndim, int *out) {
  MXERR_CHECK(axis >= -ndim && axis < ndim,
              "IndexError: %s: " MXERR_VALUE(
                  "axis", "%lld") " is out of bounds for an array with " MXERR_VALUE("ndim", "%d"),
              call->op->name, (long long)axis, ndim);
  *out = (int)(axis < 0 ? axis + ndim : axis);
  return 0;
}

int mx_axes_resolve(const mx_call *call, const mx_shape *axes, int ndim, bool chosen[MX_MAX_NDIM]) {
  char text[MX_SHAPE_TEXT_MAX];
  for (int i = 0; i < MX_MAX_NDIM; i++) chosen[i] = false;
  for (int i = 0; i < axes->ndim; i++) {
    int axis;
    MXERR_TRY(mx_axis_resolve(call, axes->dim[i], ndim, &axis));
    MXERR_CHECK(!chosen[axis], "ValueError: %s: an axis is repeated. " MXERR_VALUE("axis", "%s"),
                call->op->name, mx_shape_print(axes, text));
    chosen[axis] = true;
  }
  return 0;
}

mx_axis_split mx_axis_split_of(const mx_shape *shape, int axis) {
  mx_axis_split split = {1, shape->dim[axis], 1};
  for (int i = 0; i < axis; i++) split.before *= shape->dim[i];
  for (int i = axis + 1; i < shape->ndim; i++) split.after *= shape->dim[i];
  return split;
}
