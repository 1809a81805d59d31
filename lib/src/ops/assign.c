/* assign.c: the operator behind a[key] = value and a += b, which there is not: only `out` changes an array. */
#include "../op.h"

static int assign_infer_shape(mx_call *call) {
  char text[MX_SHAPE_TEXT_MAX];
  MXERR_FAIL("NotImplementedError: assign: an array cannot be changed in place; make a new one. " MXERR_VALUE(
                 "a.shape", "%s"),
             mx_shape_print(&call->inputs[0]->shape, text));
}

static int assign_infer_type(mx_call *call) {
  (void)call;
  return 0;
}

static const char *const inputs[] = {"a", "value"};

const mx_op mx_op_assign = {
    .name = "assign",
    .doc = "Change an array in place: what `a[key] = value` and `a += b` call.\n\n"
           "Raises\n------\n"
           "NotImplementedError\n    Always: an array changes only as the `out` of an operator.",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .infer_shape = assign_infer_shape,
    .infer_type = assign_infer_type,
    .forward = assign_infer_type,
};
