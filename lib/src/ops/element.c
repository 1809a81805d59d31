/* element.c: promotion, casts and floating-point errors. */
#include "element.h"

#include <fenv.h>

int mx_element_of(const mx_call *call, int input, mx_element *out) {
  MXERR_TRY(mx_element_of_dtype(call, call->inputs[input]->dtype, out));
  return 0;
}

int mx_element_of_dtype(const mx_call *call, int dtype, mx_element *out) {
  switch (dtype) {
#define X(name, type, flag) \
  case flag: *out = MX_ELEMENT_##name; return 0;
    MX_ELEMENT_TYPES(X)
#undef X
  }
  MXERR_FAIL("NotImplementedError: %s: not implemented for " MXERR_VALUE(
                 "dtype", "%s") "; expected bool, uint8, int32, int64, float32 or float64",
             call->op->name, mx_dtype_name(dtype));
}

int mx_element_dtype(mx_element element) {
  static const int dtypes[] = {
#define X(name, type, flag) [MX_ELEMENT_##name] = flag,
      MX_ELEMENT_TYPES(X)
#undef X
  };
  return dtypes[element];
}

mx_element mx_element_promote(mx_element a, mx_element b) {
  const mx_element low = a < b ? a : b, high = a < b ? b : a;
  /* float32 has 24 bits, too few for these */
  if (high == MX_ELEMENT_float32 && (low == MX_ELEMENT_int32 || low == MX_ELEMENT_int64))
    return MX_ELEMENT_float64;
  return high;
}

bool mx_element_is_safe(mx_element from, mx_element to) {
  return mx_element_promote(from, to) == to || (from == MX_ELEMENT_int64 && to == MX_ELEMENT_float64);
}

bool mx_element_is_same_kind(mx_element from, mx_element to) {
  /* NumPy's order of kinds: such a cast goes up in it, or stays */
  static const int kinds[MX_NUM_ELEMENTS] = {0, 1, 2, 2, 3, 3};
  return mx_element_is_safe(from, to) || kinds[from] <= kinds[to];
}

/*
 * A float that an integer type does not hold is undefined in C. Through int64_t with its range checked, it
 * gives what NumPy gives on this machine for the usual cases, and no undefined behaviour for the rest.
 */
static inline int64_t integer_of(double x) { return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN; }

#define TO_boolean(x) ((x) != 0)
#define TO_uint8(x)                                    \
  _Generic((x), float                                  \
           : (uint8_t)integer_of((double)(x)), double  \
           : (uint8_t)integer_of((double)(x)), default \
           : (uint8_t)(x))
#define TO_int32(x)                                    \
  _Generic((x), float                                  \
           : (int32_t)integer_of((double)(x)), double  \
           : (int32_t)integer_of((double)(x)), default \
           : (int32_t)(x))
#define TO_int64(x) \
  _Generic((x), float : integer_of((double)(x)), double : integer_of((double)(x)), default : (int64_t)(x))
#define TO_float32(x) ((float)(x))
#define TO_float64(x) ((double)(x))

#define DEFINE_CAST(from_name, from_type, to_name, to_type)                                            \
  static void cast_##from_name##_##to_name(const void *in, int64_t stride, void *out, int64_t count) { \
    const from_type *from = in;                                                                        \
    to_type *to = out;                                                                                 \
    for (int64_t i = 0; i < count; i++) to[i] = TO_##to_name(from[i * stride]);                        \
  }
#define DEFINE_CASTS(name, type, flag)    \
  DEFINE_CAST(name, type, boolean, bool)  \
  DEFINE_CAST(name, type, uint8, uint8_t) \
  DEFINE_CAST(name, type, int32, int32_t) \
  DEFINE_CAST(name, type, int64, int64_t) \
  DEFINE_CAST(name, type, float32, float) \
  DEFINE_CAST(name, type, float64, double)
MX_ELEMENT_TYPES(DEFINE_CASTS)

void mx_element_cast(mx_element from, const void *in, int64_t stride, mx_element to, void *out,
                     int64_t count) {
  typedef void cast(const void *in, int64_t stride, void *out, int64_t count);
#define ROW(name, type, flag)                                                               \
  [MX_ELEMENT_##name] = {cast_##name##_boolean, cast_##name##_uint8,   cast_##name##_int32, \
                         cast_##name##_int64,   cast_##name##_float32, cast_##name##_float64},
  static cast *const casts[MX_NUM_ELEMENTS][MX_NUM_ELEMENTS] = {MX_ELEMENT_TYPES(ROW)};
#undef ROW
  casts[from][to](in, stride, out, count);
}

int mx_element_convert(const mx_call *call, int input, mx_element to, mx_ndarray **out) {
  mx_ndarray *array = call->inputs[input];
  mx_element from = to;
  MXERR_TRY(mx_element_of(call, input, &from));
  if (from == to) {
    mx_ndarray_retain(array);
    *out = array;
    return 0;
  }
  MXERR_TRY(mx_ndarray_create(&array->shape, mx_element_dtype(to), false, out));
  mx_element_cast(from, array->data, 1, to, (*out)->data, (int64_t)array->size);
  return 0;
}

/* ---- floating-point errors ---- */

_Thread_local mx_errstate mx_errors_wanted;

static bool any_wanted(void) {
  const mx_errstate wanted = mx_errors_wanted;
  return wanted.divide || wanted.over || wanted.under || wanted.invalid;
}

void mx_float_errors_begin(void) {
  if (any_wanted()) feclearexcept(FE_ALL_EXCEPT); /* not for free: it goes through memory */
}

int mx_float_errors_end(const mx_call *call) {
  const mx_errstate wanted = mx_errors_wanted;
  if (!any_wanted()) return 0;
  const char *name = call->op->name;
  const int raised = fetestexcept((wanted.divide ? FE_DIVBYZERO : 0) | (wanted.over ? FE_OVERFLOW : 0) |
                                  (wanted.under ? FE_UNDERFLOW : 0) | (wanted.invalid ? FE_INVALID : 0));
  MXERR_CHECK(!(raised & FE_DIVBYZERO), "FloatingPointError: divide by zero encountered in %s", name);
  MXERR_CHECK(!(raised & FE_OVERFLOW), "FloatingPointError: overflow encountered in %s", name);
  MXERR_CHECK(!(raised & FE_UNDERFLOW), "FloatingPointError: underflow encountered in %s", name);
  MXERR_CHECK(!(raised & FE_INVALID), "FloatingPointError: invalid value encountered in %s", name);
  return 0;
}
