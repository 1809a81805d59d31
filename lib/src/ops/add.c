/* add.c: a + b; integers wrap around, bools are or-ed. */
#include "binary.h"

MX_BINARY_LOOP(add_boolean, bool, bool, a || b)
MX_BINARY_LOOP(add_uint8, uint8_t, uint8_t, a + b)
MX_BINARY_LOOP(add_int32, int32_t, int32_t, (uint32_t)a + (uint32_t)b)
MX_BINARY_LOOP(add_int64, int64_t, int64_t, (uint64_t)a + (uint64_t)b)
MX_BINARY_LOOP(add_float32, float, float, a + b)
MX_BINARY_LOOP(add_float64, double, double, a + b)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_SAME_LOOP(add, boolean), MX_SAME_LOOP(add, uint8),   MX_SAME_LOOP(add, int32),
    MX_SAME_LOOP(add, int64),   MX_SAME_LOOP(add, float32), MX_SAME_LOOP(add, float64),
};

MX_ELEMENTWISE_STAGES(add)

const mx_op mx_op_add = MX_ELEMENTWISE_OP(
    add,
    "Add two arrays, element by element.\n\n"
    "Integers wrap around; of bools, the result is true where one is." MX_BINARY_RAISES "\n"
    "FloatingPointError\n    If a sum overflows, or is that of opposite infinities, and `errstate` asks for it." MX_EXAMPLES
    ">>> np.add([1, 2, 3], 0.5)\narray([1.5, 2.5, 3.5])");
