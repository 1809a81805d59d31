/* joining.c: see joining.h. */
#include "joining.h"

#include <string.h>

int mx_joining_check(const mx_call *call, int input, int axis) {
  const mx_shape *first = &call->inputs[0]->shape, *shape = &call->inputs[input]->shape;
  char first_text[MX_SHAPE_TEXT_MAX], text[MX_SHAPE_TEXT_MAX];
  bool same = first->ndim == shape->ndim;
  for (int i = 0; same && i < first->ndim; i++) same = i == axis || first->dim[i] == shape->dim[i];
  MXERR_CHECK(same,
              "ValueError: %s: the arrays' shapes do not fit: %s of the first, %s of number " MXERR_VALUE(
                  "input", "%d"),
              call->op->name, mx_shape_print(first, first_text), mx_shape_print(shape, text), input);
  return 0;
}

static bool same_dtypes(const mx_call *call) {
  for (int i = 1; i < call->num_inputs; i++)
    if (call->inputs[i]->dtype != call->inputs[0]->dtype) return false;
  return true;
}

int mx_joining_infer_type(mx_call *call) {
  mx_element element;
  call->outputs[0].dtype = call->inputs[0]->dtype;
  if (same_dtypes(call)) return 0;
  MXERR_TRY(mx_element_of(call, 0, &element));
  for (int i = 1; i < call->num_inputs; i++) {
    mx_element other;
    MXERR_TRY(mx_element_of(call, i, &other));
    element = mx_element_promote(element, other);
  }
  call->outputs[0].dtype = mx_element_dtype(element);
  return 0;
}

/* Copies elements into others of the output's type. */
static int copy_run(const mx_call *call, int input, const char *from, char *to, int64_t count) {
  const int dtype = call->outputs[0].dtype;
  mx_element in, out;
  if (call->inputs[input]->dtype == dtype) {
    memcpy(to, from, (size_t)count * mx_dtype_size(dtype));
    return 0;
  }
  MXERR_TRY(mx_element_of(call, input, &in));
  MXERR_TRY(mx_element_of_dtype(call, dtype, &out));
  mx_element_cast(in, from, 1, out, to, count);
  return 0;
}

int mx_joining_forward(mx_call *call, int axis) {
  const mx_axis_split whole = mx_axis_split_of(&call->outputs[0].shape, axis);
  const size_t out_size = mx_dtype_size(call->outputs[0].dtype);
  int64_t begin = 0; /* along the axis */
  for (int i = 0; i < call->num_inputs; i++) {
    const mx_ndarray *in = call->inputs[i];
    const int64_t run = whole.before > 0 ? (int64_t)in->size / whole.before : 0;
    for (int64_t b = 0; b < whole.before && run > 0; b++) {
      char *to =
          (char *)call->outputs[0].array->data + (size_t)(b * whole.along * whole.after + begin) * out_size;
      MXERR_TRY(
          copy_run(call, i, (const char *)in->data + (size_t)(b * run) * mx_dtype_size(in->dtype), to, run));
    }
    begin += run;
  }
  return 0;
}
