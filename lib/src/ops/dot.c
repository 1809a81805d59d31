/* dot.c: the sum of products over the last axis of a and the last but one of b. */
#include "gemm.h"

/* The axis of b that is summed over: its only one, or the last but one. */
static int summed_axis(const mx_shape *b) { return b->ndim > 1 ? b->ndim - 2 : 0; }

static int dot_check_aligned(const mx_shape *a, const mx_shape *b) {
  char a_text[MX_SHAPE_TEXT_MAX], b_text[MX_SHAPE_TEXT_MAX];
  const int a_axis = a->ndim - 1, b_axis = summed_axis(b);
  const long long a_length = a->dim[a_axis], b_length = b->dim[b_axis];
  MXERR_CHECK_EQ(
      a_length, b_length,
      "ValueError: dot: expected as many elements in axis %d of a as in axis %d of b, got " MXERR_VALUE(
          "a.shape", "%s") ", " MXERR_VALUE("b.shape", "%s"),
      a_axis, b_axis, mx_shape_print(a, a_text), mx_shape_print(b, b_text));
  MXERR_CHECK_LE(a->ndim + b->ndim - 2, MX_MAX_NDIM,
                 "ValueError: dot: the result cannot have so many dimensions. " MXERR_VALUE(
                     "a.shape", "%s") ", " MXERR_VALUE("b.shape", "%s"),
                 mx_shape_print(a, a_text), mx_shape_print(b, b_text));
  return 0;
}

static int dot_infer_shape(mx_call *call) {
  const mx_shape *a = &call->inputs[0]->shape, *b = &call->inputs[1]->shape;
  mx_shape *out = &call->outputs[0].shape;
  if (a->ndim == 0 || b->ndim == 0) { /* a number times an array */
    *out = a->ndim == 0 ? *b : *a;
    return 0;
  }
  MXERR_TRY(dot_check_aligned(a, b));
  out->ndim = 0;
  for (int i = 0; i + 1 < a->ndim; i++) out->dim[out->ndim++] = a->dim[i];
  for (int i = 0; i < b->ndim; i++)
    if (i != summed_axis(b)) out->dim[out->ndim++] = b->dim[i];
  return 0;
}

static int dot_infer_type(mx_call *call) {
  MXERR_TRY(mx_factors_infer_type(call));
  return 0;
}

/* b is a row of matrices; each gives columns to every row of the result. */
static int dot_multiply(const mx_factors *f, mx_ndarray *out) {
  const mx_shape *a = &f->a->shape, *b = &f->b->shape;
  const size_t size = mx_dtype_size(out->dtype);
  const bool scalar = a->ndim == 0 || b->ndim == 0;
  const int64_t inner = scalar ? 1 : a->dim[a->ndim - 1];
  const int64_t rows = (int64_t)f->a->size / inner;
  const int64_t columns = b->ndim > 1 && !scalar ? b->dim[b->ndim - 1]
                          : a->ndim == 0         ? (int64_t)f->b->size
                                                 : 1;
  const int64_t matrices = (int64_t)f->b->size / inner / columns, out_row = matrices * columns;
  const mx_gemm g = {rows, inner, columns, .a_row = inner, .b_row = columns, .out_row = out_row};
  mx_gemm_polls polls = {0};
  for (int64_t i = 0; i < matrices; i++)
    MXERR_TRY(mx_gemm_run(f->element, &g, f->a->data,
                          (const char *)f->b->data + (size_t)(i * inner * columns) * size,
                          (char *)out->data + (size_t)(i * columns) * size, &polls));
  return 0;
}

static int dot_forward(mx_call *call) {
  mx_factors factors;
  MXERR_TRY(mx_factors_take(call, &factors));
  mx_float_errors_begin();
  const bool is_empty = factors.a->size == 0 || factors.b->size == 0;
  const int status = is_empty ? 0 : dot_multiply(&factors, call->outputs[0].array);
  const bool is_float = mx_element_is_float(factors.element);
  mx_factors_release(&factors);
  MXERR_TRY(status);
  if (is_float) MXERR_TRY(mx_float_errors_end(call));
  return 0;
}

static const char *const inputs[] = {"a", "b"};

const mx_op mx_op_dot = {
    .name = "dot",
    .doc =
        "Multiply two arrays as vectors or matrices.\n\n"
        "The result holds the sums of products over the last axis of `a` and the last but one of `b` (its only one, "
        "if it has one): the inner product of vectors, the product of matrices; its shape is that of `a` and then "
        "of `b` without those axes. With a scalar it is `multiply`. Integers wrap around; of bools, the sum is "
        "whether any product is true.\n\n"
        "Raises\n------\n"
        "ValueError\n    If those axes differ in length, or the result has too many dimensions.\n"
        "NotImplementedError\n    If an input is of a type that operators do not compute in.\n"
        "FloatingPointError\n    If a sum overflows, underflows or is not-a-number, and `errstate` asks for it.\n\n"
        "Examples\n--------\n"
        ">>> np.dot([[1, 2], [3, 4]], [10, 1])\narray([12, 34])",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .infer_shape = dot_infer_shape,
    .infer_type = dot_infer_type,
    .forward = dot_forward,
    .takes_out = true,
};
