/* greater_equal.c: a >= b. */
#include "binary.h"

MX_COMPARISON_LOOPS(greater_equal, a >= b);

MX_ELEMENTWISE_STAGES(greater_equal)

const mx_op mx_op_greater_equal = MX_ELEMENTWISE_OP(
    greater_equal,
    "Tell where one array is greater than or equal to another.\n\n"
    "The result is bool. Numbers of different types are compared in the type that both promote to; not-a-number "
    "compares as false." MX_BINARY_RAISES MX_EXAMPLES
    ">>> np.greater_equal([1, 2, 3], 2)\narray([False,  True,  True])");
