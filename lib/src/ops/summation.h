/*
 * summation.h: loops that add up. Floats in a row are added pairwise, as NumPy does: rounding errors grow with
 * the logarithm of their number. Floats in columns are added one after the other, as NumPy does too.
 */
#ifndef MXERR_SUMMATION_H
#define MXERR_SUMMATION_H

#include "reduce.h"

/* Defines `name`_one and `name`_many: sums of `type` in the floating type `result`. */
#define MX_FLOAT_SUM_LOOPS(name, type, result)                                                       \
  static result name##_pairwise(const type *in, int64_t count) {                                     \
    enum { LANES = 8, BLOCK = 128 };                                                                 \
    if (count < LANES) {                                                                             \
      result sum = -(result)0; /* minus zero and minus zero are minus zero */                        \
      for (int64_t i = 0; i < count; i++) sum += (result)in[i];                                      \
      return sum;                                                                                    \
    }                                                                                                \
    if (count <= BLOCK) {                                                                            \
      result lane[LANES];                                                                            \
      int64_t i = LANES;                                                                             \
      for (int k = 0; k < LANES; k++) lane[k] = (result)in[k];                                       \
      for (; i + LANES <= count; i += LANES)                                                         \
        for (int k = 0; k < LANES; k++) lane[k] += (result)in[i + k];                                \
      result sum =                                                                                   \
          ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7])); \
      for (; i < count; i++) sum += (result)in[i];                                                   \
      return sum;                                                                                    \
    }                                                                                                \
    const int64_t half = count / 2 - count / 2 % LANES;                                              \
    return name##_pairwise(in, half) + name##_pairwise(in + half, count - half);                     \
  }                                                                                                  \
  static void name##_one(int64_t count, const void *in, void *out, bool first) {                     \
    const result sum = name##_pairwise(in, count);                                                   \
    *(result *)out = first ? sum : *(result *)out + sum;                                             \
  }                                                                                                  \
  MX_REDUCE_MANY(name, type, result, (result)x, y + (result)x)

#endif
