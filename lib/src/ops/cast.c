/* cast.c: changes the type of an array's elements. */
#include <string.h>

#include "casting.h"
#include "element.h"
#include "same_data.h"

typedef struct cast_param {
  int dtype;
  const char *casting;
} cast_param;

static int is_allowed(const char *casting, int from, int to, bool *out) {
  if (strcmp(casting, "unsafe") == 0)
    *out = true;
  else if (strcmp(casting, "same_kind") == 0)
    *out = from == to || mx_cast_is_same_kind(from, to);
  else if (strcmp(casting, "safe") == 0)
    *out = from == to || mx_cast_is_safe(from, to);
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
  const int from = call->inputs[0]->dtype;
  bool allowed;
  call->outputs[0].dtype = param->dtype;
  if (from != param->dtype) MXERR_TRY(mx_cast_check(call, from, param->dtype));
  MXERR_TRY(is_allowed(param->casting, from, param->dtype, &allowed));
  MXERR_CHECK(allowed,
              "TypeError: cast: cannot cast " MXERR_VALUE("from", "%s") " to " MXERR_VALUE(
                  "dtype", "%s") " according to the rule '%s'",
              mx_dtype_name(from), mx_dtype_name(param->dtype), param->casting);
  return 0;
}

static int cast_infer_shape(mx_call *call) {
  call->outputs[0].shape = call->inputs[0]->shape;
  return 0;
}

static int cast_forward(mx_call *call) {
  const mx_ndarray *in = call->inputs[0];
  if (in->dtype == call->outputs[0].dtype) return mx_same_data_forward(call);
  mx_float_errors_begin();
  mx_cast(in->dtype, in->data, 1, call->outputs[0].dtype, call->outputs[0].array->data, (int64_t)in->size);
  MXERR_TRY(mx_float_errors_end_cast(call, in, 1, (int64_t)in->size));
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
    .doc =
        "Copy an array with elements of another type.\n\n"
        "A float outside of an integer type's range gives some number of that type.\n\n"
        "Raises\n------\n"
        "TypeError\n    If the rule does not allow the cast.\n"
        "ValueError\n    If there is no such rule.\n"
        "NotImplementedError\n    If one of two different types is float16 or complex.\n"
        "FloatingPointError\n    If a number overflows or underflows in float32, or a float is too large for an "
        "integer type or not-a-number, and `errstate` asks for it.\n\n"
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
