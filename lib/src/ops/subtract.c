/* subtract.c: a - b; integers wrap around, bools are refused. */
#include "binary.h"

MX_BINARY_LOOP(subtract_uint8, uint8_t, uint8_t, a - b)
MX_BINARY_LOOP(subtract_int32, int32_t, int32_t, (uint32_t)a - (uint32_t)b)
MX_BINARY_LOOP(subtract_int64, int64_t, int64_t, (uint64_t)a - (uint64_t)b)
MX_BINARY_LOOP(subtract_float32, float, float, a - b)
MX_BINARY_LOOP(subtract_float64, double, double, a - b)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_SAME_LOOP(subtract, uint8),   MX_SAME_LOOP(subtract, int32),   MX_SAME_LOOP(subtract, int64),
    MX_SAME_LOOP(subtract, float32), MX_SAME_LOOP(subtract, float64),
};

MX_ELEMENTWISE_STAGES(subtract)

const mx_op mx_op_subtract = MX_ELEMENTWISE_OP(
    subtract,
    "Subtract two arrays, element by element.\n\n"
    "Integers wrap around." MX_BINARY_RAISES "\n"
    "TypeError\n    If both inputs are bool; `not_equal` is what is meant most often.\n"
    "FloatingPointError\n    If a difference overflows, or is that of equal infinities, and `errstate` asks for it." MX_EXAMPLES
    ">>> np.subtract([5, 3], [1, 4])\narray([ 4, -1])");
