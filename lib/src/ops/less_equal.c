/* less_equal.c: a <= b. */
#include "binary.h"

MX_COMPARISON_LOOPS(less_equal, a <= b);

MX_ELEMENTWISE_STAGES(less_equal)

const mx_op mx_op_less_equal = MX_ELEMENTWISE_OP(
    less_equal,
    "Tell where one array is less than or equal to another.\n\n"
    "The result is bool. Numbers of different types are compared in the type that both promote to; not-a-number "
    "compares as false." MX_BINARY_RAISES MX_EXAMPLES
    ">>> np.less_equal([1, 2, 3], 2)\narray([ True,  True, False])");
