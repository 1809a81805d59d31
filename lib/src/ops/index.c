/* index.c: a[key] for numbers, slices, "..." and None. */
#include "strided.h"

typedef struct index_param {
  mx_key key;
} index_param;

/* How many of the array's dimensions a key names; one "..." at most. */
static int count_named(const mx_key *key, int ndim, int *out) {
  int ellipses = 0;
  *out = 0;
  for (int i = 0; i < key->count; i++) {
    *out += key->items[i].type == MX_KEY_INT || key->items[i].type == MX_KEY_SLICE;
    ellipses += key->items[i].type == MX_KEY_ELLIPSIS;
  }
  MXERR_CHECK_LE(ellipses, 1, "IndexError: index: an index can only have a single '...'");
  MXERR_CHECK_LE(*out, ndim, "IndexError: index: too many indices for the array");
  return 0;
}

static int add_dimension(mx_view *view, int64_t size, int64_t stride) {
  MXERR_CHECK_LT(view->ndim, MX_MAX_NDIM, "IndexError: index: the result would have too many dimensions");
  view->size[view->ndim] = size;
  view->stride[view->ndim++] = stride;
  return 0;
}

static int apply_number(mx_view *view, int64_t index, int axis, int64_t length, int64_t stride) {
  MXERR_CHECK(index >= -length && index < length,
              "IndexError: index: " MXERR_VALUE("index", "%lld") " is out of bounds for " MXERR_VALUE(
                  "axis", "%d") " with " MXERR_VALUE("length", "%lld"),
              (long long)index, axis, (long long)length);
  view->offset += (index < 0 ? index + length : index) * stride;
  return 0;
}

/* A bound of a slice as Python reads it: counted from the end if negative, and drawn into [low, high]. */
static int64_t bound(mx_optional_int given, int64_t otherwise, int64_t length, int64_t low, int64_t high) {
  if (!given.given) return otherwise;
  int64_t at = given.value;
  if (at < 0) at += length;
  return at < low ? low : at > high ? high : at;
}

static int apply_slice(mx_view *view, const mx_key_item *slice, int64_t length, int64_t stride) {
  const int64_t given = slice->step.given ? slice->step.value : 1;
  MXERR_CHECK_NE(given, 0, "ValueError: index: a slice's step cannot be zero");
  const bool back = given < 0;
  /* a step longer than the array takes one element, and its product with a stride does not overflow */
  const int64_t step = given > length ? length + 1 : given < -length ? -length - 1 : given;
  const int64_t start =
      bound(slice->start, back ? length - 1 : 0, length, back ? -1 : 0, back ? length - 1 : length);
  const int64_t stop =
      bound(slice->stop, back ? -1 : length, length, back ? -1 : 0, back ? length - 1 : length);
  const int64_t distance = back ? start - stop : stop - start, pace = back ? -step : step;
  const int64_t size = distance > 0 ? (distance + pace - 1) / pace : 0;
  if (size > 0) view->offset += start * stride;
  MXERR_TRY(add_dimension(view, size, step * stride));
  return 0;
}

/* Takes over the dimensions that the key does not name. */
static int apply_rest(mx_view *view, const mx_shape *shape, const int64_t *strides, int *axis, int count) {
  for (; count > 0; count--, (*axis)++) MXERR_TRY(add_dimension(view, shape->dim[*axis], strides[*axis]));
  return 0;
}

static int view_of(const mx_call *call, mx_view *view) {
  const index_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  int64_t strides[MX_MAX_NDIM];
  int axis = 0, named;
  MXERR_TRY(count_named(&param->key, shape->ndim, &named));
  mx_strides_of(shape, strides);
  view->ndim = 0;
  view->offset = 0;
  for (int i = 0; i < param->key.count; i++) {
    const mx_key_item *item = &param->key.items[i];
    switch (item->type) {
      case MX_KEY_INT:
        MXERR_TRY(apply_number(view, item->start.value, axis, shape->dim[axis], strides[axis]));
        axis++;
        break;
      case MX_KEY_SLICE:
        MXERR_TRY(apply_slice(view, item, shape->dim[axis], strides[axis]));
        axis++;
        break;
      case MX_KEY_ELLIPSIS: MXERR_TRY(apply_rest(view, shape, strides, &axis, shape->ndim - named)); break;
      default: MXERR_TRY(add_dimension(view, 1, 0));
    }
  }
  MXERR_TRY(apply_rest(view, shape, strides, &axis, shape->ndim - axis));
  return 0;
}

static int index_infer_shape(mx_call *call) {
  mx_view view;
  mx_shape *out = &call->outputs[0].shape;
  MXERR_TRY(view_of(call, &view));
  out->ndim = view.ndim;
  for (int i = 0; i < view.ndim; i++) out->dim[i] = view.size[i];
  return 0;
}

static int index_infer_type(mx_call *call) {
  call->outputs[0].dtype = call->inputs[0]->dtype;
  return 0;
}

static int index_forward(mx_call *call) {
  const mx_ndarray *in = call->inputs[0];
  mx_view view;
  MXERR_TRY(view_of(call, &view));
  mx_copy_view(&view, mx_dtype_size(in->dtype), in->data, call->outputs[0].array->data);
  return 0;
}

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"key", MX_PARAM_KEY, offsetof(index_param, key), NULL,
     "A number, a slice, `...` or None, or a tuple of them."},
};

const mx_op mx_op_index = {
    .name = "index",
    .doc = "Pick a part of an array: what `a[key]` calls.\n\n"
           "The result is a copy.\n\n"
           "Raises\n------\n"
           "IndexError\n    If a number is out of bounds, or there are too many of them.\n"
           "ValueError\n    If the step of a slice is zero.\n\n"
           "Examples\n--------\n"
           ">>> np.index([1, 2, 3, 4], slice(None, None, -2))\narray([4, 2])",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(index_param),
    .infer_shape = index_infer_shape,
    .infer_type = index_infer_type,
    .forward = index_forward,
};
