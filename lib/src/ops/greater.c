/* greater.c: a > b. */
#include "binary.h"

MX_COMPARISON_LOOPS(greater, a > b);

MX_ELEMENTWISE_STAGES(greater)

const mx_op mx_op_greater = MX_ELEMENTWISE_OP(
    greater,
    "Tell where one array is greater than another.\n\n"
    "The result is bool. Numbers of different types are compared in the type that both promote to; not-a-number "
    "compares as false." MX_BINARY_RAISES MX_EXAMPLES
    ">>> np.greater([1, 2, 3], 2)\narray([False, False,  True])");
