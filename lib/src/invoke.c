/* invoke.c: takes a call of an operator through its stages. */
#include <stdlib.h>

#include "instrument.h"
#include "op.h"

const char *mx_stage_name(mx_stage stage) {
  static const char *const names[MX_NUM_STAGES] = {"parse", "infer_shape", "infer_type", "allocate",
                                                   "forward"};
  return names[stage];
}

/* ---- the stages ---- */

static int parse(mx_call *call, int count, const char *const *keys, const char *const *values) {
  const mx_op *op = call->op;
  if (op->num_inputs == MX_VARIADIC)
    MXERR_CHECK_GT(call->num_inputs, 0, "ValueError: %s: needs one input or more", op->name);
  else
    MXERR_CHECK_EQ(call->num_inputs, op->num_inputs, "TypeError: %s: wrong number of inputs", op->name);
  call->param = calloc(1, op->param_size > 0 ? op->param_size : 1);
  MXERR_CHECK(call->param != NULL, "cannot allocate %zu bytes for parameters", op->param_size);
  MXERR_TRY(mx_params_parse(op, count, keys, values, call->param));
  return 0;
}

int mx_call_set_outputs(mx_call *call, int count) {
  if (count > 1) {
    mx_output *outputs = calloc((size_t)count, sizeof *outputs);
    MXERR_CHECK(outputs != NULL, "cannot allocate room for %d outputs", count);
    call->outputs = outputs;
  }
  call->num_outputs = count;
  return 0;
}

static int allocate(mx_call *call) {
  for (int i = 0; i < call->num_outputs; i++) {
    mx_output *output = &call->outputs[i];
    MXERR_TRY(mx_ndarray_create(&output->shape, output->dtype, true, &output->array));
  }
  return 0;
}

/* ---- passing through them ---- */

/* What a stage does before its own work, and after it, while probes or fail points are in use. */
static int enter(const mx_op *op, mx_stage stage) {
  const int in_use = mx_instruments_in_use();
  if (in_use & MX_PROBES) mx_probe(MX_EVENT_ENTER, op, stage);
  return in_use & MX_FAIL_POINTS ? mx_fail_point(op, stage) : 0;
}

static int leave(const mx_op *op, mx_stage stage, int status) {
  if (mx_instruments_in_use() & MX_PROBES) {
    if (status != 0) mx_probe(MX_EVENT_RAISE, op, stage);
    mx_probe(MX_EVENT_LEAVE, op, stage);
  }
  return status;
}

/* The status of `work` as the stage of an operator. */
#define STAGE(op, stage, work)                                            \
  (MXERR_UNLIKELY(mx_instruments_in_use() != 0)                           \
       ? leave(op, stage, enter(op, stage) != 0 ? MXERR_FAILURE : (work)) \
       : (work))

int mx_invoke(mx_call *call, int num_params, const char *const *keys, const char *const *values) {
  const mx_op *op = call->op;
  call->param = NULL;
  call->num_outputs = 1;
  call->outputs = &call->first_output;
  call->first_output.array = NULL;
  MXERR_TRY(STAGE(op, MX_STAGE_PARSE, parse(call, num_params, keys, values)));
  MXERR_TRY(STAGE(op, MX_STAGE_INFER_SHAPE, op->infer_shape(call)));
  MXERR_TRY(STAGE(op, MX_STAGE_INFER_TYPE, op->infer_type(call)));
  MXERR_TRY(STAGE(op, MX_STAGE_ALLOCATE, allocate(call)));
  MXERR_TRY(STAGE(op, MX_STAGE_FORWARD, op->forward(call)));
  return 0;
}

void mx_call_end(mx_call *call) {
  free(call->param);
  for (int i = 0; i < call->num_outputs; i++) mx_ndarray_release(call->outputs[i].array);
  if (call->outputs != &call->first_output) free(call->outputs);
}
