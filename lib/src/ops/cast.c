/* cast.c: changes the type of an array's elements. */
#include <string.h>

#include "element.h"
#include "same_data.h"

typedef struct cast_param {
  int dtype;
  const char *casting;
} cast_param;

static int is_allowed(const char *casting, mx_element from, mx_element to, bool *out) {
  if (strcmp(casting, "unsafe") == 0)
    *out = true;
  else if (strcmp(casting, "same_kind") == 0)
    *out = mx_element_is_same_kind(from, to);
  else if (strcmp(casting, "safe") == 0)
    *out = mx_element_is_safe(from, to);
  else if (strcmp(casting, "no") == 0 || strcmp(casting, "equiv") == 0)
    *out = from == to;
  else
    MXERR_FAIL(
        "ValueError: cast: parameter 'casting': expected no, equiv, safe, same_kind or unsafe, got '%s'",
        casting);
  return 0;
}

static int cast_infer_type(mx_call *call) {
  const cast_param *param = call->param;
  mx_element from, to;
  bool allowed;
  call->outputs[0].dtype = param->dtype;
  if (call->inputs[0]->dtype == param->dtype) return 0;
  MXERR_TRY(mx_element_of(call, 0, &from));
  MXERR_TRY(mx_element_of_dtype(call, param->dtype, &to));
  MXERR_TRY(is_allowed(param->casting, from, to, &allowed));
  MXERR_CHECK(allowed,
              "TypeError: cast: cannot cast " MXERR_VALUE("from", "%s") " to " MXERR_VALUE(
                  "dtype", "%s") " according to the rule '%s'",
              mx_dtype_name(call->inputs[0]->dtype), mx_dtype_name(param->dtype), param->casting);
  return 0;
}

static int cast_infer_shape(mx_call *call) {
  call->outputs[0].shape = call->inputs[0]->shape;
  return 0;
}

static int cast_forward(mx_call *call) {
  const mx_ndarray *in = call->inputs[0];
  mx_element from, to;
  if (in->dtype == call->outputs[0].dtype) return mx_same_data_forward(call);
  MXERR_TRY(mx_element_of(call, 0, &from));
  MXERR_TRY(mx_element_of_dtype(call, call->outputs[0].dtype, &to));
  mx_element_cast(from, in->data, 1, to, call->outputs[0].array->data, (int64_t)in->size);
  return 0;
}

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"dtype", MX_PARAM_DTYPE, offsetof(cast_param, dtype), NULL, "The new type."},
    {"casting", MX_PARAM_TEXT, offsetof(cast_param, casting), "unsafe",
     "Which casts are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', as in NumPy."},
};

const mx_op mx_op_cast = {
    .name = "cast",
    .doc = "Copy an array with elements of another type.\n\n"
           "A float outside of an integer type's range gives some number of that type.\n\n"
           "Raises\n------\n"
           "TypeError\n    If the rule does not allow the cast.\n"
           "ValueError\n    If there is no such rule.\n"
           "NotImplementedError\n    If one of two different types is not computed in.\n\n"
           "Examples\n--------\n"
           ">>> np.cast([1.5, -2.5], \"int32\")\narray([ 1, -2], dtype=int32)",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(cast_param),
    .infer_shape = cast_infer_shape,
    .infer_type = cast_infer_type,
    .forward = cast_forward,
};
