/* matmul.c: the product of matrices, or of stacks of them that are broadcast. */
#include "gemm.h"

/* An input as a stack of matrices: a vector is a matrix of one row, or of one column. */
typedef struct stack {
  mx_shape shape; /* of the stack, without the matrices */
  int64_t rows, columns;
} stack;

static stack stack_of(const mx_shape *shape, bool is_left) {
  const int ndim = shape->ndim;
  stack s = {.shape = *shape, .rows = 1, .columns = 1};
  s.shape.ndim = ndim > 2 ? ndim - 2 : 0;
  if (ndim > 1) s.rows = shape->dim[ndim - 2];
  if (ndim > 1 || is_left)
    s.columns = shape->dim[ndim - 1];
  else
    s.rows = shape->dim[0];
  return s;
}

/* ---- infer_shape ---- */

/* An axis of a stack that is stretched to `ndim` axes. */
static int64_t stretched(const mx_shape *shape, int ndim, int axis) {
  const int own = axis - (ndim - shape->ndim);
  return own < 0 ? 1 : shape->dim[own];
}

static int matmul_broadcast(const mx_call *call, const mx_shape *a, const mx_shape *b, mx_shape *out) {
  char a_text[MX_SHAPE_TEXT_MAX], b_text[MX_SHAPE_TEXT_MAX];
  out->ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  for (int i = 0; i < out->ndim; i++) {
    const long long a_length = stretched(a, out->ndim, i), b_length = stretched(b, out->ndim, i);
    MXERR_CHECK(a_length == b_length || a_length == 1 || b_length == 1,
                "ValueError: matmul: expected stacks of matrices that broadcast, got " MXERR_VALUE(
                    "a.shape", "%s") ", " MXERR_VALUE("b.shape", "%s") MXERR_LOCAL("a_length", "%lld")
                    MXERR_LOCAL("b_length", "%lld"),
                mx_shape_print(&call->inputs[0]->shape, a_text),
                mx_shape_print(&call->inputs[1]->shape, b_text), a_length, b_length);
    out->dim[i] = a_length == 1 ? b_length : a_length;
  }
  return 0;
}

static int matmul_infer_shape(mx_call *call) {
  const mx_shape *a = &call->inputs[0]->shape, *b = &call->inputs[1]->shape;
  mx_shape *out = &call->outputs[0].shape;
  char a_text[MX_SHAPE_TEXT_MAX], b_text[MX_SHAPE_TEXT_MAX];
  MXERR_CHECK(a->ndim > 0 && b->ndim > 0,
              "ValueError: matmul: expected one dimension or more, got " MXERR_VALUE(
                  "a.shape", "%s") ", " MXERR_VALUE("b.shape", "%s") "; multiply takes scalars",
              mx_shape_print(a, a_text), mx_shape_print(b, b_text));
  const stack left = stack_of(a, true), right = stack_of(b, false);
  MXERR_CHECK_EQ(left.columns, right.rows,
                 "ValueError: matmul: expected as many columns of a as rows of b, got " MXERR_VALUE(
                     "a.shape", "%s") ", " MXERR_VALUE("b.shape", "%s"),
                 mx_shape_print(a, a_text), mx_shape_print(b, b_text));
  MXERR_TRY(matmul_broadcast(call, &left.shape, &right.shape, out));
  if (a->ndim > 1) out->dim[out->ndim++] = left.rows;
  if (b->ndim > 1) out->dim[out->ndim++] = right.columns;
  return 0;
}

static int matmul_infer_type(mx_call *call) {
  MXERR_TRY(mx_factors_infer_type(call));
  return 0;
}

/* ---- forward ---- */

/* Which matrix of a stack belongs to matrix `number` of the result. */
static int64_t place_in(const mx_shape *shape, const mx_shape *result, int64_t number) {
  int64_t place = 0, step = 1;
  for (int i = result->ndim; i-- > 0; number /= result->dim[i]) {
    const int64_t length = stretched(shape, result->ndim, i);
    if (length > 1) place += number % result->dim[i] * step;
    step *= length;
  }
  return place;
}

static int matmul_multiply(const mx_call *call, const mx_factors *f, mx_ndarray *out) {
  const stack left = stack_of(&f->a->shape, true), right = stack_of(&f->b->shape, false);
  const int64_t rows = left.rows, inner = left.columns, columns = right.columns;
  const mx_gemm g = {rows, inner, columns, .a_row = inner, .b_row = columns, .out_row = columns};
  const size_t size = mx_dtype_size(out->dtype);
  mx_gemm_polls polls = {0};
  mx_shape result;
  MXERR_TRY(matmul_broadcast(call, &left.shape, &right.shape, &result));
  for (int64_t i = 0, count = (int64_t)out->size / (rows * columns); i < count; i++) {
    const int64_t a = place_in(&left.shape, &result, i), b = place_in(&right.shape, &result, i);
    MXERR_TRY(mx_gemm_run(f->element, &g, (const char *)f->a->data + (size_t)(a * rows * inner) * size,
                          (const char *)f->b->data + (size_t)(b * inner * columns) * size,
                          (char *)out->data + (size_t)(i * rows * columns) * size, &polls));
  }
  return 0;
}

static int matmul_forward(mx_call *call) {
  mx_factors factors;
  mx_ndarray *out = call->outputs[0].array;
  if (out->size == 0) return 0;
  MXERR_TRY(mx_factors_take(call, &factors));
  mx_float_errors_begin();
  const int status = matmul_multiply(call, &factors, out);
  const bool is_float = mx_element_is_float(factors.element);
  mx_factors_release(&factors);
  MXERR_TRY(status);
  if (is_float) MXERR_TRY(mx_float_errors_end(call));
  return 0;
}

static const char *const inputs[] = {"a", "b"};

const mx_op mx_op_matmul = {
    .name = "matmul",
    .doc =
        "Multiply two matrices, or stacks of matrices.\n\n"
        "The last two axes are those of matrices; the axes before are broadcast. A vector on the left is a matrix "
        "of one row, on the right of one column, and that axis is not in the result. Integers wrap around; of bools, "
        "the sum is whether any product is true.\n\n"
        "Raises\n------\n"
        "ValueError\n    If an input is a scalar, the matrices do not fit, or the stacks do not broadcast.\n"
        "NotImplementedError\n    If an input is of a type that operators do not compute in.\n"
        "FloatingPointError\n    If a sum overflows, underflows or is not-a-number, and `errstate` asks for it.\n\n"
        "Examples\n--------\n"
        ">>> np.matmul([[1, 2], [3, 4]], [[0, 1], [1, 0]])\narray([[2, 1],\n       [4, 3]])",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .infer_shape = matmul_infer_shape,
    .infer_type = matmul_infer_type,
    .forward = matmul_forward,
    .takes_out = true,
};
