/* sum.c: the sum along axes; integers wrap around. */
#include "summation.h"

/* Unsigned numbers wrap around without undefined behaviour, and as signed ones do. */
MX_REDUCE_LOOPS(sum_boolean, bool, uint64_t, (uint64_t)x, y + (uint64_t)x)
MX_REDUCE_LOOPS(sum_uint8, uint8_t, uint64_t, (uint64_t)x, y + (uint64_t)x)
MX_REDUCE_LOOPS(sum_int32, int32_t, uint64_t, (uint64_t)x, y + (uint64_t)x)
MX_REDUCE_LOOPS(sum_int64, int64_t, uint64_t, (uint64_t)x, y + (uint64_t)x)
MX_FLOAT_SUM_LOOPS(sum_float32, float, float)
MX_FLOAT_SUM_LOOPS(sum_float64, double, double)

static const mx_reduction reductions[MX_NUM_ELEMENTS] = {
    MX_REDUCTION(boolean, MX_INT64, sum_boolean),   MX_REDUCTION(uint8, MX_UINT64, sum_uint8),
    MX_REDUCTION(int32, MX_INT64, sum_int32),       MX_REDUCTION(int64, MX_INT64, sum_int64),
    MX_REDUCTION(float32, MX_FLOAT32, sum_float32), MX_REDUCTION(float64, MX_FLOAT64, sum_float64),
};

MX_ACCUMULATE_STAGES(sum, NULL)

const mx_op mx_op_sum = MX_ACCUMULATE_OP(
    sum,
    "Add up the elements along axes.\n\n"
    "Of bool and signed integers the sum is int64, of unsigned ones uint64, which `cast` makes a type that all "
    "operators compute in; integers wrap around. The sum of nothing is zero. Floats in a row are added pairwise, so that rounding "
    "errors stay small." MX_ACCUMULATE_RAISES "\n"
    "FloatingPointError\n    If a sum overflows, or is that of opposite infinities, and `errstate` asks for it.\n\n"
    "Examples\n--------\n"
    ">>> np.sum([[1, 2], [3, 4]], axis=0)\narray([4, 6])");
