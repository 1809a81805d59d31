/* maximum.c: the larger of a and b. */
#include "binary.h"

MX_EXTREMUM_LOOPS(maximum, >);

MX_ELEMENTWISE_STAGES(maximum)

const mx_op mx_op_maximum = MX_ELEMENTWISE_OP(
    maximum,
    "Take the larger of two arrays, element by element.\n\n"
    "Where one is not-a-number, so is the result. For the larger element of one array see `max`." MX_BINARY_RAISES
        MX_EXAMPLES ">>> np.maximum([1, 5, 2], 3)\narray([3, 5, 3])");
