/* min.c: the smallest element along axes. */
#include "extremum.h"

MX_EXTREMUM_TABLE(min, <);

MX_EXTREMUM_STAGES(min)

const mx_op mx_op_min = MX_REDUCE_OP(
    min,
    "Take the smallest element along axes.\n\n"
    "Where one is not-a-number, so is the result. For the smaller of two arrays see `minimum`." MX_EXTREMUM_RAISES(
        "smallest element") "Examples\n--------\n"
                            ">>> np.min([[1, 5], [3, 4]], axis=0)\narray([1, 4])");
