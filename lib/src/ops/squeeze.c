/* squeeze.c: takes dimensions of length 1 out of a shape. */
#include "axis.h"
#include "same_data.h"

typedef struct squeeze_param {
  mx_shape axis;
} squeeze_param;

static int check_squeezed(const mx_call *call, const bool *squeezed) {
  const mx_shape *shape = &call->inputs[0]->shape;
  char text[MX_SHAPE_TEXT_MAX];
  for (int i = 0; i < shape->ndim; i++)
    MXERR_CHECK(!squeezed[i] || shape->dim[i] == 1,
                "ValueError: squeeze: an axis to take out must have length 1. " MXERR_VALUE(
                    "axis", "%d") ", " MXERR_VALUE("shape", "%s"),
                i, mx_shape_print(shape, text));
  return 0;
}

static int squeeze_infer_shape(mx_call *call) {
  const squeeze_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  mx_shape *out = &call->outputs[0].shape;
  bool squeezed[MX_MAX_NDIM];
  if (param->axis.ndim < 0) {
    for (int i = 0; i < shape->ndim; i++) squeezed[i] = shape->dim[i] == 1;
  } else {
    MXERR_TRY(mx_axes_resolve(call, &param->axis, shape->ndim, squeezed));
    MXERR_TRY(check_squeezed(call, squeezed));
  }
  out->ndim = 0;
  for (int i = 0; i < shape->ndim; i++)
    if (!squeezed[i]) out->dim[out->ndim++] = shape->dim[i];
  return 0;
}

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"axis", MX_PARAM_SHAPE_OR_NONE, offsetof(squeeze_param, axis), "None",
     "The dimensions to take out; None takes out all of length 1."},
};

const mx_op mx_op_squeeze = {
    .name = "squeeze",
    .doc = "Take dimensions of length 1 out of the shape of an array.\n\n"
           "The result is a copy.\n\n"
           "Raises\n------\n"
           "IndexError\n    If an axis is out of bounds.\n"
           "ValueError\n    If an axis is repeated, or has another length than 1.\n\n"
           "Examples\n--------\n"
           ">>> np.squeeze([[[1, 2]]]).shape\n(2,)",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(squeeze_param),
    .infer_shape = squeeze_infer_shape,
    .infer_type = mx_same_data_infer_type,
    .forward = mx_same_data_forward,
};
