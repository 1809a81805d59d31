/* expand_dims.c: puts dimensions of length 1 into a shape. */
#include "axis.h"
#include "same_data.h"

typedef struct expand_dims_param {
  mx_shape axis;
} expand_dims_param;

static int expand_dims_infer_shape(mx_call *call) {
  const expand_dims_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  mx_shape *out = &call->outputs[0].shape;
  bool added[MX_MAX_NDIM];
  const int ndim = shape->ndim + param->axis.ndim;
  MXERR_CHECK_LE(ndim, MX_MAX_NDIM, "ValueError: expand_dims: the result would have too many dimensions");
  MXERR_TRY(mx_axes_resolve(call, &param->axis, ndim, added));
  out->ndim = ndim;
  for (int i = 0, from = 0; i < ndim; i++) out->dim[i] = added[i] ? 1 : shape->dim[from++];
  return 0;
}

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"axis", MX_PARAM_SHAPE, offsetof(expand_dims_param, axis), NULL,
     "Where the new dimensions are in the result; negative ones count from the end."},
};

const mx_op mx_op_expand_dims = {
    .name = "expand_dims",
    .doc = "Put dimensions of length 1 into the shape of an array.\n\n"
           "The result is a copy.\n\n"
           "Raises\n------\n"
           "IndexError\n    If an axis is out of bounds.\n"
           "ValueError\n    If an axis is repeated.\n\n"
           "Examples\n--------\n"
           ">>> np.expand_dims([1, 2], 0).shape\n(1, 2)",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(expand_dims_param),
    .infer_shape = expand_dims_infer_shape,
    .infer_type = mx_same_data_infer_type,
    .forward = mx_same_data_forward,
};
