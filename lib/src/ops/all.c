/* all.c: whether all elements along axes are true. */
#include <string.h>

#include "truth.h"

MX_TRUTH_TABLE(all, &);

MX_TRUTH_STAGES(all)

static int all_forward(mx_call *call) {
  mx_ndarray *out = call->outputs[0].array;
  if (call->inputs[0]->size == 0 && out->size > 0) memset(out->data, true, out->size);
  MXERR_TRY(mx_reduce_forward(call, reductions));
  return 0;
}

const mx_op mx_op_all =
    MX_REDUCE_OP(all, "Tell whether all elements along axes are true.\n\n"
                      "Zero is false, and all else is true; of nothing the result is True." MX_TRUTH_RAISES
                      "Examples\n--------\n"
                      ">>> np.all([[1, 1], [0, 1]], axis=1)\narray([ True, False])");
