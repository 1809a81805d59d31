/* all.c: whether all elements along axes are true; not-a-number is true. */
#include <string.h>

#include "reduce.h"

MX_REDUCE_LOOPS(all_boolean, bool, bool, x != 0, y &(x != 0))
MX_REDUCE_LOOPS(all_uint8, uint8_t, bool, x != 0, y &(x != 0))
MX_REDUCE_LOOPS(all_int32, int32_t, bool, x != 0, y &(x != 0))
MX_REDUCE_LOOPS(all_int64, int64_t, bool, x != 0, y &(x != 0))
MX_REDUCE_LOOPS(all_float32, float, bool, x != 0, y &(x != 0))
MX_REDUCE_LOOPS(all_float64, double, bool, x != 0, y &(x != 0))

static const mx_reduction reductions[MX_NUM_ELEMENTS] = {
    MX_REDUCTION(boolean, MX_BOOL, all_boolean), MX_REDUCTION(uint8, MX_BOOL, all_uint8),
    MX_REDUCTION(int32, MX_BOOL, all_int32),     MX_REDUCTION(int64, MX_BOOL, all_int64),
    MX_REDUCTION(float32, MX_BOOL, all_float32), MX_REDUCTION(float64, MX_BOOL, all_float64),
};

static int all_infer_shape(mx_call *call) {
  MXERR_TRY(mx_reduce_infer_shape(call));
  return 0;
}

static int all_infer_type(mx_call *call) {
  MXERR_TRY(mx_reduce_infer_type(call, reductions));
  return 0;
}

static int all_forward(mx_call *call) {
  mx_ndarray *out = call->outputs[0].array;
  if (call->inputs[0]->size == 0 && out->size > 0) memset(out->data, true, out->size);
  MXERR_TRY(mx_reduce_forward(call, reductions));
  return 0;
}

const mx_op mx_op_all =
    MX_REDUCE_OP(all, "Tell whether all elements along axes are true.\n\n"
                      "Zero is false, and all else is true; of nothing the result is True." MX_REDUCE_RAISES
                      "ValueError\n    If an axis is repeated.\n"
                      "NotImplementedError\n    If `a` is of a type that operators do not compute in.\n\n"
                      "Examples\n--------\n"
                      ">>> np.all([[1, 1], [0, 1]], axis=1)\narray([ True, False])");
