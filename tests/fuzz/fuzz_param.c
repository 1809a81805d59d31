/*
 * fuzz_param.c: texts of parameters, and what the stages that look at them alone make of them. The first line of
 * an input is an operator (what is none stands for one) and, after a blank, the number of dimensions of its arrays.
 * Each line after that is a digit for a parameter, or else its name up to "=", and the text of its value.
 */
#include <stdlib.h>
#include <string.h>

#include "op.h"

enum { MAX_LINES = 8, MAX_INPUTS = 3, MAX_NDIM = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds) {
  if (!holds) abort();
}

/* Cuts a text into lines of keys and values; returns how many. */
static int cut(const mx_op *op, char *text, const char **keys, const char **values) {
  int count = 0;
  for (char *line = text, *end; line != NULL && count < MAX_LINES; line = end) {
    end = strchr(line, '\n');
    if (end != NULL) *end++ = '\0';
    if (line[0] >= '0' && line[0] - '0' < op->num_params) {
      keys[count] = op->params[line[0] - '0'].name;
      values[count++] = line + 1;
    } else if (line[0] != '\0') {
      char *value = strchr(line, '=');
      keys[count] = line;
      values[count] = value != NULL ? value + 1 : line + strlen(line);
      if (value != NULL) *value = '\0';
      count++;
    }
  }
  return count;
}

/* The stages up to infer_type, as mx_invoke passes them. */
static int infer(mx_call *call, int count, const char *const *keys, const char *const *values) {
  MXERR_TRY(mx_params_parse(call->op, count, keys, values, call->param));
  MXERR_TRY(call->op->infer_shape(call));
  for (int i = 0; i < call->num_outputs; i++)
    expect(call->outputs[i].shape.ndim >= 0 && call->outputs[i].shape.ndim <= MX_MAX_NDIM);
  MXERR_TRY(call->op->infer_type(call));
  for (int i = 0; i < call->num_outputs; i++) expect(mx_dtype_size(call->outputs[i].dtype) > 0);
  return 0;
}

static void run(const mx_op *op, int ndim, int count, const char *const *keys, const char *const *values) {
  const mx_shape shape = {.ndim = ndim, .dim = {3, 4, 1, 2, 5}};
  mx_ndarray *array, *inputs[MAX_INPUTS];
  mx_call call = {.op = op, .inputs = inputs, .num_outputs = 1, .planned = MX_FATE_RUN};
  call.param = calloc(1, op->param_size + 1);
  call.outputs = &call.first_output;
  call.first_output = (mx_output){.shape.ndim = -1, .dtype = -1};
  expect(call.param != NULL && mx_ndarray_create(&shape, MX_FLOAT64, true, &array) == 0);
  call.num_inputs = op->num_inputs < 0 ? 2 : op->num_inputs;
  for (int i = 0; i < call.num_inputs; i++) inputs[i] = array;
  mxerr_record_clear();
  const bool failed = infer(&call, count, keys, values) != 0;
  const mxerr_record *record = mxerr_record_peek();
  expect(failed == (record != NULL));
  expect(!failed || (record->message.size > 0 && record->frame_count > 0));
  mx_call_end(&call);
  mx_ndarray_release(array);
}

static const mx_op *find(const char *name) {
  const mx_op *op;
  if (mx_op_find(name, &op) == 0) return op;
  expect(strlen(mxerr_text(mxerr_record_peek(), mxerr_record_peek()->message)) > 0);
  return mx_ops[(unsigned char)name[0] % mx_num_ops];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *keys[MAX_LINES], *values[MAX_LINES];
  char *text = malloc(size + 1);
  expect(text != NULL);
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  char *lines = text + strcspn(text, "\n");
  if (*lines != '\0') *lines++ = '\0';
  char *ndim = text + strcspn(text, " ");
  if (*ndim != '\0') *ndim++ = '\0';
  const mx_op *op = find(text);
  if (strcmp(op->name, "load") != 0) /* which opens files: fuzz_npy.c */
    run(op, (unsigned char)*ndim % (MAX_NDIM + 1), cut(op, lines, keys, values), keys, values);
  free(text);
  return 0;
}
