/* task.c: queued calls of operators. */
#include "task.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "instrument.h"
#include "random.h"

/* ---- the line that queues ---- */

enum { FUNCTION_SIZE = 256, FILE_SIZE = 1024 };

/* The file's name is followed by that of the function. */
typedef struct mx_origin {
  int line;
  char file[];
} mx_origin;

static _Thread_local struct {
  int line;
  char function[FUNCTION_SIZE], file[FILE_SIZE];
} origin_now;

static void copy_text(char *to, size_t size, const char *from) {
  const size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = '\0';
}

int mx_engine_set_origin(const char *file, const char *function, int line) {
  MXERR_CHECK(file != NULL && function != NULL, "ValueError: the name of the place is NULL");
  copy_text(origin_now.file, sizeof origin_now.file, file);
  copy_text(origin_now.function, sizeof origin_now.function, function);
  origin_now.line = line;
  return 0;
}

/* A copy that is as large as its texts, as many calls may be queued. */
static int own_origin(mx_task *task) {
  const size_t file = strlen(origin_now.file) + 1, function = strlen(origin_now.function) + 1;
  if (file == 1) return 0;
  task->origin = malloc(sizeof *task->origin + file + function);
  MXERR_CHECK(task->origin != NULL, "MemoryError: cannot allocate room for the place of a call");
  task->origin->line = origin_now.line;
  memcpy(task->origin->file, origin_now.file, file);
  memcpy(task->origin->file + file, origin_now.function, function);
  return 0;
}

void mx_task_leave(const mx_task *task) {
  const mx_origin *origin = task->origin;
  if (origin != NULL)
    mxerr_leave(origin->file, origin->line, origin->file + strlen(origin->file) + 1,
                MXERR_LOCAL("queued", "%s"), task->call.op->name);
}

/* ---- making ---- */

/* Texts of parameters belong to who called; the task needs its own. */
static int own_texts(mx_task *task) {
  const mx_op *op = task->call.op;
  size_t size = 1;
  for (int i = 0; i < op->num_params; i++)
    if (op->params[i].type == MX_PARAM_TEXT)
      size += strlen(*(const char **)((char *)task->call.param + op->params[i].offset)) + 1;
  char *end = task->texts = malloc(size);
  MXERR_CHECK(end != NULL, "MemoryError: cannot allocate %zu bytes for parameters", size);
  for (int i = 0; i < op->num_params; i++) {
    if (op->params[i].type != MX_PARAM_TEXT) continue;
    const char **text = (const char **)((char *)task->call.param + op->params[i].offset);
    *text = strcpy(end, *text);
    end += strlen(end) + 1;
  }
  return 0;
}

/* Copies inputs and outputs, with a count of each array. */
static int own_arrays(mx_call *call, const mx_call *from) {
  const size_t inputs = (size_t)(from->num_inputs > 0 ? from->num_inputs : 1) * sizeof call->inputs[0];
  const size_t outputs = (size_t)from->num_outputs * sizeof call->outputs[0];
  call->outputs = &call->first_output;
  call->num_inputs = call->num_outputs = 0;
  call->inputs = malloc(inputs);
  MXERR_CHECK(call->inputs != NULL, "MemoryError: cannot allocate room for %d inputs", from->num_inputs);
  if (from->num_outputs > 1) {
    mx_output *room = malloc(outputs);
    MXERR_CHECK(room != NULL, "MemoryError: cannot allocate room for %d outputs", from->num_outputs);
    call->outputs = room;
  }
  memcpy(call->outputs, from->outputs, outputs);
  call->num_outputs = from->num_outputs;
  for (int i = 0; i < call->num_outputs; i++) mx_ndarray_retain(call->outputs[i].array);
  for (; call->num_inputs < from->num_inputs; call->num_inputs++) {
    call->inputs[call->num_inputs] = from->inputs[call->num_inputs];
    mx_ndarray_retain(from->inputs[call->num_inputs]);
  }
  return 0;
}

static void add_access(mx_task *task, mx_var *var, bool writes) {
  task->accesses[task->num_accesses++] = (mx_access){.task = task, .var = var, .writes = writes};
  task->waiting++;
}

static void add_accesses(mx_task *task) {
  const mx_call *call = &task->call;
  task->waiting = 1;
  task->num_accesses = 0;
  for (int i = 0; i < call->num_inputs; i++) add_access(task, &call->inputs[i]->var, false);
  for (int i = 0; i < call->num_outputs; i++) add_access(task, &call->outputs[i].array->var, true);
  if (call->op->draws) add_access(task, &mx_random_var, true);
}

/* A fail point that is set now decides about this call, whenever it runs. */
static void plan_fate(mx_call *call) {
  for (mx_stage stage = MX_STAGE_ALLOCATE; stage <= MX_STAGE_FORWARD && call->planned == MX_FATE_RUN;
       stage++) {
    call->planned = mx_fail_point(call->op, stage);
    call->planned_stage = stage;
  }
  if (call->planned == MX_FATE_FAIL) call->planned_error = mx_fault_take();
}

static int fill(mx_task *task, mx_call *call) {
  task->call = *call;
  task->call.planned = MX_FATE_RUN;
  task->call.planned_error = NULL;
  task->call.is_queued = true;
  call->param = NULL;
  task->wanted = mx_errors_wanted;
  MXERR_TRY(own_arrays(&task->call, call));
  MXERR_TRY(own_texts(task));
  MXERR_TRY(own_origin(task));
  add_accesses(task);
  if (mx_instruments_in_use() & MX_FAIL_POINTS) plan_fate(&task->call);
  return 0;
}

int mx_task_create(mx_call *call, mx_task **out) {
  const size_t accesses = (size_t)call->num_inputs + (size_t)call->num_outputs + 1;
  mx_task *task = calloc(1, sizeof *task + accesses * sizeof task->accesses[0]);
  MXERR_CHECK(task != NULL, "MemoryError: cannot allocate room to queue a call");
  if (MXERR_FAILED(fill(task, call))) {
    mx_task_free(task);
    return MXERR_FAILURE;
  }
  *out = task;
  return 0;
}

void mx_task_free(mx_task *task) {
  for (int i = 0; i < task->call.num_inputs; i++) mx_ndarray_release(task->call.inputs[i]);
  free(task->call.inputs);
  mx_call_end(&task->call);
  mx_fault_release(task->call.planned_error);
  free(task->texts);
  free(task->origin);
  free(task);
}

/* ---- running ---- */

mx_fault *mx_task_fault(const mx_task *task) {
  for (int i = 0; i < task->call.num_inputs; i++) {
    mx_fault *fault = atomic_load(&task->call.inputs[i]->var.fault);
    if (fault != NULL) return fault;
  }
  return NULL;
}

int mx_task_run(mx_task *task) {
  mx_errors_wanted = task->wanted;
  if (MXERR_FAILED(mx_call_run(&task->call))) {
    mx_task_leave(task);
    return MXERR_FAILURE;
  }
  return 0;
}

void mx_task_spoil(mx_task *task, mx_fault *fault) {
  for (int i = 0; i < task->call.num_outputs; i++)
    mx_var_set_fault(&task->call.outputs[i].array->var, mx_fault_retain(fault));
}
