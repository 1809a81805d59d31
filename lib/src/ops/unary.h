/* unary.h: what the files of operators on one array repeat. */
#ifndef MXERR_UNARY_H
#define MXERR_UNARY_H

#include "elementwise.h"

static const char *const inputs[] = {"a"};

#define MX_UNARY_SAME_LOOP(op, element) MX_LOOP(element, element, element, unary, op##_##element)

/*
 * Loops of a function of real numbers, for its C function of either type: int32 and int64 are computed in
 * float64. NumPy computes bool and uint8 in float16.
 */
#define MX_REAL_LOOPS(op, of_float, of_double)                 \
  MX_UNARY_LOOP(op##_float32, float, float, of_float(a))       \
  MX_UNARY_LOOP(op##_float64, double, double, of_double(a))    \
  static const mx_loop loops[MX_NUM_ELEMENTS] = {              \
      [MX_ELEMENT_boolean] = {.state = MX_LOOP_FLOAT16},       \
      [MX_ELEMENT_uint8] = {.state = MX_LOOP_FLOAT16},         \
      MX_LOOP(int32, float64, float64, unary, op##_float64),   \
      MX_LOOP(int64, float64, float64, unary, op##_float64),   \
      MX_LOOP(float32, float32, float32, unary, op##_float32), \
      MX_LOOP(float64, float64, float64, unary, op##_float64), \
  }

/* The section of every docstring that tells the errors. */
#define MX_UNARY_RAISES  \
  "\n\nRaises\n------\n" \
  "NotImplementedError\n    If `a` is of a type that operators do not compute in"
#define MX_REAL_RAISES MX_UNARY_RAISES ", or is bool or uint8: NumPy gives float16 for them."

#define MX_EXAMPLES "\n\nExamples\n--------\n"

#endif
