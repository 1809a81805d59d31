/* random_uniform.c: numbers from the uniform distribution. */
#include "../random.h"
#include "random_fill.h"

typedef struct random_uniform_param {
  double low;
  double high;
  mx_shape size;
  int dtype;
} random_uniform_param;

static int random_uniform_infer_shape(mx_call *call) {
  const random_uniform_param *param = call->param;
  MXERR_TRY(mx_random_infer_shape(call, &param->size));
  return 0;
}

static int random_uniform_infer_type(mx_call *call) {
  const random_uniform_param *param = call->param;
  MXERR_TRY(mx_random_infer_type(call, param->dtype));
  return 0;
}

static int random_uniform_forward(mx_call *call) {
  const random_uniform_param *param = call->param;
  MXERR_TRY(mx_random_fill(call, mx_random_uniform, param->low, param->high - param->low));
  return 0;
}

static const mx_param params[] = {
    {"low", MX_PARAM_FLOAT, offsetof(random_uniform_param, low), "0.0", "The lower bound, included."},
    {"high", MX_PARAM_FLOAT, offsetof(random_uniform_param, high), "1.0",
     "The upper bound, excluded but for rounding."},
    {"size", MX_PARAM_SHAPE_OR_NONE, offsetof(random_uniform_param, size), "None",
     "The shape of the result; None makes a scalar."},
    {"dtype", MX_PARAM_DTYPE, offsetof(random_uniform_param, dtype), "float64", "float32 or float64."},
};

const mx_op mx_op_random_uniform = {
    .name = "random_uniform",
    .doc = "Draw numbers from the uniform distribution over [low, high).\n\n"
           "Raises\n------\n"
           "ValueError\n    If a dimension is negative.\n"
           "TypeError\n    If `dtype` is no floating type.",
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(random_uniform_param),
    .infer_shape = random_uniform_infer_shape,
    .infer_type = random_uniform_infer_type,
    .forward = random_uniform_forward,
    .draws = true,
};
