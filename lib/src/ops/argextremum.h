/* argextremum.h: what argmax.c and argmin.c share: where the best element along an axis is. */
#ifndef MXERR_ARGEXTREMUM_H
#define MXERR_ARGEXTREMUM_H

#include "axis.h"
#include "reduce.h"

typedef struct argextremum_param {
  mx_optional_int axis;
  bool keepdims;
  mx_shape axes; /* no parameter: what infer_shape makes of `axis` */
} argextremum_param;

typedef void argextremum_loop(const mx_axis_split *s, const void *in, int64_t *out);

/* Not-a-number is better than any; of equals the first is taken. */
#define MX_ARGEXTREMUM_LOOP(name, type, better)                                                      \
  static inline bool name##_exceeds(type x, type y) { return (x better y) | ((x != x) & (y == y)); } \
  static void name(const mx_axis_split *s, const void *in, int64_t *out) {                           \
    const type *block = in;                                                                          \
    for (int64_t i = 0; i < s->before; i++, block += s->along * s->after, out += s->after)           \
      if (s->after == 1) {                                                                           \
        int64_t best = 0;                                                                            \
        for (int64_t r = 1; r < s->along; r++)                                                       \
          if (name##_exceeds(block[r], block[best])) best = r;                                       \
        out[0] = best;                                                                               \
      } else                                                                                         \
        for (int64_t r = 1; r < s->along; r++)                                                       \
          for (int64_t c = 0; c < s->after; c++)                                                     \
            if (name##_exceeds(block[r * s->after + c], block[out[c] * s->after + c])) out[c] = r;   \
  }

#define MX_ARGEXTREMUM_LOOPS(op, better)                                                           \
  MX_ARGEXTREMUM_LOOP(op##_boolean, bool, better)                                                  \
  MX_ARGEXTREMUM_LOOP(op##_uint8, uint8_t, better)                                                 \
  MX_ARGEXTREMUM_LOOP(op##_int32, int32_t, better)                                                 \
  MX_ARGEXTREMUM_LOOP(op##_int64, int64_t, better)                                                 \
  MX_ARGEXTREMUM_LOOP(op##_float32, float, better)                                                 \
  MX_ARGEXTREMUM_LOOP(op##_float64, double, better)                                                \
  static argextremum_loop *const loops[MX_NUM_ELEMENTS] = {op##_boolean, op##_uint8,   op##_int32, \
                                                           op##_int64,   op##_float32, op##_float64};

static int argextremum_shape(mx_call *call) {
  argextremum_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  char text[MX_SHAPE_TEXT_MAX];
  param->axes = (mx_shape){.ndim = param->axis.given ? 1 : -1, .dim = {param->axis.value}};
  MXERR_TRY(mx_reduce_axes(call, shape, &param->axes));
  MXERR_CHECK(!mx_reduce_is_empty(shape, &param->axes),
              "ValueError: %s: attempt to get %s of an empty sequence. " MXERR_VALUE("a.shape", "%s"),
              call->op->name, call->op->name, mx_shape_print(shape, text));
  call->outputs[0].shape = mx_reduce_shape(shape, &param->axes, param->keepdims);
  return 0;
}

static int argextremum_type(mx_call *call) {
  mx_element element;
  MXERR_TRY(mx_element_of(call, 0, &element));
  call->outputs[0].dtype = MX_INT64;
  return 0;
}

static int argextremum_run(mx_call *call, argextremum_loop *const *loops) {
  const argextremum_param *param = call->param;
  const mx_ndarray *in = call->inputs[0];
  mx_element element;
  MXERR_TRY(mx_element_of(call, 0, &element));
  if (in->size == 0) return 0;
  const bool along_one = param->axis.given && in->shape.ndim > 0;
  const mx_axis_split split = along_one ? mx_axis_split_of(&in->shape, (int)param->axes.dim[0])
                                        : (mx_axis_split){1, (int64_t)in->size, 1};
  loops[element](&split, in->data, call->outputs[0].array->data);
  return 0;
}

#define MX_ARGEXTREMUM_STAGES(op)              \
  static int op##_infer_shape(mx_call *call) { \
    MXERR_TRY(argextremum_shape(call));        \
    return 0;                                  \
  }                                            \
  static int op##_infer_type(mx_call *call) {  \
    MXERR_TRY(argextremum_type(call));         \
    return 0;                                  \
  }                                            \
  static int op##_forward(mx_call *call) {     \
    MXERR_TRY(argextremum_run(call, loops));   \
    return 0;                                  \
  }

static const mx_param params[] = {
    {"axis", MX_PARAM_INT_OR_NONE, offsetof(argextremum_param, axis), "None",
     "The axis that goes; a negative one counts from the end. None takes all elements, in C order."},
    {"keepdims", MX_PARAM_BOOL, offsetof(argextremum_param, keepdims), "False",
     "Whether the axis stays, with length 1; all axes where `axis` is None."},
};

#define MX_ARGEXTREMUM_OP(op, text)                                                             \
  {                                                                                             \
    .name = #op, .doc = text, .num_inputs = 1, .input_names = mx_reduce_inputs,                 \
    .num_params = MX_LENGTH(params), .params = params, .param_size = sizeof(argextremum_param), \
    .infer_shape = op##_infer_shape, .infer_type = op##_infer_type, .forward = op##_forward,    \
    .takes_out = true,                                                                          \
  }

#define MX_ARGEXTREMUM_RAISES                                                                                         \
  "\n\nRaises\n------\n"                                                                                              \
  "IndexError\n    If the axis is out of range. NumPy's AxisError is this and a ValueError; here it is this alone.\n" \
  "ValueError\n    If there is nothing along the axis.\n"                                                             \
  "NotImplementedError\n    If `a` is of a type that operators do not compute in.\n\n"

#endif
