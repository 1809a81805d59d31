/* negative.c: -a; integers wrap around, bools are refused. */
#include "unary.h"

MX_UNARY_LOOP(negative_uint8, uint8_t, uint8_t, 0u - a)
MX_UNARY_LOOP(negative_int32, int32_t, int32_t, 0u - (uint32_t)a)
MX_UNARY_LOOP(negative_int64, int64_t, int64_t, (uint64_t)0 - (uint64_t)a)
MX_UNARY_LOOP(negative_float32, float, float, -a)
MX_UNARY_LOOP(negative_float64, double, double, -a)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_UNARY_SAME_LOOP(negative, uint8),   MX_UNARY_SAME_LOOP(negative, int32),
    MX_UNARY_SAME_LOOP(negative, int64),   MX_UNARY_SAME_LOOP(negative, float32),
    MX_UNARY_SAME_LOOP(negative, float64),
};

MX_ELEMENTWISE_STAGES(negative)

const mx_op mx_op_negative = MX_ELEMENTWISE_OP(
    negative, "Negate each element.\n\n"
              "Integers wrap around: the negative of 1 in uint8 is 255." MX_UNARY_RAISES ".\n"
              "TypeError\n    If `a` is bool; `equal` with False is what is meant most often." MX_EXAMPLES
              ">>> np.negative([1, -2])\narray([-1,  2])");
