/* transpose.c: permutes the axes of an array. */
#include "strided.h"

typedef struct transpose_param {
  mx_shape axes; /* from infer_shape on: the input's axis for each axis of the output, counted from 0 */
} transpose_param;

/* ---- infer_shape ---- */

/* A set of axes: a bit for each. */
typedef struct axis_set {
  uint64_t bits;
  int size;
} axis_set;

static axis_set axis_set_of(const mx_shape *axes) {
  axis_set set = {0, 0};
  for (int i = 0; i < axes->ndim; i++) {
    const uint64_t bit = (uint64_t)1 << axes->dim[i];
    set.size += (set.bits & bit) == 0;
    set.bits |= bit;
  }
  return set;
}

static mx_shape reversed_axes(int ndim) {
  mx_shape axes = {.ndim = ndim};
  for (int i = 0; i < ndim; i++) axes.dim[i] = ndim - 1 - i;
  return axes;
}

/* Makes axes count from 0, and checks that an array with `ndim` dimensions has them. */
static int canonicalize_axes(const mx_shape *given, int ndim, mx_shape *axes) {
  axes->ndim = given->ndim;
  for (int i = 0; i < given->ndim; i++) {
    const long long axis = given->dim[i];
    MXERR_CHECK(axis >= -ndim && axis < ndim,
                "axes[%d]=%lld exceeds the range [%d, %d)" MXERR_LOCAL("axis", "%lld")
                    MXERR_LOCAL("ndim", "%d"),
                i, axis, -ndim, ndim, axis, ndim);
    axes->dim[i] = axis < 0 ? axis + ndim : axis;
  }
  return 0;
}

static int transpose_infer_shape(mx_call *call) {
  transpose_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  const int ndim = shape->ndim;
  mx_shape axes = reversed_axes(ndim);
  char text[MX_SHAPE_TEXT_MAX], shape_text[MX_SHAPE_TEXT_MAX];
  if (param->axes.ndim >= 0) {
    MXERR_CHECK_EQ(ndim, param->axes.ndim,
                   "The number of axes does not match the dimension of the tensor. " MXERR_VALUE(
                       "param.axes", "%s") ", " MXERR_VALUE("shape", "%s"),
                   mx_shape_print(&param->axes, text), mx_shape_print(shape, shape_text));
    MXERR_TRY_WITH(canonicalize_axes(&param->axes, ndim, &axes),
                   MXERR_LOCAL("param.axes", "%s") MXERR_LOCAL("shape", "%s"),
                   mx_shape_print(&param->axes, text), mx_shape_print(shape, shape_text));
    const axis_set axes_set = axis_set_of(&axes);
    MXERR_CHECK_EQ(axes_set.size, axes.ndim,
                   "ValueError: Repeated axis in transpose. " MXERR_VALUE("param.axes", "%s"),
                   mx_shape_print(&param->axes, text));
  }
  param->axes = axes;
  call->outputs[0].shape.ndim = ndim;
  for (int i = 0; i < ndim; i++) call->outputs[0].shape.dim[i] = shape->dim[axes.dim[i]];
  return 0;
}

static int transpose_infer_type(mx_call *call) {
  call->outputs[0].dtype = call->inputs[0]->dtype;
  return 0;
}

/* ---- forward ---- */

static int transpose_forward(mx_call *call) {
  const transpose_param *param = call->param;
  const mx_ndarray *in = call->inputs[0];
  int64_t strides[MX_MAX_NDIM];
  mx_view view = {.ndim = param->axes.ndim};
  mx_strides_of(&in->shape, strides);
  for (int i = 0; i < view.ndim; i++) {
    view.size[i] = in->shape.dim[param->axes.dim[i]];
    view.stride[i] = strides[param->axes.dim[i]];
  }
  mx_copy_view(&view, mx_dtype_size(in->dtype), in->data, call->outputs[0].array->data);
  return 0;
}

/* ---- descriptor ---- */

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"axes", MX_PARAM_SHAPE_OR_NONE, offsetof(transpose_param, axes), "None",
     "For each axis of the result, the axis of `a` it comes from; negative ones count from the end. None "
     "reverses the axes."},
};

const mx_op mx_op_transpose = {
    .name = "transpose",
    .doc = "Permute the axes of an array.\n\n"
           "The result is a copy.\n\n"
           "Raises\n------\n"
           "ValueError\n    If an axis is repeated.\n"
           "MXNetError\n    If an axis is out of range, or the number of axes is not that of `a`.",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(transpose_param),
    .infer_shape = transpose_infer_shape,
    .infer_type = transpose_infer_type,
    .forward = transpose_forward,
};
