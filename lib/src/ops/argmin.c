/* argmin.c: where the smallest element along an axis is. */
#include "argextremum.h"

MX_ARGEXTREMUM_LOOPS(argmin, <)

MX_ARGEXTREMUM_STAGES(argmin)

const mx_op mx_op_argmin = MX_ARGEXTREMUM_OP(
    argmin,
    "Find where the smallest element along an axis is.\n\n"
    "The result is the int64 index along the axis; of equal elements, that of the first. Not-a-number is "
    "smaller than any, too." MX_ARGEXTREMUM_RAISES "Examples\n--------\n"
    ">>> np.argmin([[1, 5], [3, 4]], axis=0)\narray([0, 1])");
