/* out.c: arrays of the caller that are written. */
#include "out.h"

#include <string.h>

#include "engine.h"
#include "ops/casting.h"

int mx_out_check(const mx_call *call) {
  const char *name = call->op->name;
  const mx_ndarray *out = call->out;
  char text[MX_SHAPE_TEXT_MAX], expected[MX_SHAPE_TEXT_MAX];
  MXERR_CHECK(call->op->takes_out,
              "NotImplementedError: %s: its result cannot go into an array that is there", name);
  const mx_output *result = &call->outputs[0];
  MXERR_CHECK(mx_shape_equal(&out->shape, &result->shape),
              "ValueError: %s: out must have the shape of the result: " MXERR_VALUE(
                  "shape", "%s") ", " MXERR_VALUE("out.shape", "%s"),
              name, mx_shape_print(&result->shape, expected), mx_shape_print(&out->shape, text));
  if (out->dtype == result->dtype) return 0;
  MXERR_TRY(mx_cast_check(call, result->dtype, out->dtype));
  MXERR_CHECK(
      mx_cast_is_same_kind(result->dtype, out->dtype),
      "TypeError: %s: cannot cast the result to the type of out by the rule 'same_kind': " MXERR_VALUE(
          "dtype", "%s") ", " MXERR_VALUE("out.dtype", "%s"),
      name, mx_dtype_name(result->dtype), mx_dtype_name(out->dtype));
  return 0;
}

int mx_out_open(mx_ndarray *array) {
  MXERR_TRY(mx_wait_to_write(&array->var));
  if (array->data == NULL)
    MXERR_TRY(mx_ndarray_allocate(array, false)); /* the operator that should have failed */
  mx_var_set_fault(&array->var, NULL);
  return 0;
}

int mx_out_write(const mx_call *call) {
  const mx_ndarray *result = call->outputs[0].array;
  mx_ndarray *out = call->out;
  MXERR_TRY(mx_out_open(out));
  if (out->dtype == result->dtype) {
    if (out->size > 0) memcpy(out->data, result->data, out->size * mx_dtype_size(out->dtype));
    return 0;
  }
  mx_cast(result->dtype, result->data, 1, out->dtype, out->data, (int64_t)out->size);
  return 0;
}
