/* random_normal.c: numbers from the normal distribution. */
#include "../random.h"
#include "random_fill.h"

typedef struct random_normal_param {
  double loc;
  double scale;
  mx_shape size;
  int dtype;
} random_normal_param;

static int random_normal_infer_shape(mx_call *call) {
  const random_normal_param *param = call->param;
  MXERR_CHECK_GE(param->scale, 0.0, "ValueError: random_normal: the standard deviation must not be negative");
  MXERR_TRY(mx_random_infer_shape(call, &param->size));
  return 0;
}

static int random_normal_infer_type(mx_call *call) {
  const random_normal_param *param = call->param;
  MXERR_TRY(mx_random_infer_type(call, param->dtype));
  return 0;
}

static int random_normal_forward(mx_call *call) {
  const random_normal_param *param = call->param;
  MXERR_TRY(mx_random_fill(call, mx_random_normal, param->loc, param->scale));
  return 0;
}

static const mx_param params[] = {
    {"loc", MX_PARAM_FLOAT, offsetof(random_normal_param, loc), "0.0", "The mean."},
    {"scale", MX_PARAM_FLOAT, offsetof(random_normal_param, scale), "1.0",
     "The standard deviation, not negative."},
    {"size", MX_PARAM_SHAPE_OR_NONE, offsetof(random_normal_param, size), "None",
     "The shape of the result; None makes a scalar."},
    {"dtype", MX_PARAM_DTYPE, offsetof(random_normal_param, dtype), "float64", "float32 or float64."},
};

const mx_op mx_op_random_normal = {
    .name = "random_normal",
    .doc = "Draw numbers from the normal distribution.\n\n"
           "Raises\n------\n"
           "ValueError\n    If `scale` or a dimension is negative.\n"
           "TypeError\n    If `dtype` is no floating type.",
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(random_normal_param),
    .infer_shape = random_normal_infer_shape,
    .infer_type = random_normal_infer_type,
    .forward = random_normal_forward,
    .draws = true,
};
