/* transpose.c: permutes the axes of an array. */
#include <string.h>

#include "../op.h"

typedef struct transpose_param {
  mx_shape axes; /* from infer_shape on: the input's axis for each axis of the output, counted from 0 */
} transpose_param;

/* ---- infer_shape ---- */

/* A set of axes: a bit for each. */
typedef struct axis_set {
  uint64_t bits;
  int size;
} axis_set;

static axis_set axis_set_of(const mx_shape *axes) {
  axis_set set = {0, 0};
  for (int i = 0; i < axes->ndim; i++) {
    const uint64_t bit = (uint64_t)1 << axes->dim[i];
    set.size += (set.bits & bit) == 0;
    set.bits |= bit;
  }
  return set;
}

static mx_shape reversed_axes(int ndim) {
  mx_shape axes = {.ndim = ndim};
  for (int i = 0; i < ndim; i++) axes.dim[i] = ndim - 1 - i;
  return axes;
}

/* Makes axes count from 0, and checks that an array with `ndim` dimensions has them. */
static int canonicalize_axes(const mx_shape *given, int ndim, mx_shape *axes) {
  axes->ndim = given->ndim;
  for (int i = 0; i < given->ndim; i++) {
    const long long axis = given->dim[i];
    MXERR_CHECK(axis >= -ndim && axis < ndim,
                "axes[%d]=%lld exceeds the range [%d, %d)" MXERR_LOCAL("axis", "%lld") MXERR_LOCAL("ndim", "%d"),
                i, axis, -ndim, ndim, axis, ndim);
    axes->dim[i] = axis < 0 ? axis + ndim : axis;
  }
  return 0;
}

static int transpose_infer_shape(mx_call *call) {
  transpose_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  const int ndim = shape->ndim;
  mx_shape axes = reversed_axes(ndim);
  char text[MX_SHAPE_TEXT_MAX], shape_text[MX_SHAPE_TEXT_MAX];
  if (param->axes.ndim >= 0) {
    MXERR_CHECK_EQ(ndim, param->axes.ndim,
                   "The number of axes does not match the dimension of the tensor. "
                   MXERR_VALUE("param.axes", "%s") ", " MXERR_VALUE("shape", "%s"),
                   mx_shape_print(&param->axes, text), mx_shape_print(shape, shape_text));
    MXERR_TRY_WITH(canonicalize_axes(&param->axes, ndim, &axes),
                   MXERR_LOCAL("param.axes", "%s") MXERR_LOCAL("shape", "%s"),
                   mx_shape_print(&param->axes, text), mx_shape_print(shape, shape_text));
    const axis_set axes_set = axis_set_of(&axes);
    MXERR_CHECK_EQ(axes_set.size, axes.ndim,
                   "ValueError: Repeated axis in transpose. " MXERR_VALUE("param.axes", "%s"),
                   mx_shape_print(&param->axes, text));
  }
  param->axes = axes;
  call->outputs[0].shape.ndim = ndim;
  for (int i = 0; i < ndim; i++) call->outputs[0].shape.dim[i] = shape->dim[axes.dim[i]];
  return 0;
}

static int transpose_infer_type(mx_call *call) {
  call->outputs[0].dtype = call->inputs[0]->dtype;
  return 0;
}

/* ---- forward ---- */

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

static walk walk_of(const mx_shape *shape, const mx_shape *axes) {
  int64_t strides[MX_MAX_NDIM], stride = 1;
  walk w;
  w.ndim = 0;
  for (int i = shape->ndim; i-- > 0; stride *= shape->dim[i]) strides[i] = stride;
  for (int i = 0; i < axes->ndim; i++) walk_add(&w, shape->dim[axes->dim[i]], strides[axes->dim[i]]);
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
      memcpy(out + (size_t)(r * p->row_out) * element_size, in + (size_t)(r * p->row_in) * element_size,
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
      in += (size_t)w->stride[i] * element_size;
      out += (size_t)out_stride[i] * element_size;
      if (++index[i] < w->size[i]) break;
      in -= (size_t)(w->stride[i] * w->size[i]) * element_size;
      out -= (size_t)(out_stride[i] * w->size[i]) * element_size;
      index[i] = 0;
    }
  }
}

static int transpose_forward(mx_call *call) {
  const transpose_param *param = call->param;
  const mx_ndarray *in = call->inputs[0];
  if (in->size == 0) return 0;
  const walk w = walk_of(&in->shape, &param->axes);
  copy_permuted(&w, mx_dtype_size(in->dtype), in->data, call->outputs[0].array->data);
  return 0;
}

/* ---- descriptor ---- */

static const char *const inputs[] = {"a"};

static const mx_param params[] = {
    {"axes", MX_PARAM_SHAPE_OR_NONE, offsetof(transpose_param, axes), "None",
     "For each axis of the result, the axis of `a` it comes from; negative ones count from the end. None "
     "reverses the axes."},
};

const mx_op mx_op_transpose = {
    .name = "transpose",
    .doc = "Permute the axes of an array.\n\n"
           "The result is a copy.\n\n"
           "Raises\n------\n"
           "ValueError\n    If an axis is repeated.\n"
           "MXNetError\n    If an axis is out of range, or the number of axes is not that of `a`.",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(transpose_param),
    .infer_shape = transpose_infer_shape,
    .infer_type = transpose_infer_type,
    .forward = transpose_forward,
};
