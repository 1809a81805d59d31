/* invoke.c: takes a call of an operator through its stages. */
#include <stdlib.h>

#include "engine.h"
#include "instrument.h"
#include "out.h"
#include "random.h"

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
  MXERR_CHECK(call->param != NULL, "MemoryError: cannot allocate %zu bytes for parameters", op->param_size);
  MXERR_TRY(mx_params_parse(op, count, keys, values, call->param));
  return 0;
}

int mx_call_set_outputs(mx_call *call, int count) {
  MXERR_CHECK_LE(count, MX_MAX_OUTPUTS, "NotImplementedError: %s: so many outputs", call->op->name);
  if (count > 1) {
    mx_output *outputs = calloc((size_t)count, sizeof *outputs);
    MXERR_CHECK(outputs != NULL, "MemoryError: cannot allocate room for %d outputs", count);
    for (int i = 0; i < count; i++) outputs[i] = call->first_output;
    call->outputs = outputs;
  }
  call->num_outputs = count;
  return 0;
}

/* Gives the outputs arrays that have no elements yet. What the stages before left behind is not taken on trust. */
static int declare(mx_call *call) {
  const char *name = call->op->name;
  for (int i = 0; i < call->num_outputs; i++) {
    mx_output *output = &call->outputs[i];
    MXERR_CHECK_GE(output->shape.ndim, 0, "InternalError: %s: infer_shape left output %d without a shape",
                   name, i);
    MXERR_CHECK_GE(output->dtype, 0, "InternalError: %s: infer_type left output %d without a type", name, i);
    MXERR_TRY(mx_ndarray_declare(&output->shape, output->dtype, &output->array));
  }
  return 0;
}

static int allocate(mx_call *call) {
  for (int i = 0; i < call->num_outputs; i++) MXERR_TRY(mx_ndarray_allocate(call->outputs[i].array, true));
  return 0;
}

/* ---- passing through them ---- */

/* Whether a stage has more to do than its own work: while probes or fail points are in use. */
static bool is_watched(const mx_call *call) {
  return MXERR_UNLIKELY(mx_instruments_in_use() != 0 || call->planned != MX_FATE_RUN);
}

/* What becomes of a stage: now, or as it was planned when the call was queued. */
static mx_fate fate_of(const mx_call *call, mx_stage stage) {
  if (!call->is_queued)
    return mx_instruments_in_use() & MX_FAIL_POINTS ? mx_fail_point(call->op, stage) : MX_FATE_RUN;
  if (call->planned == MX_FATE_RUN || call->planned_stage != stage) return MX_FATE_RUN;
  if (call->planned == MX_FATE_FAIL) mx_fault_raise(mx_fault_retain(call->planned_error));
  return call->planned;
}

static mx_fate enter(mx_call *call, mx_stage stage) {
  if (mx_instruments_in_use() & MX_PROBES) mx_probe(MX_EVENT_ENTER, call->op, stage);
  return call->fate = fate_of(call, stage);
}

static int leave(const mx_call *call, mx_stage stage, int status) {
  if (mx_instruments_in_use() & MX_PROBES) {
    if (status != 0) mx_probe(MX_EVENT_RAISE, call->op, stage);
    mx_probe(MX_EVENT_LEAVE, call->op, stage);
  }
  return status;
}

/* The status of `work` as the stage of a call. */
#define STAGE(call, stage, work)                                                                         \
  (is_watched(call) ? leave(call, stage, enter(call, stage) == MX_FATE_RUN ? (work) : (int)(call)->fate) \
                    : (work))

int mx_call_run(mx_call *call) {
  MXERR_TRY(STAGE(call, MX_STAGE_ALLOCATE, allocate(call)));
  for (int i = 0; i < call->num_outputs; i++)
    MXERR_CHECK_NE(call->outputs[i].array->data, NULL,
                   "InternalError: %s: allocate left output %d without memory", call->op->name, i);
  MXERR_TRY(STAGE(call, MX_STAGE_FORWARD, call->op->forward(call)));
  return 0;
}

static int wait_for_inputs(const mx_call *call) {
  for (int i = 0; i < call->num_inputs; i++) MXERR_TRY(mx_wait_to_read(&call->inputs[i]->var));
  if (call->op->draws) MXERR_TRY(mx_wait_to_write(&mx_random_var));
  return 0;
}

int mx_invoke(mx_call *call, int num_params, const char *const *keys, const char *const *values) {
  const mx_op *op = call->op;
  call->param = NULL;
  call->num_outputs = 1;
  call->outputs = &call->first_output;
  call->first_output = (mx_output){.shape.ndim = -1, .dtype = -1};
  call->is_queued = false;
  call->planned = MX_FATE_RUN;
  MXERR_TRY(STAGE(call, MX_STAGE_PARSE, parse(call, num_params, keys, values)));
  MXERR_CHECK_NE(call->param, NULL, "InternalError: %s: parse left no parameters", op->name);
  MXERR_TRY(STAGE(call, MX_STAGE_INFER_SHAPE, op->infer_shape(call)));
  MXERR_TRY(STAGE(call, MX_STAGE_INFER_TYPE, op->infer_type(call)));
  MXERR_TRY(declare(call));
  if (call->out != NULL) MXERR_TRY(mx_out_check(call));
  if (call->out == NULL && mx_engine_queues(call)) {
    MXERR_TRY(mx_engine_push(call));
  } else {
    MXERR_TRY(wait_for_inputs(call));
    MXERR_TRY(mx_call_run(call));
    if (call->out != NULL) MXERR_TRY(mx_out_write(call));
  }
  return 0;
}

void mx_call_end(mx_call *call) {
  free(call->param);
  for (int i = 0; i < call->num_outputs; i++) mx_ndarray_release(call->outputs[i].array);
  if (call->outputs != &call->first_output) free(call->outputs);
}
