/* random_fill.c: the stages that the random operators share. */
#include "random_fill.h"

int mx_random_infer_shape(mx_call *call, const mx_shape *size) {
  call->outputs[0].shape = *size;
  if (size->ndim < 0) call->outputs[0].shape.ndim = 0;
  return 0;
}

int mx_random_infer_type(mx_call *call, int dtype) {
  MXERR_CHECK(dtype == MX_FLOAT32 || dtype == MX_FLOAT64,
              "TypeError: %s: parameter 'dtype': expected float32 or float64, got %s", call->op->name,
              mx_dtype_name(dtype));
  call->outputs[0].dtype = dtype;
  return 0;
}

int mx_random_fill(mx_call *call, void (*draw)(double *out, size_t size), double offset, double scale) {
  enum { BLOCK = 256 };
  double block[BLOCK];
  mx_ndarray *out = call->outputs[0].array;
  for (size_t begin = 0; begin < out->size; begin += BLOCK) {
    const size_t count = out->size - begin < BLOCK ? out->size - begin : BLOCK;
    draw(block, count);
    for (size_t i = 0; i < count; i++) {
      const double number = offset + scale * block[i];
      if (out->dtype == MX_FLOAT64)
        ((double *)out->data)[begin + i] = number;
      else
        ((float *)out->data)[begin + i] = (float)number;
    }
  }
  return 0;
}
