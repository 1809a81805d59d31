/* extremum.h: what max.c and min.c share: the best element along axes; not-a-number is better than any. */
#ifndef MXERR_EXTREMUM_H
#define MXERR_EXTREMUM_H

#include "reduce.h"

/* Both are written with `|`, not `||`, and with lanes, so that compilers make vector instructions of them. */
#define MX_EXTREMUM_LOOP(name, type, better)                                                   \
  static inline type name##_pick(type x, type y) { return ((x better y) | (x != x)) ? x : y; } \
  static void name##_one(int64_t count, const void *in, void *out, bool first) {               \
    enum { LANES = 16 };                                                                       \
    const type *elements = in;                                                                 \
    type best = first ? elements[0] : *(type *)out;                                            \
    int64_t i = 0;                                                                             \
    if (count >= LANES) {                                                                      \
      type lane[LANES];                                                                        \
      for (int k = 0; k < LANES; k++) lane[k] = elements[k];                                   \
      for (i = LANES; i + LANES <= count; i += LANES)                                          \
        for (int k = 0; k < LANES; k++) lane[k] = name##_pick(elements[i + k], lane[k]);       \
      for (int k = 0; k < LANES; k++) best = name##_pick(lane[k], best);                       \
    }                                                                                          \
    for (; i < count; i++) best = name##_pick(elements[i], best);                              \
    *(type *)out = best;                                                                       \
  }                                                                                            \
  MX_REDUCE_MANY(name, type, type, x, name##_pick(x, y))

#define MX_EXTREMUM_TABLE(op, better)                                                                   \
  MX_EXTREMUM_LOOP(op##_boolean, bool, better)                                                          \
  MX_EXTREMUM_LOOP(op##_uint8, uint8_t, better)                                                         \
  MX_EXTREMUM_LOOP(op##_int32, int32_t, better)                                                         \
  MX_EXTREMUM_LOOP(op##_int64, int64_t, better)                                                         \
  MX_EXTREMUM_LOOP(op##_float32, float, better)                                                         \
  MX_EXTREMUM_LOOP(op##_float64, double, better)                                                        \
  static const mx_reduction reductions[MX_NUM_ELEMENTS] = {                                             \
      MX_REDUCTION(boolean, MX_BOOL, op##_boolean),    MX_REDUCTION(uint8, MX_UINT8, op##_uint8),       \
      MX_REDUCTION(int32, MX_INT32, op##_int32),       MX_REDUCTION(int64, MX_INT64, op##_int64),       \
      MX_REDUCTION(float32, MX_FLOAT32, op##_float32), MX_REDUCTION(float64, MX_FLOAT64, op##_float64), \
  }

/* The stages; nothing has no best element. */
#define MX_EXTREMUM_STAGES(op)                                                                            \
  static int op##_infer_shape(mx_call *call) {                                                            \
    const mx_reduce_param *param = call->param;                                                           \
    const mx_shape *shape = &call->inputs[0]->shape;                                                      \
    char text[MX_SHAPE_TEXT_MAX];                                                                         \
    MXERR_TRY(mx_reduce_infer_shape(call));                                                               \
    MXERR_CHECK(!mx_reduce_is_empty(shape, &param->axis),                                                 \
                "ValueError: " #op                                                                        \
                ": zero-size array to reduction operation which has no identity. " MXERR_VALUE("a.shape", \
                                                                                               "%s"),     \
                mx_shape_print(shape, text));                                                             \
    return 0;                                                                                             \
  }                                                                                                       \
  static int op##_infer_type(mx_call *call) {                                                             \
    MXERR_TRY(mx_reduce_infer_type(call, reductions));                                                    \
    return 0;                                                                                             \
  }                                                                                                       \
  static int op##_forward(mx_call *call) {                                                                \
    MXERR_TRY(mx_reduce_forward(call, reductions));                                                       \
    return 0;                                                                                             \
  }

#endif
