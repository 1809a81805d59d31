/* same_data.c: see same_data.h. */
#include "same_data.h"

#include <string.h>

int mx_same_data_infer_type(mx_call *call) {
  call->outputs[0].dtype = call->inputs[0]->dtype;
  return 0;
}

int mx_same_data_forward(mx_call *call) {
  const mx_ndarray *in = call->inputs[0];
  memcpy(call->outputs[0].array->data, in->data, in->size * mx_dtype_size(in->dtype));
  return 0;
}
