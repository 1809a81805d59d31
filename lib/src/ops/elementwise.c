/* elementwise.c: the stages of operators on elements. */
#include "elementwise.h"

#include <string.h>

int mx_elementwise_infer_shape(mx_call *call) {
  MXERR_TRY(mx_broadcast_shape(call, &call->outputs[0].shape));
  return 0;
}

static int find_loop(const mx_call *call, const mx_loop *loops, const mx_loop **out) {
  mx_element element;
  MXERR_TRY(mx_element_of(call, 0, &element));
  for (int i = 1; i < call->num_inputs; i++) {
    mx_element other;
    MXERR_TRY(mx_element_of(call, i, &other));
    element = mx_element_promote(element, other);
  }
  MXERR_CHECK(loops[element].given, "TypeError: %s: not defined for " MXERR_VALUE("dtype", "%s"), call->op->name,
              mx_dtype_name(mx_element_dtype(element)));
  *out = &loops[element];
  return 0;
}

int mx_elementwise_infer_type(mx_call *call, const mx_loop *loops) {
  const mx_loop *loop;
  MXERR_TRY(find_loop(call, loops, &loop));
  call->outputs[0].dtype = mx_element_dtype(loop->result);
  return 0;
}

/* What a row needs: where the arrays lie, and of which type they are. */
typedef struct row_context {
  const mx_call *call;
  const mx_loop *loop;
  mx_element element[2];
} row_context;

enum { BLOCK = 512 };

/* An input's elements in the type that is computed in: where they lie, or cast into `block`. */
static const void *operand(const row_context *c, int input, int64_t at, int64_t *stride, int64_t count, double *block) {
  const mx_ndarray *array = c->call->inputs[input];
  const char *in = (const char *)array->data + (size_t)at * mx_dtype_size(array->dtype);
  if (c->element[input] == c->loop->compute) return in;
  mx_element_cast(c->element[input], in, *stride, c->loop->compute, block, *stride == 0 ? 1 : count);
  *stride = *stride == 0 ? 0 : 1;
  return block;
}

/* Runs the loop over a piece of a row. */
static void piece(const row_context *c, int64_t count, const int64_t *at, const int64_t *given_stride, int64_t out) {
  double block_a[BLOCK], block_b[BLOCK]; /* the largest type */
  int64_t stride[2] = {given_stride[0], given_stride[1]};
  char *to = (char *)c->call->outputs[0].array->data + (size_t)out * mx_dtype_size(c->call->outputs[0].dtype);
  const void *a = operand(c, 0, at[0], &stride[0], count, block_a);
  if (c->call->num_inputs == 1)
    c->loop->run.unary(count, a, stride[0], to);
  else
    c->loop->run.binary(count, a, stride[0], operand(c, 1, at[1], &stride[1], count, block_b), stride[1], to);
}

static void run_row(void *context, int64_t count, const int64_t *at, const int64_t *stride, int64_t out) {
  const row_context *c = context;
  const bool casts = c->element[0] != c->loop->compute ||
                     (c->call->num_inputs > 1 && c->element[1] != c->loop->compute);
  const int64_t step = casts ? BLOCK : count;
  for (int64_t i = 0; i < count; i += step)
    piece(c, count - i < step ? count - i : step, (int64_t[]){at[0] + i * stride[0], at[1] + i * stride[1]}, stride,
          out + i);
}

int mx_elementwise_forward(mx_call *call, const mx_loop *loops) {
  row_context context = {.call = call};
  MXERR_TRY(find_loop(call, loops, &context.loop));
  for (int i = 0; i < call->num_inputs; i++) MXERR_TRY(mx_element_of(call, i, &context.element[i]));
  if (call->outputs[0].array->size == 0) return 0;
  const mx_walk walk = mx_walk_of(call, call->num_inputs, &call->outputs[0].shape);
  mx_float_errors_begin();
  mx_walk_rows(&walk, run_row, &context);
  if (mx_element_is_float(context.loop->compute)) MXERR_TRY(mx_float_errors_end(call));
  return 0;
}
