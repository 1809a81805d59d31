/* split.c: cuts an array into equal parts along an axis. */
#include "splitting.h"

typedef struct split_param {
  mx_sections indices_or_sections;
  int64_t axis;
} split_param;

static int resolve(const mx_call *call, int *axis) {
  const split_param *param = call->param;
  const int ndim = call->inputs[0]->shape.ndim;
  MXERR_CHECK_GT(ndim, 0, "ValueError: split: an array without dimensions cannot be cut");
  MXERR_TRY(mx_axis_resolve(call, param->axis, ndim, axis));
  return 0;
}

static int split_infer_shape(mx_call *call) {
  const split_param *param = call->param;
  int axis;
  MXERR_TRY(resolve(call, &axis));
  MXERR_TRY(mx_split_infer_shape(call, &param->indices_or_sections, axis, true));
  return 0;
}

static int split_forward(mx_call *call) {
  const split_param *param = call->param;
  int axis;
  MXERR_TRY(resolve(call, &axis));
  MXERR_TRY(mx_split_forward(call, &param->indices_or_sections, axis));
  return 0;
}

static const char *const inputs[] = {"ary"};

static const mx_param params[] = {
    {"indices_or_sections", MX_PARAM_SECTIONS, offsetof(split_param, indices_or_sections), NULL,
     MX_SPLIT_SECTIONS_DOC},
    {"axis", MX_PARAM_INT, offsetof(split_param, axis), "0", "The axis that is cut."},
};

const mx_op mx_op_split = {
    .name = "split",
    .doc = "Cut an array into parts along an axis; a number of parts must divide it equally.\n\n"
           "Raises\n------\n"
           "IndexError\n    If the axis is out of bounds.\n"
           "ValueError\n    If the number of parts is not positive or does not divide the length.\n\n"
           "Examples\n--------\n"
           ">>> np.split([1, 2, 3, 4], 2)\n[array([1, 2]), array([3, 4])]",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .many_outputs = true,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(split_param),
    .infer_shape = split_infer_shape,
    .infer_type = mx_split_infer_type,
    .forward = split_forward,
};
