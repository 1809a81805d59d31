/* casting.c: see casting.h. */
#include "casting.h"

#include <fenv.h>
#include <math.h>

/* X(name, C type, type flag) */
#define CAST_TYPES(X)            \
  X(boolean, bool, MX_BOOL)      \
  X(uint8, uint8_t, MX_UINT8)    \
  X(uint16, uint16_t, MX_UINT16) \
  X(uint32, uint32_t, MX_UINT32) \
  X(uint64, uint64_t, MX_UINT64) \
  X(int8, int8_t, MX_INT8)       \
  X(int16, int16_t, MX_INT16)    \
  X(int32, int32_t, MX_INT32)    \
  X(int64, int64_t, MX_INT64)    \
  X(float32, float, MX_FLOAT32)  \
  X(float64, double, MX_FLOAT64)

enum {
#define X(name, type, flag) CAST_##name,
  CAST_TYPES(X)
#undef X
      NUM_CAST_TYPES
};

/* The place of a type in the tables; NUM_CAST_TYPES for one that is not cast. */
static int place_of(int dtype) {
  switch (dtype) {
#define X(name, type, flag) \
  case flag: return CAST_##name;
    CAST_TYPES(X)
#undef X
  }
  return NUM_CAST_TYPES;
}

bool mx_is_unsigned(int dtype) {
  const int place = place_of(dtype);
  return place >= CAST_uint8 && place <= CAST_uint64;
}

bool mx_is_integer(int dtype) {
  const int place = place_of(dtype);
  return place >= CAST_uint8 && place <= CAST_int64;
}

static bool is_float(int place) { return place == CAST_float32 || place == CAST_float64; }

int mx_cast_check(const mx_call *call, int from, int to) {
  const int other = place_of(from) == NUM_CAST_TYPES ? from : to;
  MXERR_CHECK(place_of(other) != NUM_CAST_TYPES,
              "NotImplementedError: %s: not implemented for " MXERR_VALUE(
                  "dtype", "%s") "; expected bool, an integer type, float32 or float64",
              call->op->name, mx_dtype_name(other));
  return 0;
}

/* ---- rules ---- */

/* NumPy's order of kinds: bool, unsigned, signed, float. */
static int kind_of(int dtype) {
  return dtype == MX_BOOL ? 0 : mx_is_unsigned(dtype) ? 1 : mx_is_integer(dtype) ? 2 : 3;
}

bool mx_cast_is_safe(int from, int to) {
  const int kind = kind_of(from), other = kind_of(to);
  const size_t size = mx_dtype_size(from), room = mx_dtype_size(to);
  if (kind == 0 || from == to) return true;
  if (other == 3)
    return kind == 3 ? size <= room : room == 8 || size <= 2; /* int64 to float64 counts as safe */
  return kind == other ? size <= room : kind == 1 && other == 2 && size < room;
}

bool mx_cast_is_same_kind(int from, int to) {
  return mx_cast_is_safe(from, to) || kind_of(from) <= kind_of(to);
}

/* ---- casts ---- */

/*
 * A float that an integer type does not hold is undefined in C. Through int64_t with its range checked, it gives
 * what NumPy gives on this machine for the usual cases, and no undefined behaviour for the rest.
 */
static inline int64_t integer_of(double x) { return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN; }
static inline uint64_t unsigned_of(double x) {
  return x >= 0x1p63 && x < 0x1p64 ? (uint64_t)x : (uint64_t)integer_of(x);
}

#define THROUGH(of, type, x) \
  _Generic((x), float : (type)of((double)(x)), double : (type)of((double)(x)), default : (type)(x))
#define TO_boolean(x) ((x) != 0)
#define TO_uint8(x) THROUGH(integer_of, uint8_t, x)
#define TO_uint16(x) THROUGH(integer_of, uint16_t, x)
#define TO_uint32(x) THROUGH(integer_of, uint32_t, x)
#define TO_uint64(x) THROUGH(unsigned_of, uint64_t, x)
#define TO_int8(x) THROUGH(integer_of, int8_t, x)
#define TO_int16(x) THROUGH(integer_of, int16_t, x)
#define TO_int32(x) THROUGH(integer_of, int32_t, x)
#define TO_int64(x) THROUGH(integer_of, int64_t, x)
#define TO_float32(x) ((float)(x))
#define TO_float64(x) ((double)(x))

#define DEFINE_CAST(from_name, from_type, to_name, to_type)                                            \
  static void cast_##from_name##_##to_name(const void *in, int64_t stride, void *out, int64_t count) { \
    const from_type *from = in;                                                                        \
    to_type *to = out;                                                                                 \
    for (int64_t i = 0; i < count; i++) to[i] = TO_##to_name(from[i * stride]);                        \
  }
#define DEFINE_CASTS(name, type, flag)      \
  DEFINE_CAST(name, type, boolean, bool)    \
  DEFINE_CAST(name, type, uint8, uint8_t)   \
  DEFINE_CAST(name, type, uint16, uint16_t) \
  DEFINE_CAST(name, type, uint32, uint32_t) \
  DEFINE_CAST(name, type, uint64, uint64_t) \
  DEFINE_CAST(name, type, int8, int8_t)     \
  DEFINE_CAST(name, type, int16, int16_t)   \
  DEFINE_CAST(name, type, int32, int32_t)   \
  DEFINE_CAST(name, type, int64, int64_t)   \
  DEFINE_CAST(name, type, float32, float)   \
  DEFINE_CAST(name, type, float64, double)
CAST_TYPES(DEFINE_CASTS)

void mx_cast(int from, const void *in, int64_t stride, int to, void *out, int64_t count) {
  typedef void cast(const void *in, int64_t stride, void *out, int64_t count);
#define ROW(name, type, flag)                                                                                \
  [CAST_##name] = {cast_##name##_boolean, cast_##name##_uint8,   cast_##name##_uint16, cast_##name##_uint32, \
                   cast_##name##_uint64,  cast_##name##_int8,    cast_##name##_int16,  cast_##name##_int32,  \
                   cast_##name##_int64,   cast_##name##_float32, cast_##name##_float64},
  static cast *const casts[NUM_CAST_TYPES][NUM_CAST_TYPES] = {CAST_TYPES(ROW)};
#undef ROW
  casts[place_of(from)][place_of(to)](in, stride, out, count);
}

void mx_cast_flag_invalid(int from, const void *in, int64_t stride, int to, int64_t count) {
  if (!is_float(place_of(from)) || !mx_is_integer(to)) return;
  /* as processors do it: narrow types by way of wider ones, whose ranges count */
  const size_t size = mx_dtype_size(to);
  const double least = to == MX_UINT64 ? 0 : size < 4 || to == MX_INT32 ? -0x1p31 : -0x1p63;
  const double most = to == MX_UINT64 ? 0x1p64 : size < 4 || to == MX_INT32 ? 0x1p31 : 0x1p63;
  for (int64_t i = 0; i < count; i++) {
    const double x =
        from == MX_FLOAT32 ? (double)((const float *)in)[i * stride] : ((const double *)in)[i * stride];
    if (isnan(x) || trunc(x) < least || trunc(x) >= most) {
      feraiseexcept(FE_INVALID);
      return;
    }
  }
}

int mx_cast_array(mx_ndarray *array, int to, mx_ndarray **out) {
  if (array->dtype == to) {
    mx_ndarray_retain(array);
    *out = array;
    return 0;
  }
  MXERR_TRY(mx_ndarray_create(&array->shape, to, false, out));
  mx_cast(array->dtype, array->data, 1, to, (*out)->data, (int64_t)array->size);
  return 0;
}
