/* broadcast.c: NumPy's broadcasting. */
#include "broadcast.h"

/* The length of a dimension, counted from the last one as 1; 1 where there is none. */
static int64_t from_end(const mx_shape *shape, int d) {
  return d <= shape->ndim ? shape->dim[shape->ndim - d] : 1;
}

/* Fails: names the two inputs that differ in a dimension. */
static int fail_broadcast(const mx_call *call, int input, int d) {
  const mx_op *op = call->op;
  const mx_shape *shape = &call->inputs[input]->shape;
  char text[MX_SHAPE_TEXT_MAX], other_text[MX_SHAPE_TEXT_MAX];
  int other = 0;
  while (from_end(&call->inputs[other]->shape, d) == 1) other++;
  const mx_shape *other_shape = &call->inputs[other]->shape;
  const long long length = from_end(other_shape, d), expected = from_end(shape, d);
  MXERR_CHECK_EQ(length, expected, "ValueError: %s: shapes do not broadcast: %s.shape = %s, %s.shape = %s",
                 op->name, op->input_names[other], mx_shape_print(other_shape, text), op->input_names[input],
                 mx_shape_print(shape, other_text));
  return 0;
}

int mx_broadcast_shape(const mx_call *call, mx_shape *out) {
  *out = call->inputs[0]->shape;
  for (int i = 1; i < call->num_inputs; i++) {
    const mx_shape before = *out, *shape = &call->inputs[i]->shape;
    const int ndim = before.ndim > shape->ndim ? before.ndim : shape->ndim;
    out->ndim = ndim;
    for (int d = 1; d <= ndim; d++) {
      const int64_t a = from_end(&before, d), b = from_end(shape, d);
      if (a != b && a != 1 && b != 1) MXERR_TRY(fail_broadcast(call, i, d));
      out->dim[ndim - d] = a == 1 ? b : a;
    }
  }
  return 0;
}

/* True where the walk's last dimension runs on into one more dimension for every array. */
static bool runs_on(const mx_walk *walk, int64_t size, const int64_t *strides) {
  for (int i = 0; i < walk->arrays; i++)
    if (walk->stride[i][walk->ndim - 1] != size * strides[i]) return false;
  return true;
}

static void add_dimension(mx_walk *walk, int64_t size, const int64_t *strides) {
  if (size == 1) return;
  if (walk->ndim > 0 && runs_on(walk, size, strides)) {
    walk->size[walk->ndim - 1] *= size;
    for (int i = 0; i < walk->arrays; i++) walk->stride[i][walk->ndim - 1] = strides[i];
    return;
  }
  walk->size[walk->ndim] = size;
  for (int i = 0; i < walk->arrays; i++) walk->stride[i][walk->ndim] = strides[i];
  walk->ndim++;
}

mx_walk mx_walk_of(const mx_call *call, int arrays, const mx_shape *shape) {
  int64_t strides[3][MX_MAX_NDIM] = {{0}};
  mx_walk walk;
  walk.ndim = 0;
  walk.arrays = arrays;
  for (int i = 0; i < arrays; i++) {
    const mx_shape *own = &call->inputs[i]->shape;
    int64_t stride = 1;
    for (int d = own->ndim; d-- > 0; stride *= own->dim[d])
      strides[i][shape->ndim - own->ndim + d] = own->dim[d] == 1 ? 0 : stride;
  }
  for (int d = 0; d < shape->ndim; d++)
    add_dimension(&walk, shape->dim[d], (int64_t[]){strides[0][d], strides[1][d], strides[2][d]});
  if (walk.ndim == 0) {
    walk.ndim = 1;
    walk.size[0] = 1;
    for (int i = 0; i < arrays; i++) walk.stride[i][0] = 1;
  }
  return walk;
}

void mx_walk_rows(const mx_walk *walk, mx_row *row, void *context) {
  const int last = walk->ndim - 1;
  int64_t index[MX_MAX_NDIM] = {0}, at[3] = {0}, stride[3] = {0}, out = 0;
  for (int i = 0; i < walk->arrays; i++) stride[i] = walk->stride[i][last];
  for (int d = 0; d >= 0; out += walk->size[last]) { /* the outer dimensions count up like an odometer */
    row(context, walk->size[last], at, stride, out);
    for (d = last - 1; d >= 0; d--) {
      for (int i = 0; i < walk->arrays; i++) at[i] += walk->stride[i][d];
      if (++index[d] < walk->size[d]) break;
      for (int i = 0; i < walk->arrays; i++) at[i] -= walk->stride[i][d] * walk->size[d];
      index[d] = 0;
    }
  }
}
