/*
 * reduce.h: operators that make one number of all elements along some axes. Such an operator is a table of
 * loops; the axes, the shape of the result and the walk over the array are here.
 */
#ifndef MXERR_REDUCE_H
#define MXERR_REDUCE_H

#include "element.h"

typedef struct mx_reduce_param {
  mx_shape axis; /* from infer_shape on: all axes that go, counted from 0, in ascending order */
  bool keepdims;
  int dtype; /* -1: what NumPy takes; only of those that accumulate */
} mx_reduce_param;

/*
 * A loop over `count` elements that lie in a row. One kind makes one number of them, *out; the other takes
 * them into as many numbers, out[i]. Where `first` holds, the numbers are not there yet.
 */
typedef void mx_reduce_loop(int64_t count, const void *in, void *out, bool first);

/* For each element type of the input: the result's, and both kinds of loop. */
typedef struct mx_reduction {
  int result; /* type flag */
  mx_reduce_loop *one;
  mx_reduce_loop *many;
} mx_reduction;

/* Puts the list of axes that go in place of what was given; IndexError and ValueError for what is none. */
int mx_reduce_axes(const mx_call *call, const mx_shape *shape, mx_shape *axis);

/* The shape that is left. */
mx_shape mx_reduce_shape(const mx_shape *shape, const mx_shape *axes, bool keepdims);

/* True where an axis that goes has length 0. */
bool mx_reduce_is_empty(const mx_shape *shape, const mx_shape *axes);

/* The stages of such an operator, with a mx_reduce_param; `reductions` has MX_NUM_ELEMENTS entries. */
int mx_reduce_infer_shape(mx_call *call);
int mx_reduce_infer_type(mx_call *call, const mx_reduction *reductions);
/* Leaves zeros where there is nothing to reduce. */
int mx_reduce_forward(mx_call *call, const mx_reduction *reductions);

/*
 * The same for operators that accumulate: in the type that a parameter says, and of any integers. `finish`, or NULL,
 * has the last word on the result of `count` elements. Floating-point errors are told.
 */
int mx_accumulate_infer_type(mx_call *call, const mx_reduction *reductions);
int mx_accumulate_forward(mx_call *call, const mx_reduction *reductions,
                          void (*finish)(mx_ndarray *out, size_t count));

/* Defines both loops from a first value of x, and from one that takes x into y: for any order of elements. */
#define MX_REDUCE_LOOPS(name, type, result, first_value, next_value)             \
  static void name##_one(int64_t count, const void *in, void *out, bool first) { \
    const type *elements = in;                                                   \
    type x = elements[0];                                                        \
    result y = *(result *)out;                                                   \
    y = first ? (first_value) : (next_value);                                    \
    for (int64_t i = 1; i < count; i++) {                                        \
      x = elements[i];                                                           \
      y = (next_value);                                                          \
    }                                                                            \
    *(result *)out = y;                                                          \
  }                                                                              \
  MX_REDUCE_MANY(name, type, result, first_value, next_value)

#define MX_REDUCE_MANY(name, type, result, first_value, next_value)               \
  static void name##_many(int64_t count, const void *in, void *out, bool first) { \
    const type *restrict elements = in;                                           \
    result *restrict results = out;                                               \
    if (first)                                                                    \
      for (int64_t i = 0; i < count; i++) {                                       \
        const type x = elements[i];                                               \
        results[i] = (first_value);                                               \
      }                                                                           \
    else                                                                          \
      for (int64_t i = 0; i < count; i++) {                                       \
        const type x = elements[i];                                               \
        const result y = results[i];                                              \
        results[i] = (next_value);                                                \
      }                                                                           \
  }

#define MX_REDUCTION(element, gives, name) [MX_ELEMENT_##element] = {gives, name##_one, name##_many}

/* The stages of an operator that accumulates, with the table of loops of its file; then its parameters. */
#define MX_ACCUMULATE_STAGES(op, finish)                        \
  static int op##_infer_shape(mx_call *call) {                  \
    MXERR_TRY(mx_reduce_infer_shape(call));                     \
    return 0;                                                   \
  }                                                             \
  static int op##_infer_type(mx_call *call) {                   \
    MXERR_TRY(mx_accumulate_infer_type(call, reductions));      \
    return 0;                                                   \
  }                                                             \
  static int op##_forward(mx_call *call) {                      \
    MXERR_TRY(mx_accumulate_forward(call, reductions, finish)); \
    return 0;                                                   \
  }

#define MX_ACCUMULATE_OP(op, text) MX_REDUCTION_OP(op, text, MX_NUM_ACCUMULATE_PARAMS)
#define MX_REDUCE_OP(op, text) MX_REDUCTION_OP(op, text, MX_NUM_REDUCE_PARAMS)

#define MX_REDUCTION_OP(op, text, count)                                                                \
  {                                                                                                     \
    .name = #op, .doc = text, .num_inputs = 1, .input_names = mx_reduce_inputs, .num_params = count,    \
    .params = mx_reduce_params, .param_size = sizeof(mx_reduce_param), .infer_shape = op##_infer_shape, \
    .infer_type = op##_infer_type, .forward = op##_forward, .takes_out = true,                          \
  }

extern const char *const mx_reduce_inputs[1];
enum { MX_NUM_REDUCE_PARAMS = 2, MX_NUM_ACCUMULATE_PARAMS = 3 };
extern const mx_param mx_reduce_params[MX_NUM_ACCUMULATE_PARAMS];

/* The section of every docstring that tells the errors, in parts. */
#define MX_REDUCE_RAISES \
  "\n\nRaises\n------\n" \
  "IndexError\n    If an axis is out of range. NumPy's AxisError is this and a ValueError; here it is this alone.\n"

#define MX_ACCUMULATE_RAISES                  \
  MX_REDUCE_RAISES                            \
  "ValueError\n    If an axis is repeated.\n" \
  "NotImplementedError\n    If `a` is of float16 or complex numbers, or `dtype` is not one that operators compute in."

#define MX_EXTREMUM_RAISES(name)                                                                           \
  MX_REDUCE_RAISES                                                                                         \
  "ValueError\n    If an axis is repeated, or there is nothing along the axes: nothing has no " name ".\n" \
  "NotImplementedError\n    If `a` is of a type that operators do not compute in.\n\n"

#endif
