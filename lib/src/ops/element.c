/* element.c: promotion, casts and floating-point errors. */
#include "element.h"

#include <fenv.h>

#include "casting.h"

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

void mx_element_cast(mx_element from, const void *in, int64_t stride, mx_element to, void *out,
                     int64_t count) {
  mx_cast(mx_element_dtype(from), in, stride, mx_element_dtype(to), out, count);
}

int mx_element_check_holds(const mx_call *call, mx_element element, int64_t number) {
  static const int64_t least[MX_NUM_ELEMENTS] =
      {[MX_ELEMENT_int32] = INT32_MIN, [MX_ELEMENT_int64] = INT64_MIN};
  static const int64_t most[MX_NUM_ELEMENTS] =
      {1, [MX_ELEMENT_uint8] = UINT8_MAX, [MX_ELEMENT_int32] = INT32_MAX, [MX_ELEMENT_int64] = INT64_MAX};
  MXERR_CHECK(mx_element_is_float(element) || (number >= least[element] && number <= most[element]),
              "OverflowError: %s: " MXERR_VALUE("number",
                                                "%lld") " is out of bounds for " MXERR_VALUE("dtype", "%s"),
              call->op->name, (long long)number, mx_dtype_name(mx_element_dtype(element)));
  return 0;
}

int mx_element_convert(const mx_call *call, int input, mx_element to, mx_ndarray **out) {
  mx_element from;
  MXERR_TRY(mx_element_of(call, input, &from)); /* of a type that is computed in */
  MXERR_TRY(mx_cast_array(call->inputs[input], mx_element_dtype(to), out));
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

int mx_float_errors_end_cast(const mx_call *call, const mx_ndarray *in, int64_t stride, int64_t count) {
  if (mx_errors_wanted.invalid)
    mx_cast_flag_invalid(in->dtype, in->data, stride, call->outputs[0].dtype, count);
  MXERR_TRY(mx_float_errors_end(call));
  return 0;
}
