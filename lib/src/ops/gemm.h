/* gemm.h: products of matrices in every type, for dot and matmul. */
#ifndef MXERR_GEMM_H
#define MXERR_GEMM_H

#include "element.h"

/*
 * out += a b, for dense rows that lie `a_row`, `b_row` and `out_row` elements apart: a has `rows` of `inner`
 * elements, b has `inner` rows of `columns`. Integers wrap around; of bools, + is or and * is and.
 */
typedef struct mx_gemm {
  int64_t rows, inner, columns;
  int64_t a_row, b_row, out_row;
} mx_gemm;

/* What products of one call have done since the host was asked whether to go on. Zero at first. */
typedef struct mx_gemm_polls {
  int64_t work;
  int64_t last;
} mx_gemm_polls;

/* Fails where the host wants to stop. */
int mx_gemm_run(mx_element element, const mx_gemm *g, const void *a, const void *b, void *out,
                mx_gemm_polls *polls);

/* Both inputs of a product in the type that they promote to. */
typedef struct mx_factors {
  mx_element element;
  mx_ndarray *a, *b;
} mx_factors;

/* Writes the type of the result. */
int mx_factors_infer_type(mx_call *call);

/* Takes the inputs; the caller gives both back with mx_factors_release. */
int mx_factors_take(const mx_call *call, mx_factors *out);
void mx_factors_release(mx_factors *factors);

#endif
