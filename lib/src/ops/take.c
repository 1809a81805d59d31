/* take.c: picks elements along an axis by their positions. */
#include <string.h>

#include "axis.h"
#include "element.h"

typedef struct take_param {
  mx_optional_int axis;
} take_param;

static int resolve(const mx_call *call, int *axis) {
  const take_param *param = call->param;
  *axis = 0; /* of the flattened array, where none is given */
  if (param->axis.given)
    MXERR_TRY(mx_axis_resolve(call, param->axis.value, call->inputs[0]->shape.ndim, axis));
  return 0;
}

/* The array as it is seen: cut at the axis, or flattened. */
static mx_axis_split split_of(const mx_call *call, int axis) {
  const take_param *param = call->param;
  if (!param->axis.given) return (mx_axis_split){1, (int64_t)call->inputs[0]->size, 1};
  return mx_axis_split_of(&call->inputs[0]->shape, axis);
}

static int take_infer_shape(mx_call *call) {
  const take_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape, *indices = &call->inputs[1]->shape;
  mx_shape *out = &call->outputs[0].shape;
  int axis;
  MXERR_TRY(resolve(call, &axis));
  const int rest = param->axis.given ? shape->ndim - 1 : 0;
  MXERR_CHECK_LE(rest + indices->ndim, MX_MAX_NDIM,
                 "ValueError: take: the result would have too many dimensions");
  out->ndim = 0;
  for (int i = 0; i < axis; i++) out->dim[out->ndim++] = shape->dim[i];
  for (int i = 0; i < indices->ndim; i++) out->dim[out->ndim++] = indices->dim[i];
  for (int i = axis + 1; param->axis.given && i < shape->ndim; i++) out->dim[out->ndim++] = shape->dim[i];
  return 0;
}

static int take_infer_type(mx_call *call) {
  mx_element element;
  call->outputs[0].dtype = call->inputs[0]->dtype;
  MXERR_TRY(mx_element_of(call, 1, &element));
  MXERR_CHECK(!mx_element_is_float(element) && element != MX_ELEMENT_boolean,
              "TypeError: take: expected indices of an integer type, got %s",
              mx_dtype_name(call->inputs[1]->dtype));
  return 0;
}

/* Reads the indices of one block as positions from 0. */
static int read_positions(const mx_call *call, int64_t begin, int64_t count, int64_t length, int64_t *out) {
  const mx_ndarray *indices = call->inputs[1];
  mx_element element;
  MXERR_TRY(mx_element_of(call, 1, &element));
  mx_element_cast(element, (const char *)indices->data + (size_t)begin * mx_dtype_size(indices->dtype), 1,
                  MX_ELEMENT_int64, out, count);
  for (int64_t i = 0; i < count; i++) {
    MXERR_CHECK(out[i] >= -length && out[i] < length,
                "IndexError: take: " MXERR_VALUE(
                    "index", "%lld") " is out of bounds for an axis of " MXERR_VALUE("length", "%lld"),
                (long long)out[i], (long long)length);
    if (out[i] < 0) out[i] += length;
  }
  return 0;
}

static int take_forward(mx_call *call) {
  enum { BLOCK = 256 };
  const mx_ndarray *in = call->inputs[0];
  const int64_t count = (int64_t)call->inputs[1]->size;
  int64_t positions[BLOCK];
  int axis;
  MXERR_TRY(resolve(call, &axis));
  const mx_axis_split split = split_of(call, axis);
  if (split.before == 0) return 0; /* NumPy looks at positions where it picks something, and so do we */
  const size_t run = (size_t)split.after * mx_dtype_size(in->dtype);
  for (int64_t begin = 0; begin < count; begin += BLOCK) {
    const int64_t size = count - begin < BLOCK ? count - begin : BLOCK;
    MXERR_TRY(read_positions(call, begin, size, split.along, positions));
    for (int64_t b = 0; b < split.before && run > 0; b++)
      for (int64_t i = 0; i < size; i++)
        memcpy((char *)call->outputs[0].array->data + (size_t)(b * count + begin + i) * run,
               (const char *)in->data + (size_t)(b * split.along + positions[i]) * run, run);
  }
  return 0;
}

static const char *const inputs[] = {"a", "indices"};

static const mx_param params[] = {
    {"axis", MX_PARAM_INT_OR_NONE, offsetof(take_param, axis), "None",
     "The axis along which elements are picked; None picks from the flattened array."},
};

const mx_op mx_op_take = {
    .name = "take",
    .doc = "Pick elements of an array along an axis by their positions.\n\n"
           "Raises\n------\n"
           "IndexError\n    If a position or the axis is out of bounds.\n"
           "TypeError\n    If `indices` is of no integer type.\n\n"
           "Examples\n--------\n"
           ">>> np.take([10, 20, 30], [2, -3])\narray([30, 10])",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(take_param),
    .infer_shape = take_infer_shape,
    .infer_type = take_infer_type,
    .forward = take_forward,
    .takes_out = true,
};
