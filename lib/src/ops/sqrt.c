/* sqrt.c: the square root of a. */
#include <math.h>

#include "unary.h"

MX_REAL_LOOPS(sqrt, sqrtf, sqrt);

MX_ELEMENTWISE_STAGES(sqrt)

const mx_op mx_op_sqrt = MX_ELEMENTWISE_OP(
    sqrt,
    "Take the square root of each element.\n\n"
    "Of int32 and int64 the result is float64. A negative number gives not-a-number." MX_REAL_RAISES "\n"
    "FloatingPointError\n    If an element is negative, and `errstate` asks for it." MX_EXAMPLES
    ">>> np.sqrt([1, 4, 9])\narray([1., 2., 3.])");
