/* power.c: a to the power of b; integers stay integers, and wrap around. */
#include <math.h>

#include "binary.h"

/* By squaring. Unsigned numbers wrap around without undefined behaviour, and as signed ones do. */
#define DEFINE_POWER(name, type, wrapping)                            \
  static type name(type base, type exponent) {                        \
    wrapping result = 1, square = (wrapping)base;                     \
    for (wrapping rest = (wrapping)exponent; rest != 0; rest >>= 1) { \
      if (rest & 1) result *= square;                                 \
      square *= square;                                               \
    }                                                                 \
    return (type)result;                                              \
  }
DEFINE_POWER(whole_power_uint8, uint8_t, uint32_t)
DEFINE_POWER(whole_power_int32, int32_t, uint32_t)
DEFINE_POWER(whole_power_int64, int64_t, uint64_t)

MX_BINARY_LOOP(power_boolean, bool, int8_t, a || !b)
MX_BINARY_LOOP(power_uint8, uint8_t, uint8_t, whole_power_uint8(a, b))
MX_BINARY_LOOP(power_int32, int32_t, int32_t, whole_power_int32(a, b))
MX_BINARY_LOOP(power_int64, int64_t, int64_t, whole_power_int64(a, b))
MX_BINARY_LOOP(power_float32, float, float, powf(a, b))
MX_BINARY_LOOP(power_float64, double, double, pow(a, b))

enum { MX_DTYPE_int8 = MX_INT8 };

static const mx_loop loops[MX_NUM_ELEMENTS] = {
    MX_LOOP(boolean, boolean, int8, binary, power_boolean), /* int8, as NumPy has it */
    MX_SAME_LOOP(power, uint8),
    MX_SAME_LOOP(power, int32),
    MX_SAME_LOOP(power, int64),
    MX_SAME_LOOP(power, float32),
    MX_SAME_LOOP(power, float64),
};

static int power_infer_shape(mx_call *call) {
  MXERR_TRY(mx_elementwise_infer_shape(call));
  return 0;
}

static int power_infer_type(mx_call *call) {
  MXERR_TRY(mx_elementwise_infer_type(call, loops));
  return 0;
}

/* An integer has no integer to give for a negative power. */
static int power_check_exponents(const mx_ndarray *b) {
  const int32_t *narrow = b->data;
  const int64_t *wide = b->data;
  for (size_t i = 0; i < b->size; i++) {
    const long long exponent = b->dtype == MX_INT32 ? narrow[i] : wide[i];
    MXERR_CHECK_GE(exponent, 0,
                   "ValueError: power: Integers to negative integer powers are not allowed. "
                   "Expected floats or exponents from 0 on");
  }
  return 0;
}

static int power_forward(mx_call *call) {
  const mx_output *output = &call->outputs[0];
  const mx_ndarray *b = call->inputs[1];
  const bool whole = output->dtype == MX_INT32 || output->dtype == MX_INT64;
  if (whole && (b->dtype == MX_INT32 || b->dtype == MX_INT64) && output->array->size > 0)
    MXERR_TRY(power_check_exponents(b));
  MXERR_TRY(mx_elementwise_forward(call, loops));
  return 0;
}

const mx_op mx_op_power = MX_ELEMENTWISE_OP(
    power,
    "Raise the elements of an array to powers.\n\n"
    "Of integers the result is an integer, and wraps around; of bools it is int8. A float has a float as result: "
    "not-a-number for a negative base and an exponent that is not whole." MX_BINARY_RAISES_OR(
        ", or integers are raised to negative integer powers.") "\n"
                                                                "FloatingPointError\n    If a power overflows, underflows, is one of zero to a negative number, or is "
                                                                "not-a-number, and `errstate` asks for it." MX_EXAMPLES
                                                                ">>> np.power([1, 2, 3], 2)\narray([1, 4, 9])");
