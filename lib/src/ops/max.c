/* max.c: the largest element along axes. */
#include "extremum.h"

MX_EXTREMUM_TABLE(max, >);

MX_EXTREMUM_STAGES(max)

const mx_op mx_op_max = MX_REDUCE_OP(
    max,
    "Take the largest element along axes.\n\n"
    "Where one is not-a-number, so is the result. For the larger of two arrays see `maximum`." MX_EXTREMUM_RAISES(
        "largest element") "Examples\n--------\n"
                           ">>> np.max([[1, 5], [3, 4]], axis=0)\narray([3, 5])");
