/* log.c: the natural logarithm of a. */
#include <math.h>

#include "unary.h"

MX_REAL_LOOPS(log, logf, log);

MX_ELEMENTWISE_STAGES(log)

const mx_op mx_op_log = MX_ELEMENTWISE_OP(
    log,
    "Take the natural logarithm of each element.\n\n"
    "Of int32 and int64 the result is float64. Zero gives negative infinity, a negative number not-a-number." MX_REAL_RAISES
    "\n"
    "FloatingPointError\n    If an element is zero or negative, and `errstate` asks for it." MX_EXAMPLES
    ">>> np.log([1, 0])\narray([  0., -inf])");
