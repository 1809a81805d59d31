/* positive.c: +a, a copy; bools are refused. */
#include "unary.h"

MX_UNARY_LOOP(positive_uint8, uint8_t, uint8_t, a)
MX_UNARY_LOOP(positive_int32, int32_t, int32_t, a)
MX_UNARY_LOOP(positive_int64, int64_t, int64_t, a)
MX_UNARY_LOOP(positive_float32, float, float, a)
MX_UNARY_LOOP(positive_float64, double, double, a)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_UNARY_SAME_LOOP(positive, uint8),   MX_UNARY_SAME_LOOP(positive, int32),
    MX_UNARY_SAME_LOOP(positive, int64),   MX_UNARY_SAME_LOOP(positive, float32),
    MX_UNARY_SAME_LOOP(positive, float64),
};

MX_ELEMENTWISE_STAGES(positive)

const mx_op mx_op_positive =
    MX_ELEMENTWISE_OP(positive, "Copy each element: what `+a` calls." MX_UNARY_RAISES ".\n"
                                "TypeError\n    If `a` is bool." MX_EXAMPLES
                                ">>> np.positive([1, -2])\narray([ 1, -2])");
