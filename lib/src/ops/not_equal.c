/* not_equal.c: a != b. */
#include "binary.h"

MX_COMPARISON_LOOPS(not_equal, a != b);

MX_ELEMENTWISE_STAGES(not_equal)

const mx_op mx_op_not_equal = MX_ELEMENTWISE_OP(
    not_equal,
    "Tell where two arrays differ.\n\n"
    "The result is bool. Numbers of different types are compared in the type that both promote to; not-a-number "
    "differs from everything, also from itself." MX_BINARY_RAISES MX_EXAMPLES
    ">>> np.not_equal([1, 2, 3], 2)\narray([ True, False,  True])");
