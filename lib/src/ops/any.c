/* any.c: whether one element or more along axes is true. */
#include "truth.h"

MX_TRUTH_TABLE(any, |);

MX_TRUTH_STAGES(any)

static int any_forward(mx_call *call) {
  MXERR_TRY(mx_reduce_forward(call, reductions)); /* leaves false for nothing */
  return 0;
}

const mx_op mx_op_any =
    MX_REDUCE_OP(any, "Tell whether one element or more along axes is true.\n\n"
                      "Zero is false, and all else is true; of nothing the result is False." MX_TRUTH_RAISES
                      "Examples\n--------\n"
                      ">>> np.any([[0, 1], [0, 0]], axis=1)\narray([ True, False])");
