/* stack.c: joins arrays along a new axis. */
#include "joining.h"

typedef struct stack_param {
  int64_t axis;
} stack_param;

static int stack_infer_shape(mx_call *call) {
  const stack_param *param = call->param;
  const mx_shape *first = &call->inputs[0]->shape;
  mx_shape *out = &call->outputs[0].shape;
  int axis;
  MXERR_CHECK_LT(first->ndim, MX_MAX_NDIM, "ValueError: stack: the result would have too many dimensions");
  MXERR_TRY(mx_axis_resolve(call, param->axis, first->ndim + 1, &axis));
  for (int i = 1; i < call->num_inputs; i++) MXERR_TRY(mx_joining_check(call, i, -1));
  out->ndim = first->ndim + 1;
  for (int i = 0, from = 0; i < out->ndim; i++)
    out->dim[i] = i == axis ? call->num_inputs : first->dim[from++];
  return 0;
}

static int stack_forward(mx_call *call) {
  const stack_param *param = call->param;
  int axis;
  MXERR_TRY(mx_axis_resolve(call, param->axis, call->inputs[0]->shape.ndim + 1, &axis));
  MXERR_TRY(mx_joining_forward(call, axis));
  return 0;
}

static const char *const inputs[] = {"arrays"};

static const mx_param params[] = {
    {"axis", MX_PARAM_INT, offsetof(stack_param, axis), "0", "Where the new axis is in the result."},
};

const mx_op mx_op_stack = {
    .name = "stack",
    .doc = "Join arrays of one shape along a new axis.\n\n"
           "Raises\n------\n"
           "IndexError\n    If the axis is out of bounds.\n"
           "ValueError\n    If the arrays have not all the same shape, or there is none.\n"
           "NotImplementedError\n    If their types differ and one is not computed in.\n\n"
           "Examples\n--------\n"
           ">>> np.stack(([1, 2], [3, 4]), axis=1)\narray([[1, 3],\n       [2, 4]])",
    .num_inputs = MX_VARIADIC,
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(stack_param),
    .infer_shape = stack_infer_shape,
    .infer_type = mx_joining_infer_type,
    .forward = stack_forward,
    .takes_out = true,
};
