/* gemm.c: products of matrices, in blocks of b that stay in the cache. */
#include "gemm.h"

/*
 * A step takes two rows of a and four of b: each element of b is loaded once for two products, each of the
 * result once for four. A block of b is DEPTH by WIDTH.
 */
enum { DEPTH = 64, WIDTH = 256, LANES = 8 };

/* Products of numbers between two polls, which take some milliseconds; and the fewest rows for a block of b. */
enum { WORK = 1 << 24, MIN_ROWS = 64 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

#define DEFINE_GEMM(name, type, add)                                                                       \
  static inline type name##_add(type sum, type x, type y) { return (type)(add); }                          \
                                                                                                           \
  static void name##_rows_2(int64_t depth, int64_t width, const type *a0, const type *a1, const type *b,   \
                            int64_t b_row, type *restrict out0, type *restrict out1) {                     \
    int64_t k = 0;                                                                                         \
    for (; k + 4 <= depth; k += 4, b += 4 * b_row) {                                                       \
      const type *b0 = b, *b1 = b + b_row, *b2 = b + 2 * b_row, *b3 = b + 3 * b_row;                       \
      const type x0 = a0[k], x1 = a0[k + 1], x2 = a0[k + 2], x3 = a0[k + 3];                               \
      const type y0 = a1[k], y1 = a1[k + 1], y2 = a1[k + 2], y3 = a1[k + 3];                               \
      for (int64_t j = 0; j < width; j++) {                                                                \
        out0[j] = name##_add(name##_add(name##_add(name##_add(out0[j], x0, b0[j]), x1, b1[j]), x2, b2[j]), \
                             x3, b3[j]);                                                                   \
        out1[j] = name##_add(name##_add(name##_add(name##_add(out1[j], y0, b0[j]), y1, b1[j]), y2, b2[j]), \
                             y3, b3[j]);                                                                   \
      }                                                                                                    \
    }                                                                                                      \
    for (; k < depth; k++, b += b_row)                                                                     \
      for (int64_t j = 0; j < width; j++) {                                                                \
        out0[j] = name##_add(out0[j], a0[k], b[j]);                                                        \
        out1[j] = name##_add(out1[j], a1[k], b[j]);                                                        \
      }                                                                                                    \
  }                                                                                                        \
                                                                                                           \
  static void name##_rows_1(int64_t depth, int64_t width, const type *a, const type *b, int64_t b_row,     \
                            type *restrict out) {                                                          \
    for (int64_t k = 0; k < depth; k++, b += b_row)                                                        \
      for (int64_t j = 0; j < width; j++) out[j] = name##_add(out[j], a[k], b[j]);                         \
  }                                                                                                        \
                                                                                                           \
  static void name##_block(const mx_gemm *g, int64_t depth, int64_t width, const type *a, const type *b,   \
                           type *out) {                                                                    \
    int64_t i = 0;                                                                                         \
    for (; i + 2 <= g->rows; i += 2)                                                                       \
      name##_rows_2(depth, width, a + i * g->a_row, a + (i + 1) * g->a_row, b, g->b_row,                   \
                    out + i * g->out_row, out + (i + 1) * g->out_row);                                     \
    if (i < g->rows) name##_rows_1(depth, width, a + i * g->a_row, b, g->b_row, out + i * g->out_row);     \
  }                                                                                                        \
                                                                                                           \
  /* One column: products of vectors, with lanes that do not wait for each other. */                       \
  static type name##_inner(int64_t count, const type *a, const type *b) {                                  \
    type lane[LANES] = {0};                                                                                \
    int64_t k = 0;                                                                                         \
    for (; k + LANES <= count; k += LANES)                                                                 \
      for (int l = 0; l < LANES; l++) lane[l] = name##_add(lane[l], a[k + l], b[k + l]);                   \
    type sum = lane[0];                                                                                    \
    for (int l = 1; l < LANES; l++) sum = name##_add(sum, lane[l], 1);                                     \
    for (; k < count; k++) sum = name##_add(sum, a[k], b[k]);                                              \
    return sum;                                                                                            \
  }                                                                                                        \
                                                                                                           \
  static void name(const mx_gemm *g, const void *in_a, const void *in_b, void *in_out) {                   \
    const type *a = in_a, *b = in_b;                                                                       \
    type *out = in_out;                                                                                    \
    if (g->columns == 1 && g->b_row == 1) {                                                                \
      for (int64_t i = 0; i < g->rows; i++)                                                                \
        out[i * g->out_row] =                                                                              \
            name##_add(out[i * g->out_row], name##_inner(g->inner, a + i * g->a_row, b), 1);               \
      return;                                                                                              \
    }                                                                                                      \
    for (int64_t j = 0; j < g->columns; j += WIDTH)                                                        \
      for (int64_t k = 0; k < g->inner; k += DEPTH)                                                        \
        name##_block(g, least(DEPTH, g->inner - k), least(WIDTH, g->columns - j), a + k,                   \
                     b + k * g->b_row + j, out + j);                                                       \
  }

/* Unsigned numbers wrap around without undefined behaviour, and as signed ones do. */
DEFINE_GEMM(gemm_boolean, bool, sum | (x & y))
DEFINE_GEMM(gemm_uint8, uint8_t, sum + x * y)
DEFINE_GEMM(gemm_int32, uint32_t, sum + x * y)
DEFINE_GEMM(gemm_int64, uint64_t, sum + x * y)
DEFINE_GEMM(gemm_float32, float, sum + x * y)
DEFINE_GEMM(gemm_float64, double, sum + x * y)

int mx_gemm_run(mx_element element, const mx_gemm *g, const void *a, const void *b, void *out,
                mx_gemm_polls *polls) {
  typedef void gemm(const mx_gemm *g, const void *a, const void *b, void *out);
#define X(name, type, dtype) [MX_ELEMENT_##name] = gemm_##name,
  static gemm *const gemms[MX_NUM_ELEMENTS] = {MX_ELEMENT_TYPES(X)};
#undef X
  const size_t size = mx_dtype_size(mx_element_dtype(element));
  const int64_t row = g->inner * g->columns;
  const int64_t rows = row < WORK / MIN_ROWS ? WORK / (row + 1) / 2 * 2 : MIN_ROWS;
  for (int64_t i = 0; i < g->rows; i += rows) {
    mx_gemm part = *g;
    part.rows = least(rows, g->rows - i);
    gemms[element](&part, (const char *)a + (size_t)(i * g->a_row) * size, b,
                   (char *)out + (size_t)(i * g->out_row) * size);
    polls->work += part.rows * row;
    if (polls->work < WORK) continue;
    polls->work = 0;
    MXERR_TRY(mx_host_poll_at_times(&polls->last));
  }
  return 0;
}

/* ---- the inputs of a product ---- */

static int promoted(const mx_call *call, mx_element *out) {
  mx_element a, b;
  MXERR_TRY(mx_element_of(call, 0, &a));
  MXERR_TRY(mx_element_of(call, 1, &b));
  *out = mx_element_promote(a, b);
  return 0;
}

int mx_factors_infer_type(mx_call *call) {
  mx_element element;
  MXERR_TRY(promoted(call, &element));
  call->outputs[0].dtype = mx_element_dtype(element);
  return 0;
}

int mx_factors_take(const mx_call *call, mx_factors *out) {
  MXERR_TRY(promoted(call, &out->element));
  MXERR_TRY(mx_element_convert(call, 0, out->element, &out->a));
  if (MXERR_FAILED(mx_element_convert(call, 1, out->element, &out->b))) {
    mx_ndarray_release(out->a);
    return MXERR_FAILURE;
  }
  return 0;
}

void mx_factors_release(mx_factors *factors) {
  mx_ndarray_release(factors->a);
  mx_ndarray_release(factors->b);
}
