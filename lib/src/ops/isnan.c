/* isnan.c: whether a is not-a-number. */
#include "unary.h"

MX_UNARY_LOOP(isnan_boolean, bool, bool, ((void)a, false))
MX_UNARY_LOOP(isnan_float32, float, bool, a != a)
MX_UNARY_LOOP(isnan_float64, double, bool, a != a)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_QUIET_LOOP(boolean, boolean, boolean, unary, isnan_boolean),
    MX_QUIET_LOOP(uint8, boolean, boolean, unary, isnan_boolean), /* computed in bool: no integer is one */
    MX_QUIET_LOOP(int32, boolean, boolean, unary, isnan_boolean),
    MX_QUIET_LOOP(int64, boolean, boolean, unary, isnan_boolean),
    MX_QUIET_LOOP(float32, float32, boolean, unary, isnan_float32),
    MX_QUIET_LOOP(float64, float64, boolean, unary, isnan_float64),
};

MX_ELEMENTWISE_STAGES(isnan)

const mx_op mx_op_isnan =
    MX_ELEMENTWISE_OP(isnan, "Tell where an array is not-a-number.\n\n"
                             "The result is bool, and false for integers." MX_UNARY_RAISES "." MX_EXAMPLES
                             ">>> np.isnan([1.0, float('nan')])\narray([False,  True])");
