/* invoke.c: takes a call of an operator through its stages. */
#include "op.h"

static int parse(mx_call *call, int count, const char *const *keys, const char *const *values, void *param) {
  const mx_op *op = call->op;
  MXERR_CHECK_EQ(call->num_inputs, op->num_inputs, "TypeError: %s: wrong number of inputs", op->name);
  MXERR_TRY(mx_params_parse(op, count, keys, values, param));
  call->param = param;
  call->num_outputs = op->num_outputs;
  for (int i = 0; i < call->num_outputs; i++) call->outputs[i] = NULL;
  return 0;
}

static int allocate(mx_call *call) {
  for (int i = 0; i < call->num_outputs; i++)
    MXERR_TRY(mx_ndarray_create(&call->output_shapes[i], call->output_dtypes[i], false, &call->outputs[i]));
  return 0;
}

static void release_outputs(mx_call *call) {
  for (int i = 0; i < call->num_outputs; i++) {
    mx_ndarray_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
}

int mx_invoke(mx_call *call, int num_params, const char *const *keys, const char *const *values) {
  _Alignas(max_align_t) char param[MX_MAX_PARAM_SIZE];
  const mx_op *op = call->op;
  MXERR_TRY(parse(call, num_params, keys, values, param));
  MXERR_TRY(op->infer_shape(call));
  MXERR_TRY(op->infer_type(call));
  if (MXERR_FAILED(allocate(call)) || MXERR_FAILED(op->forward(call))) {
    release_outputs(call);
    return MXERR_FAILURE;
  }
  return 0;
}
