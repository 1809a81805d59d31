/* less.c: a < b. */
#include "binary.h"

MX_COMPARISON_LOOPS(less, a < b);

MX_ELEMENTWISE_STAGES(less)

const mx_op mx_op_less = MX_ELEMENTWISE_OP(
    less,
    "Tell where one array is less than another.\n\n"
    "The result is bool. Numbers of different types are compared in the type that both promote to; not-a-number "
    "compares as false." MX_BINARY_RAISES MX_EXAMPLES
    ">>> np.less([1, 2, 3], 2)\narray([ True, False, False])");
