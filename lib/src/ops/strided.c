/* strided.c: the copy behind transpose and index. */
#include "strided.h"

#include <string.h>

void mx_strides_of(const mx_shape *shape, int64_t strides[MX_MAX_NDIM]) {
  int64_t stride = 1;
  for (int i = shape->ndim; i-- > 0; stride *= shape->dim[i]) strides[i] = stride;
}

/*
 * A walk over the output in C order: the length of each dimension, and the input's stride along it in
 * elements. The last dimension is the innermost.
 */
typedef struct walk {
  int ndim;
  int64_t size[MX_MAX_NDIM];
  int64_t stride[MX_MAX_NDIM];
} walk;

/* Adds a dimension, or makes the last one longer where the input runs on without a gap. */
static void walk_add(walk *w, int64_t size, int64_t stride) {
  if (size == 1) return;
  if (w->ndim > 0 && w->stride[w->ndim - 1] == size * stride) {
    w->size[w->ndim - 1] *= size;
    w->stride[w->ndim - 1] = stride;
    return;
  }
  w->size[w->ndim] = size;
  w->stride[w->ndim++] = stride;
}

/* The walk over a view that has elements. */
static walk walk_of(const mx_view *view) {
  walk w;
  w.ndim = 0;
  for (int i = 0; i < view->ndim; i++) walk_add(&w, view->size[i], view->stride[i]);
  if (w.ndim == 0) w = (walk){.ndim = 1, .size = {1}, .stride = {1}};
  return w;
}

/* The plane that is copied at once: `rows` along one dimension, `columns` along the innermost. */
typedef struct plane {
  int64_t rows, row_in, row_out; /* strides of a row */
  int64_t columns, column_in;    /* columns follow each other in the output */
} plane;

/*
 * Copies a plane in tiles that fit the first-level cache both ways. An element is 1, 2, 4, 8 or 16 bytes; the
 * loops are the same for each, so they are written once.
 */
typedef struct pair {
  uint64_t half[2];
} pair;

#define DEFINE_COPY_PLANE(name, element)                                                             \
  static void name(const plane *p, const void *from, void *to) {                                     \
    enum { TILE = 32 };                                                                              \
    const element *in = from;                                                                        \
    element *out = to;                                                                               \
    for (int64_t r0 = 0; r0 < p->rows; r0 += TILE)                                                   \
      for (int64_t c0 = 0; c0 < p->columns; c0 += TILE) {                                            \
        const int64_t r1 = r0 + TILE < p->rows ? r0 + TILE : p->rows;                                \
        const int64_t c1 = c0 + TILE < p->columns ? c0 + TILE : p->columns;                          \
        for (int64_t r = r0; r < r1; r++)                                                            \
          for (int64_t c = c0; c < c1; c++) out[r * p->row_out + c] = in[r * p->row_in + c * p->column_in]; \
      }                                                                                              \
  }

DEFINE_COPY_PLANE(copy_plane_1, uint8_t)
DEFINE_COPY_PLANE(copy_plane_2, uint16_t)
DEFINE_COPY_PLANE(copy_plane_4, uint32_t)
DEFINE_COPY_PLANE(copy_plane_8, uint64_t)
DEFINE_COPY_PLANE(copy_plane_16, pair)

static void copy_plane(const plane *p, size_t element_size, const char *in, char *out) {
  if (p->column_in == 1) {
    for (int64_t r = 0; r < p->rows; r++)
      memcpy(out + r * p->row_out * (int64_t)element_size, in + r * p->row_in * (int64_t)element_size,
             (size_t)p->columns * element_size);
    return;
  }
  switch (element_size) {
    case 1: copy_plane_1(p, in, out); break;
    case 2: copy_plane_2(p, in, out); break;
    case 4: copy_plane_4(p, in, out); break;
    case 8: copy_plane_8(p, in, out); break;
    default: copy_plane_16(p, in, out);
  }
}

/* The dimension for the rows of the plane: where the input lies closest, so that tiles use whole lines. */
static int row_dimension(const walk *w) {
  int best = w->ndim - 2;
  for (int i = 0; i + 1 < w->ndim; i++)
    if (w->stride[i] < w->stride[best]) best = i;
  return best;
}

static void copy_permuted(const walk *w, size_t element_size, const char *in, char *out) {
  const int last = w->ndim - 1, row = row_dimension(w);
  int64_t out_stride[MX_MAX_NDIM], index[MX_MAX_NDIM] = {0}, stride = 1;
  for (int i = w->ndim; i-- > 0; stride *= w->size[i]) out_stride[i] = stride;
  const plane p = {
      .rows = row >= 0 ? w->size[row] : 1,
      .row_in = row >= 0 ? w->stride[row] : 0,
      .row_out = row >= 0 ? out_stride[row] : 0,
      .columns = w->size[last],
      .column_in = w->stride[last],
  };
  for (int i = 0; i >= 0;) { /* the other dimensions count up like an odometer */
    copy_plane(&p, element_size, in, out);
    for (i = last - 1; i >= 0; i--) {
      if (i == row) continue;
      in += w->stride[i] * (int64_t)element_size;
      out += out_stride[i] * (int64_t)element_size;
      if (++index[i] < w->size[i]) break;
      in -= w->stride[i] * w->size[i] * (int64_t)element_size;
      out -= out_stride[i] * w->size[i] * (int64_t)element_size;
      index[i] = 0;
    }
  }
}

void mx_copy_view(const mx_view *view, size_t element_size, const void *in, void *out) {
  for (int i = 0; i < view->ndim; i++)
    if (view->size[i] == 0) return;
  const walk w = walk_of(view);
  copy_permuted(&w, element_size, (const char *)in + view->offset * (int64_t)element_size, out);
}
