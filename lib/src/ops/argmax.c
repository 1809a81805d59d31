/* argmax.c: where the largest element along an axis is. */
#include "argextremum.h"

MX_ARGEXTREMUM_LOOPS(argmax, >)

MX_ARGEXTREMUM_STAGES(argmax)

const mx_op mx_op_argmax = MX_ARGEXTREMUM_OP(
    argmax,
    "Find where the largest element along an axis is.\n\n"
    "The result is the int64 index along the axis; of equal elements, that of the first. Not-a-number is "
    "larger than any." MX_ARGEXTREMUM_RAISES "Examples\n--------\n"
    ">>> np.argmax([[1, 5], [3, 4]], axis=1)\narray([1, 1])");
