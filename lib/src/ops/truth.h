/* truth.h: what all.c and any.c share: bools made of the elements along axes; not-a-number is true. */
#ifndef MXERR_TRUTH_H
#define MXERR_TRUTH_H

#include "reduce.h"

#define MX_TRUTH_LOOP(name, type, next) MX_REDUCE_LOOPS(name, type, bool, x != 0, y next(x != 0))

/* The table of loops; `next` takes one more element in: & or |. */
#define MX_TRUTH_TABLE(op, next)                                                                  \
  MX_TRUTH_LOOP(op##_boolean, bool, next)                                                         \
  MX_TRUTH_LOOP(op##_uint8, uint8_t, next)                                                        \
  MX_TRUTH_LOOP(op##_int32, int32_t, next)                                                        \
  MX_TRUTH_LOOP(op##_int64, int64_t, next)                                                        \
  MX_TRUTH_LOOP(op##_float32, float, next)                                                        \
  MX_TRUTH_LOOP(op##_float64, double, next)                                                       \
  static const mx_reduction reductions[MX_NUM_ELEMENTS] = {                                       \
      MX_REDUCTION(boolean, MX_BOOL, op##_boolean), MX_REDUCTION(uint8, MX_BOOL, op##_uint8),     \
      MX_REDUCTION(int32, MX_BOOL, op##_int32),     MX_REDUCTION(int64, MX_BOOL, op##_int64),     \
      MX_REDUCTION(float32, MX_BOOL, op##_float32), MX_REDUCTION(float64, MX_BOOL, op##_float64), \
  }

/* The stages but forward. */
#define MX_TRUTH_STAGES(op)                            \
  static int op##_infer_shape(mx_call *call) {         \
    MXERR_TRY(mx_reduce_infer_shape(call));            \
    return 0;                                          \
  }                                                    \
  static int op##_infer_type(mx_call *call) {          \
    MXERR_TRY(mx_reduce_infer_type(call, reductions)); \
    return 0;                                          \
  }

#define MX_TRUTH_RAISES                       \
  MX_REDUCE_RAISES                            \
  "ValueError\n    If an axis is repeated.\n" \
  "NotImplementedError\n    If `a` is of a type that operators do not compute in.\n\n"

#endif
