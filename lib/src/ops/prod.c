/* prod.c: the product along axes; integers wrap around. */
#include "reduce.h"

/* Unsigned numbers wrap around without undefined behaviour, and as signed ones do. */
MX_REDUCE_LOOPS(prod_boolean, bool, uint64_t, (uint64_t)x, y *(uint64_t)x)
MX_REDUCE_LOOPS(prod_uint8, uint8_t, uint64_t, (uint64_t)x, y *(uint64_t)x)
MX_REDUCE_LOOPS(prod_int32, int32_t, uint64_t, (uint64_t)x, y *(uint64_t)x)
MX_REDUCE_LOOPS(prod_int64, int64_t, uint64_t, (uint64_t)x, y *(uint64_t)x)
MX_REDUCE_LOOPS(prod_float32, float, float, x, y *x)
MX_REDUCE_LOOPS(prod_float64, double, double, x, y *x)

static const mx_reduction reductions[MX_NUM_ELEMENTS] = {
    MX_REDUCTION(boolean, MX_INT64, prod_boolean),   MX_REDUCTION(uint8, MX_UINT64, prod_uint8),
    MX_REDUCTION(int32, MX_INT64, prod_int32),       MX_REDUCTION(int64, MX_INT64, prod_int64),
    MX_REDUCTION(float32, MX_FLOAT32, prod_float32), MX_REDUCTION(float64, MX_FLOAT64, prod_float64),
};

MX_REDUCE_STAGES(prod)

/* Writes ones. */
static void prod_fill(mx_ndarray *out) {
  const double one = 1;
  const mx_element element = out->dtype == MX_FLOAT32   ? MX_ELEMENT_float32
                             : out->dtype == MX_FLOAT64 ? MX_ELEMENT_float64
                                                        : MX_ELEMENT_int64; /* one in uint64 looks the same */
  mx_element_cast(MX_ELEMENT_float64, &one, 0, element, out->data, (int64_t)out->size);
}

static int prod_forward(mx_call *call) {
  if (call->inputs[0]->size == 0) prod_fill(call->outputs[0].array);
  mx_float_errors_begin();
  MXERR_TRY(mx_reduce_forward(call, reductions));
  MXERR_TRY(mx_float_errors_end(call));
  return 0;
}

const mx_op mx_op_prod = MX_REDUCE_OP(
    prod,
    "Multiply the elements along axes.\n\n"
    "Of bool, int32 and int64 the product is int64, of uint8 it is uint64, in which it can be stored but not computed "
    "with; integers wrap around. The product of nothing is one." MX_REDUCE_RAISES "\n"
    "FloatingPointError\n    If a product overflows, underflows, or is that of zero and infinity, and `errstate` asks "
    "for it.\n\n"
    "Examples\n--------\n"
    ">>> np.prod([[1, 2], [3, 4]], axis=1)\narray([ 2, 12])");
