/* dsplit.c: cuts an array into equal parts along the third axis. */
#include "splitting.h"

typedef struct dsplit_param {
  mx_sections indices_or_sections;
} dsplit_param;

static int axis_of(const mx_call *call) { return (void)call, 2; }

static int dsplit_infer_shape(mx_call *call) {
  const dsplit_param *param = call->param;
  const int ndim = call->inputs[0]->shape.ndim;
  MXERR_CHECK_GE(ndim, 3, "ValueError: dsplit: only works on arrays of 3 or more dimensions");
  MXERR_TRY(mx_split_infer_shape(call, &param->indices_or_sections, axis_of(call), true));
  return 0;
}

static int dsplit_forward(mx_call *call) {
  const dsplit_param *param = call->param;
  MXERR_TRY(mx_split_forward(call, &param->indices_or_sections, axis_of(call)));
  return 0;
}

static const char *const inputs[] = {"ary"};

static const mx_param params[] = {
    {"indices_or_sections", MX_PARAM_SECTIONS, offsetof(dsplit_param, indices_or_sections), NULL,
     MX_SPLIT_SECTIONS_DOC},
};

const mx_op mx_op_dsplit = {
    .name = "dsplit",
    .doc =
        "Cut an array into parts along the third axis; a number of parts must divide it equally.\n\n"
        "Raises\n------\n"
        "ValueError\n    If the array has fewer than 3 dimensions, or the number of parts is not positive or "
        "does not divide the length.\n\n"
        "Examples\n--------\n"
        ">>> np.dsplit([[[1, 2]]], 2)\n[array([[[1]]]), array([[[2]]])]",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .many_outputs = true,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(dsplit_param),
    .infer_shape = dsplit_infer_shape,
    .infer_type = mx_split_infer_type,
    .forward = dsplit_forward,
};
