/* argmax.c: where the largest element along an axis is. */
#include "axis.h"
#include "reduce.h"

typedef struct argmax_param {
  mx_optional_int axis;
  bool keepdims;
  mx_shape axes; /* no parameter: what infer_shape makes of `axis` */
} argmax_param;

/* Not-a-number is larger than any; of equals the first is taken. */
#define DEFINE_ARGMAX(name, type)                                                                  \
  static inline bool name##_exceeds(type x, type y) { return (x > y) | ((x != x) & (y == y)); }    \
  static void name(const mx_axis_split *s, const void *in, int64_t *out) {                         \
    const type *block = in;                                                                        \
    for (int64_t i = 0; i < s->before; i++, block += s->along * s->after, out += s->after)         \
      if (s->after == 1) {                                                                         \
        int64_t best = 0;                                                                          \
        for (int64_t r = 1; r < s->along; r++)                                                     \
          if (name##_exceeds(block[r], block[best])) best = r;                                     \
        out[0] = best;                                                                             \
      } else                                                                                       \
        for (int64_t r = 1; r < s->along; r++)                                                     \
          for (int64_t c = 0; c < s->after; c++)                                                   \
            if (name##_exceeds(block[r * s->after + c], block[out[c] * s->after + c])) out[c] = r; \
  }
#define X(name, type, dtype) DEFINE_ARGMAX(argmax_##name, type)
MX_ELEMENT_TYPES(X)
#undef X

static int argmax_infer_shape(mx_call *call) {
  argmax_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  char text[MX_SHAPE_TEXT_MAX];
  param->axes = (mx_shape){.ndim = param->axis.given ? 1 : -1, .dim = {param->axis.value}};
  MXERR_TRY(mx_reduce_axes(call, shape, &param->axes));
  MXERR_CHECK(!mx_reduce_is_empty(shape, &param->axes),
              "ValueError: argmax: attempt to get argmax of an empty sequence. " MXERR_VALUE("a.shape", "%s"),
              mx_shape_print(shape, text));
  call->outputs[0].shape = mx_reduce_shape(shape, &param->axes, param->keepdims);
  return 0;
}

static int argmax_infer_type(mx_call *call) {
  mx_element element;
  MXERR_TRY(mx_element_of(call, 0, &element));
  call->outputs[0].dtype = MX_INT64;
  return 0;
}

static int argmax_forward(mx_call *call) {
  typedef void loop(const mx_axis_split *s, const void *in, int64_t *out);
#define X(name, type, dtype) [MX_ELEMENT_##name] = argmax_##name,
  static loop *const loops[MX_NUM_ELEMENTS] = {MX_ELEMENT_TYPES(X)};
#undef X
  const argmax_param *param = call->param;
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

static const mx_param params[] = {
    {"axis", MX_PARAM_INT_OR_NONE, offsetof(argmax_param, axis), "None",
     "The axis that goes; a negative one counts from the end. None takes all elements, in C order."},
    {"keepdims", MX_PARAM_BOOL, offsetof(argmax_param, keepdims), "False",
     "Whether the axis stays, with length 1; all axes where `axis` is None."},
};

const mx_op mx_op_argmax = {
    .name = "argmax",
    .doc =
        "Find where the largest element along an axis is.\n\n"
        "The result is the int64 index along the axis; of equal elements, that of the first. Not-a-number is "
        "larger than any.\n\n"
        "Raises\n------\n"
        "IndexError\n    If the axis is out of range. NumPy's AxisError is this and a ValueError; here it is "
        "this alone.\n"
        "ValueError\n    If there is nothing along the axis.\n"
        "NotImplementedError\n    If `a` is of a type that operators do not compute in.\n\n"
        "Examples\n--------\n"
        ">>> np.argmax([[1, 5], [3, 4]], axis=1)\narray([1, 1])",
    .num_inputs = 1,
    .input_names = mx_reduce_inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(argmax_param),
    .infer_shape = argmax_infer_shape,
    .infer_type = argmax_infer_type,
    .forward = argmax_forward,
    .takes_out = true,
};
