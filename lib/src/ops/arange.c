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

static int arange_forward(mx_call *call) {
  enum { BLOCK = 256 };
  const arange_param *param = call->param;
  mx_ndarray *out = call->outputs[0].array;
  const bool integers = all_integers(param);
  mx_element to;
  MXERR_TRY(mx_element_of_dtype(call, out->dtype, &to));
  for (int64_t begin = 0; begin < (int64_t)out->size; begin += BLOCK) {
    int64_t whole[BLOCK];
    double real[BLOCK];
    const int64_t count = (int64_t)out->size - begin < BLOCK ? (int64_t)out->size - begin : BLOCK;
    for (int64_t i = 0; i < count; i++) {
      whole[i] =
          (int64_t)((uint64_t)param->start.integer + (uint64_t)(begin + i) * (uint64_t)param->step.integer);
      real[i] = param->start.real + (double)(begin + i) * param->step.real;
    }
    mx_element_cast(integers ? MX_ELEMENT_int64 : MX_ELEMENT_float64, integers ? (void *)whole : (void *)real,
                    1, to, (char *)out->data + (size_t)begin * mx_dtype_size(out->dtype), count);
  }
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
