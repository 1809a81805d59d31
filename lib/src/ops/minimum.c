/* minimum.c: the smaller of a and b. */
#include "binary.h"

MX_EXTREMUM_LOOPS(minimum, <);

MX_ELEMENTWISE_STAGES(minimum)

const mx_op mx_op_minimum = MX_ELEMENTWISE_OP(
    minimum,
    "Take the smaller of two arrays, element by element.\n\n"
    "Where one is not-a-number, so is the result. For the smaller element of one array see `min`." MX_BINARY_RAISES
        MX_EXAMPLES ">>> np.minimum([1, 5, 2], 3)\narray([1, 3, 2])");
