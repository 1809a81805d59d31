/* any.c: whether one element or more along axes is true; not-a-number is true. */
#include "reduce.h"

MX_REDUCE_LOOPS(any_boolean, bool, bool, x != 0, y | (x != 0))
MX_REDUCE_LOOPS(any_uint8, uint8_t, bool, x != 0, y | (x != 0))
MX_REDUCE_LOOPS(any_int32, int32_t, bool, x != 0, y | (x != 0))
MX_REDUCE_LOOPS(any_int64, int64_t, bool, x != 0, y | (x != 0))
MX_REDUCE_LOOPS(any_float32, float, bool, x != 0, y | (x != 0))
MX_REDUCE_LOOPS(any_float64, double, bool, x != 0, y | (x != 0))

static const mx_reduction reductions[MX_NUM_ELEMENTS] = {
    MX_REDUCTION(boolean, MX_BOOL, any_boolean), MX_REDUCTION(uint8, MX_BOOL, any_uint8),
    MX_REDUCTION(int32, MX_BOOL, any_int32),     MX_REDUCTION(int64, MX_BOOL, any_int64),
    MX_REDUCTION(float32, MX_BOOL, any_float32), MX_REDUCTION(float64, MX_BOOL, any_float64),
};

static int any_infer_shape(mx_call *call) {
  MXERR_TRY(mx_reduce_infer_shape(call));
  return 0;
}

static int any_infer_type(mx_call *call) {
  MXERR_TRY(mx_reduce_infer_type(call, reductions));
  return 0;
}

static int any_forward(mx_call *call) {
  MXERR_TRY(mx_reduce_forward(call, reductions)); /* leaves false for nothing */
  return 0;
}

const mx_op mx_op_any =
    MX_REDUCE_OP(any, "Tell whether one element or more along axes is true.\n\n"
                      "Zero is false, and all else is true; of nothing the result is False." MX_REDUCE_RAISES
                      "ValueError\n    If an axis is repeated.\n"
                      "NotImplementedError\n    If `a` is of a type that operators do not compute in.\n\n"
                      "Examples\n--------\n"
                      ">>> np.any([[0, 1], [0, 0]], axis=1)\narray([ True, False])");
