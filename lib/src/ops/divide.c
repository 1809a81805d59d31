/* divide.c: a / b, the true quotient: integers are divided as float64. */
#include "binary.h"

MX_BINARY_LOOP(divide_float32, float, float, a / b)
MX_BINARY_LOOP(divide_float64, double, double, a / b)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_LOOP(boolean, float64, float64, binary, divide_float64),
    MX_LOOP(uint8, float64, float64, binary, divide_float64),
    MX_LOOP(int32, float64, float64, binary, divide_float64),
    MX_LOOP(int64, float64, float64, binary, divide_float64),
    MX_SAME_LOOP(divide, float32),
    MX_SAME_LOOP(divide, float64),
};

MX_ELEMENTWISE_STAGES(divide)

const mx_op mx_op_divide = MX_ELEMENTWISE_OP(
    divide,
    "Divide two arrays, element by element.\n\n"
    "Of integers and bools the quotient is float64. A division by zero gives infinity, or not-a-number for 0 / 0." MX_BINARY_RAISES
    "\n"
    "FloatingPointError\n    If a quotient is one by zero, overflows, underflows, or is not-a-number, and `errstate` "
    "asks for it." MX_EXAMPLES ">>> np.divide([1, 2], 4)\narray([0.25, 0.5 ])");
