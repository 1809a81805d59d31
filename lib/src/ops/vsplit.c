/* vsplit.c: cuts an array into equal parts row by row. */
#include "splitting.h"

typedef struct vsplit_param {
  mx_sections indices_or_sections;
} vsplit_param;

static int axis_of(const mx_call *call) { return (void)call, 0; }

static int vsplit_infer_shape(mx_call *call) {
  const vsplit_param *param = call->param;
  const int ndim = call->inputs[0]->shape.ndim;
  MXERR_CHECK_GE(ndim, 2, "ValueError: vsplit: only works on arrays of 2 or more dimensions");
  MXERR_TRY(mx_split_infer_shape(call, &param->indices_or_sections, axis_of(call), true));
  return 0;
}

static int vsplit_forward(mx_call *call) {
  const vsplit_param *param = call->param;
  MXERR_TRY(mx_split_forward(call, &param->indices_or_sections, axis_of(call)));
  return 0;
}

static const char *const inputs[] = {"ary"};

static const mx_param params[] = {
    {"indices_or_sections", MX_PARAM_SECTIONS, offsetof(vsplit_param, indices_or_sections), NULL,
     MX_SPLIT_SECTIONS_DOC},
};

const mx_op mx_op_vsplit = {
    .name = "vsplit",
    .doc =
        "Cut an array into parts row by row; a number of parts must divide it equally.\n\n"
        "Raises\n------\n"
        "ValueError\n    If the array has fewer than 2 dimensions, or the number of parts is not positive or "
        "does not divide the length.\n\n"
        "Examples\n--------\n"
        ">>> np.vsplit([[1], [2]], 2)\n[array([[1]]), array([[2]])]",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .many_outputs = true,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(vsplit_param),
    .infer_shape = vsplit_infer_shape,
    .infer_type = mx_split_infer_type,
    .forward = vsplit_forward,
};
