/* exp.c: e to the power of a. */
#include <math.h>

#include "unary.h"

MX_REAL_LOOPS(exp, expf, exp);

MX_ELEMENTWISE_STAGES(exp)

const mx_op mx_op_exp = MX_ELEMENTWISE_OP(
    exp,
    "Raise e to the power of each element.\n\n"
    "Of int32 and int64 the result is float64. What is too large gives infinity." MX_REAL_RAISES "\n"
    "FloatingPointError\n    If a result overflows or underflows, and `errstate` asks for it." MX_EXAMPLES
    ">>> np.exp([0.0, -float('inf')])\narray([1., 0.])");
