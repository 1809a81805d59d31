/* random_bernoulli.c: ones with a probability, and zeros. */
#include "../random.h"
#include "element.h"
#include "random_fill.h"

typedef struct random_bernoulli_param {
  double prob;
  mx_shape size;
  int dtype;
} random_bernoulli_param;

static int random_bernoulli_infer_shape(mx_call *call) {
  const random_bernoulli_param *param = call->param;
  const double prob = param->prob;
  MXERR_CHECK(prob >= 0 && prob <= 1,
              "ValueError: random_bernoulli: expected a probability in [0, 1], got " MXERR_VALUE("prob",
                                                                                                 "%g"),
              prob);
  MXERR_TRY(mx_random_infer_shape(call, &param->size));
  return 0;
}

static int random_bernoulli_infer_type(mx_call *call) {
  const random_bernoulli_param *param = call->param;
  mx_element element;
  MXERR_TRY(mx_element_of_dtype(call, param->dtype, &element));
  call->outputs[0].dtype = param->dtype;
  return 0;
}

static int random_bernoulli_forward(mx_call *call) {
  enum { BLOCK = 256 };
  const random_bernoulli_param *param = call->param;
  mx_ndarray *out = call->outputs[0].array;
  const size_t element_size = mx_dtype_size(out->dtype);
  double numbers[BLOCK];
  bool drawn[BLOCK];
  mx_element element;
  MXERR_TRY(mx_element_of_dtype(call, out->dtype, &element));
  for (size_t begin = 0; begin < out->size; begin += BLOCK) {
    const size_t count = out->size - begin < BLOCK ? out->size - begin : BLOCK;
    mx_random_uniform(numbers, count);
    for (size_t i = 0; i < count; i++) drawn[i] = numbers[i] < param->prob;
    mx_element_cast(MX_ELEMENT_boolean, drawn, 1, element, (char *)out->data + begin * element_size,
                    (int64_t)count);
  }
  return 0;
}

static const mx_param params[] = {
    {"prob", MX_PARAM_FLOAT, offsetof(random_bernoulli_param, prob), NULL,
     "The probability of a one, in [0, 1]."},
    {"size", MX_PARAM_SHAPE_OR_NONE, offsetof(random_bernoulli_param, size), "None",
     "The shape of the result; None makes a scalar."},
    {"dtype", MX_PARAM_DTYPE, offsetof(random_bernoulli_param, dtype), "float64",
     "bool, uint8, int32, int64, float32 or float64."},
};

const mx_op mx_op_random_bernoulli = {
    .name = "random_bernoulli",
    .doc = "Draw ones with a probability, and zeros otherwise.\n\n"
           "Raises\n------\n"
           "ValueError\n    If `prob` is not in [0, 1], or a dimension is negative.\n"
           "NotImplementedError\n    If `dtype` is a type that operators do not compute in.\n\n"
           "Examples\n--------\n"
           ">>> np.random.bernoulli(1.0, 3, 'int64')\narray([1, 1, 1])",
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(random_bernoulli_param),
    .infer_shape = random_bernoulli_infer_shape,
    .infer_type = random_bernoulli_infer_type,
    .forward = random_bernoulli_forward,
    .draws = true,
};
