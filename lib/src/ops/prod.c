/* prod.c: the product along axes; integers wrap around. */
#include "casting.h"
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

/* Writes ones for the product of nothing. */
static void prod_finish(mx_ndarray *out, size_t count) {
  const int64_t one = 1;
  if (count == 0) mx_cast(MX_INT64, &one, 0, out->dtype, out->data, (int64_t)out->size);
}

MX_ACCUMULATE_STAGES(prod, prod_finish)

const mx_op mx_op_prod = MX_ACCUMULATE_OP(
    prod,
    "Multiply the elements along axes.\n\n"
    "Of bool and signed integers the product is int64, of unsigned ones uint64, which `cast` makes a type that all "
    "operators compute in; integers wrap around. The product of nothing is one." MX_ACCUMULATE_RAISES "\n"
    "FloatingPointError\n    If a product overflows, underflows, or is that of zero and infinity, and `errstate` asks "
    "for it.\n\n"
    "Examples\n--------\n"
    ">>> np.prod([[1, 2], [3, 4]], axis=1)\narray([ 2, 12])");
