/* concatenate.c: joins arrays along an axis. */
#include "joining.h"

typedef struct concatenate_param {
  int64_t axis;
} concatenate_param;

static int concatenate_infer_shape(mx_call *call) {
  const concatenate_param *param = call->param;
  const mx_shape *first = &call->inputs[0]->shape;
  mx_shape *out = &call->outputs[0].shape;
  int axis;
  MXERR_CHECK_GT(first->ndim, 0, "ValueError: concatenate: arrays without dimensions cannot be joined");
  MXERR_TRY(mx_axis_resolve(call, param->axis, first->ndim, &axis));
  *out = *first;
  for (int i = 1; i < call->num_inputs; i++) {
    MXERR_TRY(mx_joining_check(call, i, axis));
    out->dim[axis] += call->inputs[i]->shape.dim[axis];
  }
  return 0;
}

static int concatenate_forward(mx_call *call) {
  const concatenate_param *param = call->param;
  int axis;
  MXERR_TRY(mx_axis_resolve(call, param->axis, call->inputs[0]->shape.ndim, &axis));
  MXERR_TRY(mx_joining_forward(call, axis));
  return 0;
}

static const char *const inputs[] = {"arrays"};

static const mx_param params[] = {
    {"axis", MX_PARAM_INT, offsetof(concatenate_param, axis), "0", "The axis along which the arrays follow."},
};

const mx_op mx_op_concatenate = {
    .name = "concatenate",
    .doc = "Join arrays along an axis.\n\n"
           "Raises\n------\n"
           "IndexError\n    If the axis is out of bounds.\n"
           "ValueError\n    If the arrays differ in dimensions other than the axis, or there is none.\n"
           "NotImplementedError\n    If their types differ and one is not computed in.\n\n"
           "Examples\n--------\n"
           ">>> np.concatenate(([1, 2], [3]))\narray([1, 2, 3])",
    .num_inputs = MX_VARIADIC,
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(concatenate_param),
    .infer_shape = concatenate_infer_shape,
    .infer_type = mx_joining_infer_type,
    .forward = concatenate_forward,
    .takes_out = true,
};
