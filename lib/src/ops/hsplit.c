/* hsplit.c: cuts an array into equal parts column by column. */
#include "splitting.h"

typedef struct hsplit_param {
  mx_sections indices_or_sections;
} hsplit_param;

static int axis_of(const mx_call *call) { return call->inputs[0]->shape.ndim > 1 ? 1 : 0; }

static int hsplit_infer_shape(mx_call *call) {
  const hsplit_param *param = call->param;
  const int ndim = call->inputs[0]->shape.ndim;
  MXERR_CHECK_GE(ndim, 1, "ValueError: hsplit: only works on arrays of 1 or more dimensions");
  MXERR_TRY(mx_split_infer_shape(call, &param->indices_or_sections, axis_of(call), true));
  return 0;
}

static int hsplit_forward(mx_call *call) {
  const hsplit_param *param = call->param;
  MXERR_TRY(mx_split_forward(call, &param->indices_or_sections, axis_of(call)));
  return 0;
}

static const char *const inputs[] = {"ary"};

static const mx_param params[] = {
    {"indices_or_sections", MX_PARAM_SECTIONS, offsetof(hsplit_param, indices_or_sections), NULL,
     MX_SPLIT_SECTIONS_DOC},
};

const mx_op mx_op_hsplit = {
    .name = "hsplit",
    .doc =
        "Cut an array into parts column by column; a number of parts must divide it equally.\n\n"
        "Raises\n------\n"
        "ValueError\n    If the array has fewer than 1 dimensions, or the number of parts is not positive or "
        "does not divide the length.\n\n"
        "Examples\n--------\n"
        ">>> np.hsplit([[1, 2]], 2)\n[array([[1]]), array([[2]])]",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .many_outputs = true,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(hsplit_param),
    .infer_shape = hsplit_infer_shape,
    .infer_type = mx_split_infer_type,
    .forward = hsplit_forward,
};
