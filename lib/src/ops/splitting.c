/* splitting.c: see splitting.h. */
#include "splitting.h"

#include <string.h>

/* Where part `part` begins; indices may count from the end, lie outside, and go back, as in slices. */
static int64_t begin_of(const mx_sections *at, int64_t length, int64_t part) {
  if (at->is_number) { /* the first `length % sections` parts are longer by one */
    const int64_t size = length / at->number, longer = length % at->number;
    return part * size + (part < longer ? part : longer);
  }
  if (part == 0) return 0;
  if (part > at->list.ndim) return length;
  int64_t index = at->list.dim[part - 1];
  if (index < 0) index += length;
  return index < 0 ? 0 : index > length ? length : index;
}

static int64_t length_of(const mx_sections *at, int64_t length, int64_t part) {
  const int64_t begin = begin_of(at, length, part), end = begin_of(at, length, part + 1);
  return end > begin ? end - begin : 0;
}

static int check_sections(const mx_call *call, int64_t sections, int64_t length, bool equal) {
  const char *name = call->op->name;
  MXERR_CHECK_GT(sections, 0, "ValueError: %s: the number of sections must be positive", name);
  MXERR_CHECK_LE(sections, INT32_MAX, "ValueError: %s: so many sections", name);
  MXERR_CHECK(!equal || length % sections == 0,
              "ValueError: %s: array split does not result in an equal division. " MXERR_VALUE(
                  "length", "%lld") ", " MXERR_VALUE("sections", "%lld"),
              name, (long long)length, (long long)sections);
  return 0;
}

int mx_split_infer_shape(mx_call *call, const mx_sections *at, int axis, bool equal) {
  const mx_shape *shape = &call->inputs[0]->shape;
  const int64_t length = shape->dim[axis];
  if (at->is_number) MXERR_TRY(check_sections(call, at->number, length, equal));
  const int count = at->is_number ? (int)at->number : at->list.ndim + 1;
  MXERR_TRY(mx_call_set_outputs(call, count));
  for (int i = 0; i < count; i++) {
    call->outputs[i].shape = *shape;
    call->outputs[i].shape.dim[axis] = length_of(at, length, i);
  }
  return 0;
}

int mx_split_infer_type(mx_call *call) {
  for (int i = 0; i < call->num_outputs; i++) call->outputs[i].dtype = call->inputs[0]->dtype;
  return 0;
}

int mx_split_forward(mx_call *call, const mx_sections *at, int axis) {
  const mx_ndarray *in = call->inputs[0];
  const size_t element_size = mx_dtype_size(in->dtype);
  const mx_axis_split whole = mx_axis_split_of(&in->shape, axis);
  const size_t step = (size_t)(whole.along * whole.after) * element_size;
  for (int i = 0; i < call->num_outputs; i++) {
    mx_ndarray *out = call->outputs[i].array;
    const size_t run = (size_t)(out->shape.dim[axis] * whole.after) * element_size;
    const size_t begin = (size_t)(begin_of(at, whole.along, i) * whole.after) * element_size;
    for (int64_t b = 0; b < whole.before && run > 0; b++)
      memcpy((char *)out->data + (size_t)b * run, (const char *)in->data + (size_t)b * step + begin, run);
  }
  return 0;
}
