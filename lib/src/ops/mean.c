/* mean.c: the mean along axes. */
#include "summation.h"

MX_FLOAT_SUM_LOOPS(mean_boolean, bool, double)
MX_FLOAT_SUM_LOOPS(mean_uint8, uint8_t, double)
MX_FLOAT_SUM_LOOPS(mean_int32, int32_t, double)
MX_FLOAT_SUM_LOOPS(mean_int64, int64_t, double)
MX_FLOAT_SUM_LOOPS(mean_float32, float, float)
MX_FLOAT_SUM_LOOPS(mean_float64, double, double)

static const mx_reduction reductions[MX_NUM_ELEMENTS] = {
    MX_REDUCTION(boolean, MX_FLOAT64, mean_boolean), MX_REDUCTION(uint8, MX_FLOAT64, mean_uint8),
    MX_REDUCTION(int32, MX_FLOAT64, mean_int32),     MX_REDUCTION(int64, MX_FLOAT64, mean_int64),
    MX_REDUCTION(float32, MX_FLOAT32, mean_float32), MX_REDUCTION(float64, MX_FLOAT64, mean_float64),
};

/* Divides the sums; those of nothing are zeros, and 0 / 0 is not-a-number. */
static void mean_finish(mx_ndarray *out, size_t count) {
  float *narrow = out->data;
  double *wide = out->data;
  const size_t each = out->size > 0 ? count / out->size : 0;
  for (size_t i = 0; i < out->size; i++)
    if (out->dtype == MX_FLOAT32)
      narrow[i] /= (float)each;
    else
      wide[i] /= (double)each;
}

MX_ACCUMULATE_STAGES(mean, mean_finish)

const mx_op mx_op_mean = MX_ACCUMULATE_OP(
    mean,
    "Take the mean of the elements along axes.\n\n"
    "Of integers and bools it is float64. The mean of nothing is not-a-number. Floats in a row are added pairwise, so "
    "that rounding errors stay small." MX_ACCUMULATE_RAISES "\n"
    "FloatingPointError\n    If a sum overflows, or a mean is one of nothing or of opposite infinities, and `errstate` "
    "asks for it.\n\n"
    "Examples\n--------\n"
    ">>> np.mean([[1, 2], [3, 4]], axis=1, keepdims=True)\narray([[1.5],\n       [3.5]])");
