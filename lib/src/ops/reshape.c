/* reshape.c: gives an array another shape; the elements keep their order. */
#include "same_data.h"

typedef struct reshape_param {
  mx_shape newshape;
} reshape_param;

/* Works out the one dimension that is -1, from the number of elements. */
static int infer_unknown(mx_call *call, mx_shape *shape) {
  const int64_t size = (int64_t)call->inputs[0]->size;
  char from[MX_SHAPE_TEXT_MAX], to[MX_SHAPE_TEXT_MAX];
  int64_t known = 1;
  int unknown = -1;
  for (int i = 0; i < shape->ndim; i++) {
    const int64_t dim = shape->dim[i];
    MXERR_CHECK_GE(
        dim, -1,
        "ValueError: reshape: negative dimensions are not allowed, but for one of -1. " MXERR_VALUE(
            "newshape", "%s"),
        mx_shape_print(shape, to));
    MXERR_CHECK(dim != -1 || unknown == -1,
                "ValueError: reshape: only one dimension can be -1. " MXERR_VALUE("newshape", "%s"),
                mx_shape_print(shape, to));
    if (dim == -1)
      unknown = i;
    else
      known = dim == 0 || known > INT64_MAX / dim ? (dim == 0 ? 0 : INT64_MAX) : known * dim;
  }
  if (unknown >= 0 && known > 0 && size % known == 0) {
    shape->dim[unknown] = size / known;
    known = size;
  }
  MXERR_CHECK(known == size && (unknown < 0 || shape->dim[unknown] >= 0),
              "ValueError: reshape: cannot reshape an array of " MXERR_VALUE("size", "%lld") ", " MXERR_VALUE(
                  "shape", "%s") ", into " MXERR_VALUE("newshape", "%s"),
              (long long)size, mx_shape_print(&call->inputs[0]->shape, from), mx_shape_print(shape, to));
  return 0;
}

static int reshape_infer_shape(mx_call *call) {
  const reshape_param *param = call->param;
  call->outputs[0].shape = param->newshape;
  MXERR_TRY(infer_unknown(call, &call->outputs[0].shape));
  return 0;
}

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"newshape", MX_PARAM_SHAPE, offsetof(reshape_param, newshape), NULL,
     "The new shape, of as many elements; one dimension may be -1 and is worked out."},
};

const mx_op mx_op_reshape = {
    .name = "reshape",
    .doc = "Give an array a new shape.\n\n"
           "The result is a copy with the elements in the same order.\n\n"
           "Raises\n------\n"
           "ValueError\n    If the new shape has another number of elements, or more than one -1.\n\n"
           "Examples\n--------\n"
           ">>> np.reshape([1, 2, 3, 4], (2, -1))\narray([[1, 2],\n       [3, 4]])",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(reshape_param),
    .infer_shape = reshape_infer_shape,
    .infer_type = mx_same_data_infer_type,
    .forward = mx_same_data_forward,
};
