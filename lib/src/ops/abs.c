/* abs.c: the absolute value of a; that of the least integer wraps around to itself. */
#include <math.h>

#include "unary.h"

MX_UNARY_LOOP(abs_boolean, bool, bool, a)
MX_UNARY_LOOP(abs_uint8, uint8_t, uint8_t, a)
MX_UNARY_LOOP(abs_int32, int32_t, int32_t, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
MX_UNARY_LOOP(abs_int64, int64_t, int64_t, a < 0 ? (uint64_t)0 - (uint64_t)a : (uint64_t)a)
MX_UNARY_LOOP(abs_float32, float, float, fabsf(a))
MX_UNARY_LOOP(abs_float64, double, double, fabs(a))

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_UNARY_SAME_LOOP(abs, boolean), MX_UNARY_SAME_LOOP(abs, uint8),   MX_UNARY_SAME_LOOP(abs, int32),
    MX_UNARY_SAME_LOOP(abs, int64),   MX_UNARY_SAME_LOOP(abs, float32), MX_UNARY_SAME_LOOP(abs, float64),
};

MX_ELEMENTWISE_STAGES(abs)

const mx_op mx_op_abs =
    MX_ELEMENTWISE_OP(abs, "Take the absolute value of each element.\n\n"
                           "The least number of an integer type has none and stays as it is." MX_UNARY_RAISES
                           "." MX_EXAMPLES ">>> np.abs([-1.5, 2])\narray([1.5, 2. ])");
