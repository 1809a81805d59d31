/* unsupported.c: the operator behind expressions of Python that no operator computes: it says which. */
#include "../op.h"

typedef struct unsupported_param {
  const char *expression;
} unsupported_param;

static int unsupported_infer_shape(mx_call *call) {
  const unsupported_param *param = call->param;
  char text[MX_SHAPE_TEXT_MAX];
  MXERR_FAIL("NotImplementedError: unsupported: %s is not implemented for arrays. " MXERR_VALUE("a.shape",
                                                                                                "%s"),
             param->expression, mx_shape_print(&call->inputs[0]->shape, text));
}

static int unsupported_infer_type(mx_call *call) {
  (void)call;
  return 0;
}

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"expression", MX_PARAM_TEXT, offsetof(unsupported_param, expression), NULL, "What was asked for."},
};

const mx_op mx_op_unsupported = {
    .name = "unsupported",
    .doc = "Say that an expression is not there: what `a // b`, `a & b` and others call.\n\n"
           "Raises\n------\n"
           "NotImplementedError\n    Always.",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(unsupported_param),
    .infer_shape = unsupported_infer_shape,
    .infer_type = unsupported_infer_type,
    .forward = unsupported_infer_type,
};
