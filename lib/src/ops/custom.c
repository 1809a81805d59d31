/* custom.c: the operator that runs a function of the program, and the table of those functions. */
#include "custom.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table; what is in it stays, as a queued call may come for it at any time ---- */

typedef struct entry {
  struct entry *next;
  MXCustomOp functions;
  char op_type[];
} entry;

static struct {
  pthread_mutex_t lock;
  entry *first;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void mx_customs_lock(void) { pthread_mutex_lock(&table.lock); }
void mx_customs_unlock(void) { pthread_mutex_unlock(&table.lock); }

/* The table is locked. */
static entry *find(const char *op_type) {
  entry *found = table.first;
  while (found != NULL && strcmp(found->op_type, op_type) != 0) found = found->next;
  return found;
}

static bool put(const char *op_type, const MXCustomOp *functions) {
  entry *found = find(op_type);
  if (found == NULL) {
    const size_t size = strlen(op_type) + 1;
    found = malloc(sizeof *found + size);
    if (found == NULL) return false;
    memcpy(found->op_type, op_type, size);
    found->next = table.first;
    table.first = found;
  }
  found->functions = *functions;
  return true;
}

int mx_custom_register(const char *op_type, const MXCustomOp *functions) {
  MXERR_CHECK(op_type != NULL, "ValueError: the custom operator's name is NULL");
  MXERR_CHECK(functions != NULL, "ValueError: the custom operator's functions are NULL");
  MXERR_CHECK(functions->infer_shape != NULL && functions->forward != NULL,
              "ValueError: custom: '%s': a function is NULL", op_type);
  mx_customs_lock();
  const bool is_there = put(op_type, functions);
  mx_customs_unlock();
  MXERR_CHECK(is_there, "MemoryError: cannot allocate room for the custom operator '%s'", op_type);
  return 0;
}

/* ---- the operator ---- */

typedef struct custom_param {
  const char *op_type;
  MXCustomOp functions; /* from infer_shape on */
} custom_param;

static int look_up(custom_param *param) {
  mx_customs_lock();
  const entry *found = find(param->op_type);
  if (found != NULL) param->functions = found->functions;
  mx_customs_unlock();
  MXERR_CHECK(found != NULL, "AttributeError: custom: there is no custom operator '%s'; register it first",
              param->op_type);
  return 0;
}

/* A function has failed: with its own words, and the number by which it knows its own error. */
static int fail_custom(const char *op_type, const char *stage, int status, MXCustomError *error) {
  error->message[sizeof error->message - 1] = '\0';
  MXERR_CHECK(error->message[0] != '\0',
              "RuntimeError: custom: '%s': %s failed with " MXERR_VALUE("status",
                                                                        "%d") " and did not say why",
              op_type, stage, status);
  mxerr_fail_text(__FILE__, __LINE__, __func__, error->message);
  mx_exception_raise(error->id);
  return MXERR_FAILURE;
}

static int custom_infer_shape(mx_call *call) {
  custom_param *param = call->param;
  mx_shape *out = &call->outputs[0].shape;
  MXCustomError error = {0};
  char text[MX_SHAPE_TEXT_MAX];
  MXERR_TRY(look_up(param));
  int *ndims = malloc((size_t)call->num_inputs * sizeof ndims[0]);
  const int64_t **shapes = malloc((size_t)call->num_inputs * sizeof shapes[0]);
  int status = ndims == NULL || shapes == NULL;
  for (int i = 0; status == 0 && i < call->num_inputs; i++) {
    ndims[i] = call->inputs[i]->shape.ndim;
    shapes[i] = call->inputs[i]->shape.dim;
  }
  if (status == 0)
    status = param->functions.infer_shape(param->op_type, call->num_inputs, ndims, shapes, &out->ndim,
                                          out->dim, &error);
  const bool has_room = ndims != NULL && shapes != NULL;
  free(ndims);
  free(shapes);
  MXERR_CHECK(has_room, "MemoryError: cannot allocate room for %d shapes", call->num_inputs);
  if (status != 0) MXERR_TRY(fail_custom(param->op_type, "infer_shape", status, &error));
  MXERR_CHECK(out->ndim >= 0 && out->ndim <= MX_MAX_NDIM,
              "ValueError: custom: '%s': infer_shape gave " MXERR_VALUE("ndim", "%d") ", expected 0 to %d",
              param->op_type, out->ndim, MX_MAX_NDIM);
  for (int i = 0; i < out->ndim; i++)
    MXERR_CHECK_GE(out->dim[i], 0, "ValueError: custom: '%s': infer_shape gave " MXERR_VALUE("shape", "%s"),
                   param->op_type, mx_shape_print(out, text));
  return 0;
}

static int custom_infer_type(mx_call *call) {
  call->outputs[0].dtype = call->inputs[0]->dtype;
  return 0;
}

/* New handles of the inputs, for the function to free. */
static int publish(const mx_call *call, NDArrayHandle *handles) {
  for (int i = 0; i < call->num_inputs; i++) {
    mx_ndarray_retain(call->inputs[i]);
    if (MXERR_FAILED(mx_handle_create(call->inputs[i], &handles[i]))) {
      mx_ndarray_release(call->inputs[i]);
      while (i > 0) mx_handle_free(handles[--i]);
      return MXERR_FAILURE;
    }
  }
  return 0;
}

/* Runs forward with handles, all of which it frees; it fills `result`. */
static int run(const mx_call *call, NDArrayHandle *handles, mx_ndarray *result) {
  const custom_param *param = call->param;
  MXCustomError error = {0};
  NDArrayHandle output;
  MXERR_TRY(publish(call, handles));
  mx_ndarray_retain(result);
  if (MXERR_FAILED(mx_handle_create(result, &output))) {
    mx_ndarray_release(result);
    for (int i = 0; i < call->num_inputs; i++) mx_handle_free(handles[i]);
    return MXERR_FAILURE;
  }
  const int status = param->functions.forward(param->op_type, call->num_inputs, handles, output, &error);
  if (status != 0) MXERR_TRY(fail_custom(param->op_type, "forward", status, &error));
  return 0;
}

static int custom_forward(mx_call *call) {
  mx_ndarray *out = call->outputs[0].array,
             *result; /* the function waits for what it writes: not for `out` */
  MXERR_TRY(mx_ndarray_create(&out->shape, out->dtype, true, &result));
  NDArrayHandle *handles = malloc((size_t)call->num_inputs * sizeof handles[0]);
  const int status = handles != NULL ? run(call, handles, result) : 0;
  if (status == 0 && handles != NULL) memcpy(out->data, result->data, out->size * mx_dtype_size(out->dtype));
  mx_ndarray_release(result);
  MXERR_CHECK(handles != NULL, "MemoryError: cannot allocate room for %d handles", call->num_inputs);
  free(handles);
  MXERR_TRY(status);
  return 0;
}

static const char *const inputs[] = {"data"};

static const mx_param params[] = {
    {"op_type", MX_PARAM_TEXT, offsetof(custom_param, op_type), NULL,
     "The name under which the function is registered."},
};

const mx_op mx_op_custom = {
    .name = "custom",
    .doc =
        "Run a function of the program as an operator: MXNet's Custom; see `register_custom`.\n\n"
        "The result has the type of the first array. What the function raises is raised here, or where the "
        "result is waited for: the very object.\n\n"
        "Raises\n------\n"
        "AttributeError\n    If no function is registered under that name.\n"
        "ValueError\n    If a function gives a shape that there cannot be.\n"
        "RuntimeError\n    If a C function fails and does not say why.",
    .num_inputs = MX_VARIADIC,
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(custom_param),
    .infer_shape = custom_infer_shape,
    .infer_type = custom_infer_type,
    .forward = custom_forward,
    .calls_back = true,
};
