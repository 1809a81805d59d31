/* binary.h: what the files of operators on two arrays repeat. */
#ifndef MXERR_BINARY_H
#define MXERR_BINARY_H

#include "elementwise.h"

static const char *const inputs[] = {"a", "b"};

/* The loops of an operator that computes in the type that both inputs promote to, and gives that type. */
#define MX_SAME_LOOP(op, element) MX_LOOP(element, element, element, binary, op##_##element)
#define MX_QUIET_SAME_LOOP(op, element) MX_QUIET_LOOP(element, element, element, binary, op##_##element)

/* Loops that give bool, for an expression that is the same for every type. */
#define MX_COMPARISON_LOOPS(op, expression)                           \
  MX_BINARY_LOOP(op##_boolean, bool, bool, expression)                \
  MX_BINARY_LOOP(op##_uint8, uint8_t, bool, expression)               \
  MX_BINARY_LOOP(op##_int32, int32_t, bool, expression)               \
  MX_BINARY_LOOP(op##_int64, int64_t, bool, expression)               \
  MX_BINARY_LOOP(op##_float32, float, bool, expression)               \
  MX_BINARY_LOOP(op##_float64, double, bool, expression)              \
  static const mx_loop loops[MX_NUM_ELEMENTS] = {                     \
      MX_QUIET_LOOP(boolean, boolean, boolean, binary, op##_boolean), \
      MX_QUIET_LOOP(uint8, uint8, boolean, binary, op##_uint8),       \
      MX_QUIET_LOOP(int32, int32, boolean, binary, op##_int32),       \
      MX_QUIET_LOOP(int64, int64, boolean, binary, op##_int64),       \
      MX_QUIET_LOOP(float32, float32, boolean, binary, op##_float32), \
      MX_QUIET_LOOP(float64, float64, boolean, binary, op##_float64), \
  }

/* Loops that give one of both, the better one; not-a-number is better than any. */
#define MX_EXTREMUM_LOOPS(op, better)                                                                    \
  MX_BINARY_LOOP(op##_boolean, bool, bool, a better b ? a : b)                                           \
  MX_BINARY_LOOP(op##_uint8, uint8_t, uint8_t, a better b ? a : b)                                       \
  MX_BINARY_LOOP(op##_int32, int32_t, int32_t, a better b ? a : b)                                       \
  MX_BINARY_LOOP(op##_int64, int64_t, int64_t, a better b ? a : b)                                       \
  MX_BINARY_LOOP(op##_float32, float, float, ((a better b) | (a != a)) ? a : b)                          \
  MX_BINARY_LOOP(op##_float64, double, double, ((a better b) | (a != a)) ? a : b)                        \
  static const mx_loop loops[MX_NUM_ELEMENTS] = {                                                        \
      MX_QUIET_SAME_LOOP(op, boolean), MX_QUIET_SAME_LOOP(op, uint8),   MX_QUIET_SAME_LOOP(op, int32),   \
      MX_QUIET_SAME_LOOP(op, int64),   MX_QUIET_SAME_LOOP(op, float32), MX_QUIET_SAME_LOOP(op, float64), \
  }

/* The section of every docstring that tells the errors. */
#define MX_BINARY_RAISES MX_BINARY_RAISES_OR(".")
#define MX_BINARY_RAISES_OR(other)                            \
  "\n\nRaises\n------\n"                                      \
  "ValueError\n    If the shapes do not broadcast" other "\n" \
  "NotImplementedError\n    If an input is of a type that operators do not compute in."

#define MX_EXAMPLES "\n\nExamples\n--------\n"

#endif
