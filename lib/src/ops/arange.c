/* arange.c: numbers at equal distances. */
#include <math.h>

#include "element.h"

typedef struct arange_param {
  mx_number start, stop, step;
  int dtype; /* -1: int64 for integers, else float64 */
} arange_param;

static bool all_integers(const arange_param *param) {
  return param->start.is_int && param->stop.is_int && param->step.is_int;
}

/* Counts without rounding where all are integers; the differences are taken as unsigned, for they may not fit. */
static double count_integers(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const uint64_t distance = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
  const uint64_t pace = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  return (double)((distance - 1) / pace + 1);
}

static int arange_infer_shape(mx_call *call) {
  const arange_param *param = call->param;
  MXERR_CHECK_NE(param->step.real, 0.0, "ValueError: arange: the step cannot be zero");
  const double count = all_integers(param)
                           ? count_integers(param->start.integer, param->stop.integer, param->step.integer)
                           : ceil((param->stop.real - param->start.real) / param->step.real);
  MXERR_CHECK(!isnan(count), "ValueError: arange: cannot compute a length from start, stop and step");
  MXERR_CHECK_LT(count, 0x1p62, "ValueError: arange: the maximum size is exceeded");
  call->outputs[0].shape.ndim = 1;
  call->outputs[0].shape.dim[0] = count > 0 ? (int64_t)count : 0;
  return 0;
}

static int arange_infer_type(mx_call *call) {
  const arange_param *param = call->param;
  mx_element element;
  call->outputs[0].dtype = param->dtype >= 0 ? param->dtype : all_integers(param) ? MX_INT64 : MX_FLOAT64;
  MXERR_TRY(mx_element_of_dtype(call, call->outputs[0].dtype, &element));
  MXERR_CHECK(element != MX_ELEMENT_boolean, "TypeError: arange: expected numbers, got dtype bool");
  return 0;
}

/* ---- forward: as NumPy does it, the first two numbers give the distance of all, in the type of the result ---- */

/* Unsigned numbers wrap around without undefined behaviour, and as signed ones do. */
#define DEFINE_FILL(name, type, wrapping)                                                       \
  static void name(const void *first_two, int64_t count, void *out) {                           \
    const type *two = first_two;                                                                \
    type *to = out;                                                                             \
    const wrapping first = (wrapping)two[0], pace = (wrapping)((wrapping)two[1] - first);       \
    for (int64_t i = 0; i < count; i++) to[i] = (type)(first + (wrapping)((wrapping)i * pace)); \
    if (count > 1) to[1] = two[1];                                                              \
  }
DEFINE_FILL(fill_uint8, uint8_t, uint32_t)
DEFINE_FILL(fill_int32, int32_t, uint32_t)
DEFINE_FILL(fill_int64, int64_t, uint64_t)
DEFINE_FILL(fill_float32, float, float)
DEFINE_FILL(fill_float64, double, double)

/* A number as an integer, without its fraction. */
static int to_integer(const mx_call *call, double real, int64_t *out) {
  MXERR_CHECK(real >= -0x1p63 && real < 0x1p63,
              "OverflowError: %s: " MXERR_VALUE("number", "%g") " is out of bounds for int64", call->op->name,
              real);
  *out = (int64_t)real;
  return 0;
}

/* Writes the first two numbers, or the one that there is twice. */
static int first_two(const mx_call *call, mx_element to, int64_t count, void *out) {
  const arange_param *param = call->param;
  const bool integers = all_integers(param);
  const double real[2] = {param->start.real, param->start.real + (count > 1 ? param->step.real : 0)};
  int64_t whole[2] = {param->start.integer, param->start.integer};
  if (integers && count > 1) whole[1] += param->step.integer; /* below the end, and so in range */
  if (mx_element_is_float(to) && !integers) {
    mx_element_cast(MX_ELEMENT_float64, real, 1, to, out, 2);
    return 0;
  }
  for (int i = 0; i < 2; i++) {
    if (!integers) MXERR_TRY(to_integer(call, real[i], &whole[i]));
    MXERR_TRY(mx_element_check_holds(call, to, whole[i]));
  }
  mx_element_cast(MX_ELEMENT_int64, whole, 1, to, out, 2);
  return 0;
}

static int arange_forward(mx_call *call) {
  typedef void fill(const void *first_two, int64_t count, void *out);
  static fill *const fills[MX_NUM_ELEMENTS] = {
      [MX_ELEMENT_uint8] = fill_uint8,     [MX_ELEMENT_int32] = fill_int32,
      [MX_ELEMENT_int64] = fill_int64,     [MX_ELEMENT_float32] = fill_float32,
      [MX_ELEMENT_float64] = fill_float64,
  };
  mx_ndarray *out = call->outputs[0].array;
  mx_element to;
  double two[2]; /* the largest type */
  MXERR_TRY(mx_element_of_dtype(call, out->dtype, &to));
  if (out->size == 0) return 0;
  MXERR_TRY(first_two(call, to, (int64_t)out->size, two));
  fills[to](two, (int64_t)out->size, out->data);
  return 0;
}

static const mx_param params[] = {
    {"start", MX_PARAM_NUMBER, offsetof(arange_param, start), NULL, "The first number."},
    {"stop", MX_PARAM_NUMBER, offsetof(arange_param, stop), NULL, "The end, excluded."},
    {"step", MX_PARAM_NUMBER, offsetof(arange_param, step), "1", "The distance."},
    {"dtype", MX_PARAM_DTYPE_OR_NONE, offsetof(arange_param, dtype), "None",
     "The type of the elements; None takes int64 for integers, else float64."},
};

const mx_op mx_op_arange = {
    .name = "arange",
    .doc = "Make numbers from `start` to `stop` at equal distances.\n\n"
           "Raises\n------\n"
           "OverflowError\n    If the first or the second number is out of bounds for an integer type.\n"
           "ValueError\n    If the step is zero, or there would be too many numbers.\n"
           "TypeError\n    If `dtype` is bool.\n"
           "NotImplementedError\n    If `dtype` is not one that operators compute in.",
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(arange_param),
    .infer_shape = arange_infer_shape,
    .infer_type = arange_infer_type,
    .forward = arange_forward,
};
