/* multiply.c: a * b; integers wrap around, bools are and-ed. */
#include "binary.h"

MX_BINARY_LOOP(multiply_boolean, bool, bool, a &&b)
MX_BINARY_LOOP(multiply_uint8, uint8_t, uint8_t, a *b)
MX_BINARY_LOOP(multiply_int32, int32_t, int32_t, (uint32_t)a *(uint32_t)b)
MX_BINARY_LOOP(multiply_int64, int64_t, int64_t, (uint64_t)a *(uint64_t)b)
MX_BINARY_LOOP(multiply_float32, float, float, a *b)
MX_BINARY_LOOP(multiply_float64, double, double, a *b)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_SAME_LOOP(multiply, boolean), MX_SAME_LOOP(multiply, uint8),   MX_SAME_LOOP(multiply, int32),
    MX_SAME_LOOP(multiply, int64),   MX_SAME_LOOP(multiply, float32), MX_SAME_LOOP(multiply, float64),
};

MX_ELEMENTWISE_STAGES(multiply)

const mx_op mx_op_multiply = MX_ELEMENTWISE_OP(
    multiply,
    "Multiply two arrays, element by element.\n\n"
    "Integers wrap around; of bools, the result is true where both are." MX_BINARY_RAISES "\n"
    "FloatingPointError\n    If a product overflows or underflows, or is that of zero and infinity, and `errstate` "
    "asks for it." MX_EXAMPLES ">>> np.multiply([[1], [2]], [10, 20])\narray([[10, 20],\n       [20, 40]])");
