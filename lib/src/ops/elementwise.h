/*
 * elementwise.h: operators that compute each element of the result from the elements of one or two inputs at
 * its place. Such an operator is a table of loops; everything else is here.
 */
#ifndef MXERR_ELEMENTWISE_H
#define MXERR_ELEMENTWISE_H

#include "broadcast.h"
#include "element.h"

/* A loop over `count` elements of inputs in the type of the table; out is dense. Inputs are `stride` apart. */
typedef void mx_unary_loop(int64_t count, const void *a, int64_t stride_a, void *out);
typedef void mx_binary_loop(int64_t count, const void *a, int64_t stride_a, const void *b, int64_t stride_b,
                            void *out);

/* For each element type that inputs promote to: the type that is computed in, the result's, and the loop. */
typedef struct mx_loop {
  bool given; /* false: the operator does not take this type: TypeError */
  mx_element compute;
  mx_element result;
  union {
    mx_unary_loop *unary;
    mx_binary_loop *binary;
  } run;
} mx_loop;

/* The stages of such an operator; `loops` has MX_NUM_ELEMENTS entries. */
int mx_elementwise_infer_shape(mx_call *call);
int mx_elementwise_infer_type(mx_call *call, const mx_loop *loops);
int mx_elementwise_forward(mx_call *call, const mx_loop *loops);

/* Define loops from an expression of a, and b: MX_BINARY_LOOP(add_int32, int32_t, int32_t, a + b). */
#define MX_UNARY_LOOP(name, type, result, expression)                                                  \
  static void name(int64_t count, const void *in_a, int64_t stride_a, void *out) {                      \
    const type *pa = in_a;                                                                              \
    result *po = out;                                                                                   \
    if (stride_a == 1)                                                                                  \
      for (int64_t i = 0; i < count; i++) {                                                             \
        const type a = pa[i];                                                                           \
        po[i] = (result)(expression);                                                                   \
      }                                                                                                 \
    else                                                                                                \
      for (int64_t i = 0; i < count; i++) {                                                             \
        const type a = pa[i * stride_a];                                                                \
        po[i] = (result)(expression);                                                                   \
      }                                                                                                 \
  }

/* Dense loops are written apart: compilers turn only those into vector instructions. */
#define MX_BINARY_LOOP(name, type, result, expression)                                                  \
  static void name(int64_t count, const void *in_a, int64_t stride_a, const void *in_b, int64_t stride_b, \
                   void *out) {                                                                         \
    const type *pa = in_a, *pb = in_b;                                                                  \
    result *po = out;                                                                                   \
    if (stride_a == 1 && stride_b == 1)                                                                 \
      for (int64_t i = 0; i < count; i++) {                                                             \
        const type a = pa[i], b = pb[i];                                                                \
        po[i] = (result)(expression);                                                                   \
      }                                                                                                 \
    else                                                                                                \
      for (int64_t i = 0; i < count; i++) {                                                             \
        const type a = pa[i * stride_a], b = pb[i * stride_b];                                          \
        po[i] = (result)(expression);                                                                   \
      }                                                                                                 \
  }

/* Entries of a table of loops. */
#define MX_LOOP(element, compute_in, gives, kind, loop)                 \
  [MX_ELEMENT_##element] = {true, MX_ELEMENT_##compute_in, MX_ELEMENT_##gives, .run.kind = loop}

/* The stages and the descriptor of an operator with the inputs and the table of loops of its file. */
#define MX_DEFINE_ELEMENTWISE(op, doc_text)                                                               \
  static int op##_infer_type(mx_call *call) {                                                             \
    MXERR_TRY(mx_elementwise_infer_type(call, loops));                                                    \
    return 0;                                                                                             \
  }                                                                                                       \
  static int op##_forward(mx_call *call) {                                                                \
    MXERR_TRY(mx_elementwise_forward(call, loops));                                                       \
    return 0;                                                                                             \
  }                                                                                                       \
  const mx_op mx_op_##op = {                                                                              \
      .name = #op,                                                                                        \
      .doc = doc_text,                                                                                    \
      .num_inputs = MX_LENGTH(inputs),                                                                    \
      .input_names = inputs,                                                                              \
      .infer_shape = mx_elementwise_infer_shape,                                                          \
      .infer_type = op##_infer_type,                                                                      \
      .forward = op##_forward,                                                                            \
  }

#endif
