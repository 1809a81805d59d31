/* percentile.c: percentiles along axes, linear between elements. */
#include <math.h>
#include <stdlib.h>

#include "reduce.h"

/* Behind the same parameters as other reductions. */
typedef mx_reduce_param percentile_param;

static int percentile_infer_shape(mx_call *call) {
  percentile_param *param = call->param;
  const mx_shape *a = &call->inputs[0]->shape, *q = &call->inputs[1]->shape;
  mx_shape *out = &call->outputs[0].shape;
  char text[MX_SHAPE_TEXT_MAX];
  MXERR_TRY(mx_reduce_axes(call, a, &param->axis));
  const mx_shape left = mx_reduce_shape(a, &param->axis, param->keepdims);
  MXERR_CHECK(!mx_reduce_is_empty(a, &param->axis),
              "IndexError: percentile: expected one element or more along the axis, got none. " MXERR_VALUE(
                  "a.shape", "%s"),
              mx_shape_print(a, text));
  MXERR_CHECK_LE(q->ndim + left.ndim, MX_MAX_NDIM,
                 "ValueError: percentile: the result cannot have so many dimensions. " MXERR_VALUE("q.shape",
                                                                                                   "%s"),
                 mx_shape_print(q, text));
  *out = *q;
  for (int i = 0; i < left.ndim; i++) out->dim[out->ndim++] = left.dim[i];
  return 0;
}

static int percentile_infer_type(mx_call *call) {
  mx_element a, q;
  MXERR_TRY(mx_element_of(call, 0, &a));
  MXERR_TRY(mx_element_of(call, 1, &q));
  MXERR_CHECK(a != MX_ELEMENT_boolean, "TypeError: percentile: not defined for " MXERR_VALUE("dtype", "%s"),
              "bool");
  call->outputs[0].dtype = mx_element_is_float(q) ? mx_element_dtype(mx_element_promote(a, q)) : MX_FLOAT64;
  return 0;
}

/* ---- forward ---- */

/* Not-a-number comes last, and the processor's flags stay as they are. */
static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

/* NumPy's formula, which gives both ends exactly. */
static double between(double a, double b, double part) {
  return part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
}

static double percentile_of(const double *sorted, int64_t count, double q) {
  const double at = (double)(count - 1) * (q / 100);
  const int64_t low = at < (double)(count - 1) ? (int64_t)at : count - 1,
                high = low + 1 < count ? low + 1 : low;
  if (isnan(sorted[count - 1])) return sorted[count - 1];
  return between(sorted[low], sorted[high], at - (double)low);
}

/* For each combination of some axes, in C order, how far from the first element of the array its own lies. */
static int64_t offset_of(const mx_shape *shape, const bool *chosen, int64_t number) {
  int64_t offset = 0, step = 1;
  for (int i = shape->ndim; i-- > 0; step *= shape->dim[i])
    if (chosen[i]) {
      offset += number % shape->dim[i] * step;
      number /= shape->dim[i];
    }
  return offset;
}

static int percentile_check(const mx_ndarray *qs) {
  const double *numbers = qs->data;
  for (size_t i = 0; i < qs->size; i++) {
    const double q = numbers[i];
    MXERR_CHECK(q >= 0 && q <= 100,
                "ValueError: Percentiles must be in the range [0, 100]" MXERR_LOCAL("q", "%.17g"), q);
  }
  return 0;
}

static void store(mx_ndarray *out, int64_t at, double number) {
  if (out->dtype == MX_FLOAT32)
    ((float *)out->data)[at] = (float)number;
  else
    ((double *)out->data)[at] = number;
}

/* Collects what goes into each result, sorts it, and reads all percentiles off; `room` is for one such row. */
static void percentile_compute(const mx_shape *axes, const mx_ndarray *a, const mx_ndarray *qs, double *room,
                               mx_ndarray *out) {
  const double *elements = a->data, *q = qs->data;
  bool goes[MX_MAX_NDIM] = {false}, stays[MX_MAX_NDIM];
  for (int i = 0; i < axes->ndim; i++) goes[axes->dim[i]] = true;
  for (int i = 0; i < a->shape.ndim; i++) stays[i] = !goes[i];
  const int64_t results = (int64_t)(out->size / qs->size), count = (int64_t)a->size / results;
  for (int64_t r = 0; r < results; r++) {
    const double *first = elements + offset_of(&a->shape, stays, r);
    for (int64_t i = 0; i < count; i++) room[i] = first[offset_of(&a->shape, goes, i)];
    qsort(room, (size_t)count, sizeof room[0], compare);
    for (size_t i = 0; i < qs->size; i++)
      store(out, (int64_t)i * results + r, percentile_of(room, count, q[i]));
  }
}

static int percentile_run(mx_call *call, const mx_ndarray *a, const mx_ndarray *qs) {
  const percentile_param *param = call->param;
  mx_ndarray *out = call->outputs[0].array;
  MXERR_TRY(percentile_check(qs));
  if (out->size == 0) return 0;
  const size_t bytes = a->size / (out->size / qs->size) * sizeof(double);
  double *room = malloc(bytes);
  MXERR_CHECK(room != NULL, "MemoryError: cannot allocate %zu bytes to sort", bytes);
  mx_float_errors_begin();
  percentile_compute(&param->axis, a, qs, room, out);
  free(room);
  MXERR_TRY(mx_float_errors_end(call));
  return 0;
}

static int percentile_forward(mx_call *call) {
  mx_ndarray *a, *qs;
  MXERR_TRY(mx_element_convert(call, 0, MX_ELEMENT_float64, &a));
  int status = mx_element_convert(call, 1, MX_ELEMENT_float64, &qs);
  if (status == 0) {
    status = percentile_run(call, a, qs);
    mx_ndarray_release(qs);
  }
  mx_ndarray_release(a);
  MXERR_TRY(status);
  return 0;
}

/* ---- descriptor ---- */

static const char *const inputs[] = {"a", "q"};

const mx_op mx_op_percentile = {
    .name = "percentile",
    .doc =
        "Take percentiles of the elements along axes.\n\n"
        "Between elements they are linear. `q` holds numbers from 0, the smallest element, to 100, the largest; its "
        "axes come first in the result. The result is float64; it is float32 where `q` is and `a` is float32 or "
        "uint8. Where an element is not-a-number, so is the result.\n\n"
        "Raises\n------\n"
        "ValueError\n    If a number in `q` is not in [0, 100], an axis is repeated, or the result has too many "
        "dimensions.\n"
        "IndexError\n    If an axis is out of range, or there is nothing along the axes.\n"
        "TypeError\n    If `a` is bool.\n"
        "NotImplementedError\n    If an input is of a type that operators do not compute in.\n"
        "FloatingPointError\n    If a difference of elements overflows, or is that of equal infinities, and "
        "`errstate` asks for it.\n\n"
        "Examples\n--------\n"
        ">>> np.percentile([1, 2, 4], [50, 75])\narray([2., 3.])",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_NUM_REDUCE_PARAMS,
    .params = mx_reduce_params,
    .param_size = sizeof(percentile_param),
    .infer_shape = percentile_infer_shape,
    .infer_type = percentile_infer_type,
    .forward = percentile_forward,
    .takes_out = true,
};
