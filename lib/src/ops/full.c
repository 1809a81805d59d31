/* full.c: an array that holds one number everywhere. */
#include <string.h>

#include "element.h"

typedef struct full_param {
  mx_shape shape;
  int dtype; /* -1: that of the number */
} full_param;

static int full_infer_shape(mx_call *call) {
  const full_param *param = call->param;
  MXERR_CHECK_EQ(call->inputs[0]->size, 1, "ValueError: full: expected one number to fill with");
  call->outputs[0].shape = param->shape;
  return 0;
}

static int full_infer_type(mx_call *call) {
  const full_param *param = call->param;
  mx_element element;
  call->outputs[0].dtype = param->dtype >= 0 ? param->dtype : call->inputs[0]->dtype;
  MXERR_TRY(mx_element_of(call, 0, &element));
  MXERR_TRY(mx_element_of_dtype(call, call->outputs[0].dtype, &element));
  return 0;
}

static int full_forward(mx_call *call) {
  const mx_ndarray *in = call->inputs[0];
  mx_ndarray *out = call->outputs[0].array;
  mx_element from, to;
  MXERR_TRY(mx_element_of(call, 0, &from));
  MXERR_TRY(mx_element_of_dtype(call, out->dtype, &to));
  if (!mx_element_is_float(from) && to != MX_ELEMENT_boolean) {
    int64_t number;
    mx_element_cast(from, in->data, 1, MX_ELEMENT_int64, &number, 1);
    MXERR_TRY(mx_element_check_holds(call, to, number));
  }
  mx_float_errors_begin();
  /* the one number, seen as many with no stride between them */
  mx_element_cast(from, in->data, 0, to, out->data, (int64_t)out->size);
  MXERR_TRY(mx_float_errors_end_cast(call, in, 0, 1));
  return 0;
}

static const char *const inputs[] = {"fill_value"};

static const mx_param params[] = {
    {"shape", MX_PARAM_SHAPE, offsetof(full_param, shape), NULL, "The shape of the array."},
    {"dtype", MX_PARAM_DTYPE_OR_NONE, offsetof(full_param, dtype), "None",
     "The type of the elements; None takes that of the number."},
};

const mx_op mx_op_full = {
    .name = "full",
    .doc =
        "Make an array that holds one number everywhere.\n\n"
        "Raises\n------\n"
        "ValueError\n    If a dimension is negative, the array too big, or `fill_value` not one number.\n"
        "OverflowError\n    If an integer is out of bounds for the type.\n"
        "NotImplementedError\n    If the type is not one that operators compute in.\n"
        "FloatingPointError\n    If a float is too large or too small for the type, or not-a-number where it is an "
        "integer type, and `errstate` asks for it.",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(full_param),
    .infer_shape = full_infer_shape,
    .infer_type = full_infer_type,
    .forward = full_forward,
};
