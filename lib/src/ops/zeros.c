/* zeros.c: an array of zeros. */
#include "../op.h"

typedef struct zeros_param {
  mx_shape shape;
  int dtype;
} zeros_param;

static int zeros_infer_shape(mx_call *call) {
  const zeros_param *param = call->param;
  call->outputs[0].shape = param->shape;
  return 0;
}

static int zeros_infer_type(mx_call *call) {
  const zeros_param *param = call->param;
  call->outputs[0].dtype = param->dtype;
  return 0;
}

static int zeros_forward(mx_call *call) {
  (void)call; /* new arrays are zeros */
  return 0;
}

static const mx_param params[] = {
    {"shape", MX_PARAM_SHAPE, offsetof(zeros_param, shape), NULL, "The shape of the array."},
    {"dtype", MX_PARAM_DTYPE, offsetof(zeros_param, dtype), "float64", "The type of the elements."},
};

const mx_op mx_op_zeros = {
    .name = "zeros",
    .doc = "Make an array of zeros.\n\n"
           "Raises\n------\n"
           "ValueError\n    If a dimension is negative, or the array too big.\n"
           "MXNetError\n    If there is no memory for it.\n\n"
           "Examples\n--------\n"
           ">>> np.zeros((2, 2), \"int64\")\narray([[0, 0],\n       [0, 0]])",
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(zeros_param),
    .infer_shape = zeros_infer_shape,
    .infer_type = zeros_infer_type,
    .forward = zeros_forward,
};
