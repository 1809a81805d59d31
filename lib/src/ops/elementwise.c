/* elementwise.c: the stages of operators on elements. */
#include "elementwise.h"

#include <string.h>

int mx_elementwise_infer_shape(mx_call *call) {
  MXERR_TRY(mx_broadcast_shape(call, &call->outputs[0].shape));
  return 0;
}

int mx_elementwise_find(const mx_call *call, int first, const mx_loop *loops, const mx_loop **out) {
  mx_element element;
  MXERR_TRY(mx_element_of(call, first, &element));
  for (int i = first + 1; i < call->num_inputs; i++) {
    mx_element other;
    MXERR_TRY(mx_element_of(call, i, &other));
    element = mx_element_promote(element, other);
  }
  const char *name = call->op->name, *dtype = mx_dtype_name(mx_element_dtype(element));
  MXERR_CHECK(loops[element].state != MX_LOOP_UNDEFINED,
              "TypeError: %s: not defined for " MXERR_VALUE("dtype", "%s"), name, dtype);
  MXERR_CHECK(loops[element].state != MX_LOOP_FLOAT16,
              "NotImplementedError: %s: the result for " MXERR_VALUE(
                  "dtype",
                  "%s") " is of float16, which is not implemented; expected int32, int64, float32 or float64",
              name, dtype);
  *out = &loops[element];
  return 0;
}

int mx_elementwise_infer_type(mx_call *call, const mx_loop *loops) {
  const mx_loop *loop;
  MXERR_TRY(mx_elementwise_find(call, 0, loops, &loop));
  call->outputs[0].dtype = loop->result;
  return 0;
}

/* What a row needs: where the arrays lie, of which type they are, and in which type the loop takes them. */
typedef struct row_context {
  const mx_call *call;
  const mx_loop *loop;
  const mx_element *compute;
  mx_element element[3];
  bool casts;
} row_context;

enum { BLOCK = 512 };

/* An input's elements in the type that is computed in: where they lie, or cast into `block`. */
static const void *operand(const row_context *c, int input, int64_t at, int64_t *stride, int64_t count,
                           double *block) {
  const mx_ndarray *array = c->call->inputs[input];
  const char *in = (const char *)array->data + (size_t)at * mx_dtype_size(array->dtype);
  if (c->element[input] == c->compute[input]) return in;
  mx_element_cast(c->element[input], in, *stride, c->compute[input], block, *stride == 0 ? 1 : count);
  *stride = *stride == 0 ? 0 : 1;
  return block;
}

/* Runs the loop over a piece of a row. */
static void piece(const row_context *c, int64_t count, const int64_t *at, const int64_t *given_stride,
                  int64_t out) {
  double block[3][BLOCK]; /* the largest type */
  const void *in[3];
  int64_t stride[3];
  char *to = (char *)c->call->outputs[0].array->data + (size_t)out * mx_dtype_size(c->call->outputs[0].dtype);
  for (int i = 0; i < c->call->num_inputs; i++) {
    stride[i] = given_stride[i];
    in[i] = operand(c, i, at[i], &stride[i], count, block[i]);
  }
  switch (c->call->num_inputs) {
    case 1: c->loop->run.unary(count, in[0], stride[0], to); break;
    case 2: c->loop->run.binary(count, in[0], stride[0], in[1], stride[1], to); break;
    default: c->loop->run.ternary(count, in, stride, to);
  }
}

static void run_row(void *context, int64_t count, const int64_t *at, const int64_t *stride, int64_t out) {
  const row_context *c = context;
  const int64_t step = c->casts ? BLOCK : count;
  for (int64_t i = 0; i < count; i += step)
    piece(c, count - i < step ? count - i : step,
          (int64_t[]){at[0] + i * stride[0], at[1] + i * stride[1], at[2] + i * stride[2]}, stride, out + i);
}

int mx_elementwise_run(const mx_call *call, const mx_loop *loop, const mx_element compute[3]) {
  row_context context = {.call = call, .loop = loop, .compute = compute};
  for (int i = 0; i < call->num_inputs; i++) {
    MXERR_TRY(mx_element_of(call, i, &context.element[i]));
    context.casts = context.casts || context.element[i] != compute[i];
  }
  if (call->outputs[0].array->size == 0) return 0;
  const mx_walk walk = mx_walk_of(call, call->num_inputs, &call->outputs[0].shape);
  mx_float_errors_begin();
  mx_walk_rows(&walk, run_row, &context);
  if (loop->state != MX_LOOP_QUIET && mx_element_is_float(loop->compute))
    MXERR_TRY(mx_float_errors_end(call));
  return 0;
}

int mx_elementwise_forward(mx_call *call, const mx_loop *loops) {
  const mx_loop *loop;
  MXERR_TRY(mx_elementwise_find(call, 0, loops, &loop));
  MXERR_TRY(mx_elementwise_run(call, loop, (mx_element[]){loop->compute, loop->compute, loop->compute}));
  return 0;
}
