/*
 * elementwise.h: operators that compute each element of the result from the elements of one to three inputs
 * at its place. Such an operator is a table of loops; everything else is here.
 */
#ifndef MXERR_ELEMENTWISE_H
#define MXERR_ELEMENTWISE_H

#include "broadcast.h"
#include "element.h"

/* A loop over `count` elements of inputs in the type of the table; out is dense. Inputs are `stride` apart. */
typedef void mx_unary_loop(int64_t count, const void *a, int64_t stride_a, void *out);
typedef void mx_binary_loop(int64_t count, const void *a, int64_t stride_a, const void *b, int64_t stride_b,
                            void *out);
typedef void mx_ternary_loop(int64_t count, const void *const in[3], const int64_t stride[3], void *out);

/* For each element type that inputs promote to: the type that is computed in, the result's, and the loop. */
typedef struct mx_loop {
  enum {
    MX_LOOP_UNDEFINED, /* the operator does not take this type: TypeError */
    MX_LOOP_FLOAT16,   /* NumPy's result is float16, which nothing here computes in: NotImplementedError */
    MX_LOOP_GIVEN,
    MX_LOOP_QUIET /* given, and raises no floating-point errors: the processor's flags say nothing about it */
  } state;
  mx_element compute;
  int result; /* type flag */
  union {
    mx_unary_loop *unary;
    mx_binary_loop *binary;
    mx_ternary_loop *ternary;
  } run;
} mx_loop;

/* The stages of such an operator; `loops` has MX_NUM_ELEMENTS entries. */
int mx_elementwise_infer_shape(mx_call *call);
int mx_elementwise_infer_type(mx_call *call, const mx_loop *loops);
int mx_elementwise_forward(mx_call *call, const mx_loop *loops);

/*
 * The parts of them, for an operator whose first inputs are of types of their own: the loop for what the inputs
 * from `first` on promote to, and a run of it with each input in the type of `compute`.
 */
int mx_elementwise_find(const mx_call *call, int first, const mx_loop *loops, const mx_loop **out);
int mx_elementwise_run(const mx_call *call, const mx_loop *loop, const mx_element compute[3]);

/* Define loops from an expression of a, and b: MX_BINARY_LOOP(add_int32, int32_t, int32_t, a + b). */
#define MX_UNARY_LOOP(name, type, result, expression)                              \
  static void name(int64_t count, const void *in_a, int64_t stride_a, void *out) { \
    const type *pa = in_a;                                                         \
    result *po = out;                                                              \
    if (stride_a == 1)                                                             \
      for (int64_t i = 0; i < count; i++) {                                        \
        const type a = pa[i];                                                      \
        po[i] = (result)(expression);                                              \
      }                                                                            \
    else                                                                           \
      for (int64_t i = 0; i < count; i++) {                                        \
        const type a = pa[i * stride_a];                                           \
        po[i] = (result)(expression);                                              \
      }                                                                            \
  }

/* Dense loops are written apart: compilers turn only those into vector instructions. */
#define MX_BINARY_LOOP(name, type, result, expression)                                                    \
  static void name(int64_t count, const void *in_a, int64_t stride_a, const void *in_b, int64_t stride_b, \
                   void *out) {                                                                           \
    const type *pa = in_a, *pb = in_b;                                                                    \
    result *po = out;                                                                                     \
    if (stride_a == 1 && stride_b == 1)                                                                   \
      for (int64_t i = 0; i < count; i++) {                                                               \
        const type a = pa[i], b = pb[i];                                                                  \
        po[i] = (result)(expression);                                                                     \
      }                                                                                                   \
    else                                                                                                  \
      for (int64_t i = 0; i < count; i++) {                                                               \
        const type a = pa[i * stride_a], b = pb[i * stride_b];                                            \
        po[i] = (result)(expression);                                                                     \
      }                                                                                                   \
  }

#define MX_TERNARY_LOOP(name, type_a, type, expression)                                          \
  static void name(int64_t count, const void *const in[3], const int64_t stride[3], void *out) { \
    const type_a *pa = in[0];                                                                    \
    const type *pb = in[1], *pc = in[2];                                                         \
    type *po = out;                                                                              \
    for (int64_t i = 0; i < count; i++) {                                                        \
      const type_a a = pa[i * stride[0]];                                                        \
      const type b = pb[i * stride[1]], c = pc[i * stride[2]];                                   \
      po[i] = (type)(expression);                                                                \
    }                                                                                            \
  }

/* Entries of a table of loops. */
#define MX_LOOP(element, compute_in, gives, kind, loop) \
  [MX_ELEMENT_##element] = {MX_LOOP_GIVEN, MX_ELEMENT_##compute_in, MX_DTYPE_##gives, .run.kind = loop}
#define MX_QUIET_LOOP(element, compute_in, gives, kind, loop) \
  [MX_ELEMENT_##element] = {MX_LOOP_QUIET, MX_ELEMENT_##compute_in, MX_DTYPE_##gives, .run.kind = loop}

/* The stages of an operator with the table of loops of its file. */
#define MX_ELEMENTWISE_STAGES(op)                      \
  static int op##_infer_shape(mx_call *call) {         \
    MXERR_TRY(mx_elementwise_infer_shape(call));       \
    return 0;                                          \
  }                                                    \
  static int op##_infer_type(mx_call *call) {          \
    MXERR_TRY(mx_elementwise_infer_type(call, loops)); \
    return 0;                                          \
  }                                                    \
  static int op##_forward(mx_call *call) {             \
    MXERR_TRY(mx_elementwise_forward(call, loops));    \
    return 0;                                          \
  }

/* The descriptor of an operator without parameters, with the inputs of its file. */
#define MX_ELEMENTWISE_OP(op, text)                                                          \
  {                                                                                          \
    .name = #op, .doc = text, .num_inputs = MX_LENGTH(inputs), .input_names = inputs,        \
    .infer_shape = op##_infer_shape, .infer_type = op##_infer_type, .forward = op##_forward, \
    .takes_out = true,                                                                       \
  }

#endif
