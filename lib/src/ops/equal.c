/* equal.c: a == b. */
#include "binary.h"

MX_COMPARISON_LOOPS(equal, a == b);

MX_ELEMENTWISE_STAGES(equal)

const mx_op mx_op_equal = MX_ELEMENTWISE_OP(
    equal,
    "Tell where two arrays are equal.\n\n"
    "The result is bool. Numbers of different types are compared in the type that both promote to; not-a-number "
    "equals nothing, not even itself." MX_BINARY_RAISES MX_EXAMPLES
    ">>> np.equal([1, 2, 3], 2)\narray([False,  True, False])");
