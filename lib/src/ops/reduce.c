/* reduce.c: axes that go, and the walk over an array that loses them. */
#include "reduce.h"

#include "axis.h"
#include "casting.h"

/* ---- parameters ---- */

const char *const mx_reduce_inputs[1] = {"a"};

/* Those that do not accumulate have the first two. */
const mx_param mx_reduce_params[MX_NUM_ACCUMULATE_PARAMS] = {
    {"axis", MX_PARAM_SHAPE_OR_NONE, offsetof(mx_reduce_param, axis), "None",
     "The axis or axes that go; negative ones count from the end. None takes all."},
    {"keepdims", MX_PARAM_BOOL, offsetof(mx_reduce_param, keepdims), "False",
     "Whether the axes stay, with length 1."},
    {"dtype", MX_PARAM_DTYPE_OR_NONE, offsetof(mx_reduce_param, dtype), "None",
     "The type of the result, in which it is computed. None takes that of the elements, or one with more room."},
};

/* ---- infer_shape ---- */

/* Sorts a set of axes into a list. */
static mx_shape list_axes(const bool *chosen, int ndim) {
  mx_shape axes = {.ndim = 0};
  for (int i = 0; i < ndim; i++)
    if (chosen[i]) axes.dim[axes.ndim++] = i;
  return axes;
}

int mx_reduce_axes(const mx_call *call, const mx_shape *shape, mx_shape *axis) {
  bool chosen[MX_MAX_NDIM];
  /* as in NumPy, a scalar has an axis 0 to name */
  MXERR_TRY(mx_axes_resolve(call, axis, shape->ndim > 0 ? shape->ndim : 1, chosen));
  if (axis->ndim < 0)
    for (int i = 0; i < shape->ndim; i++) chosen[i] = true;
  *axis = list_axes(chosen, shape->ndim);
  return 0;
}

mx_shape mx_reduce_shape(const mx_shape *shape, const mx_shape *axes, bool keepdims) {
  mx_shape left = {.ndim = 0};
  for (int i = 0, next = 0; i < shape->ndim; i++) {
    const bool goes = next < axes->ndim && axes->dim[next] == i;
    next += goes;
    if (!goes || keepdims) left.dim[left.ndim++] = goes ? 1 : shape->dim[i];
  }
  return left;
}

bool mx_reduce_is_empty(const mx_shape *shape, const mx_shape *axes) {
  for (int i = 0; i < axes->ndim; i++)
    if (shape->dim[axes->dim[i]] == 0) return true;
  return false;
}

int mx_reduce_infer_shape(mx_call *call) {
  mx_reduce_param *param = call->param;
  const mx_shape *shape = &call->inputs[0]->shape;
  MXERR_TRY(mx_reduce_axes(call, shape, &param->axis));
  call->outputs[0].shape = mx_reduce_shape(shape, &param->axis, param->keepdims);
  return 0;
}

int mx_reduce_infer_type(mx_call *call, const mx_reduction *reductions) {
  mx_element element;
  MXERR_TRY(mx_element_of(call, 0, &element));
  call->outputs[0].dtype = reductions[element].result;
  return 0;
}

/* ---- forward ---- */

/*
 * The input in C order as runs of axes that go or stay together: their lengths, and what a step along each is
 * in the result, 0 along those that go. Axes of length 1 are in none.
 */
typedef struct runs {
  int count; /* at least 1 */
  int64_t size[MX_MAX_NDIM];
  int64_t step[MX_MAX_NDIM];
} runs;

static runs runs_of(const mx_shape *shape, const mx_shape *axes) {
  bool goes[MX_MAX_NDIM] = {false}, run_goes = false;
  runs r;
  r.count = 0;
  for (int i = 0; i < axes->ndim; i++) goes[axes->dim[i]] = true;
  for (int i = 0; i < shape->ndim; i++) {
    if (shape->dim[i] == 1) continue;
    if (r.count == 0 || goes[i] != run_goes) r.size[r.count++] = 1;
    run_goes = goes[i];
    r.size[r.count - 1] *= shape->dim[i];
    r.step[r.count - 1] = !run_goes; /* for now only whether it stays */
  }
  if (r.count == 0) r = (runs){.count = 1, .size = {1}, .step = {1}};
  int64_t step = 1;
  for (int i = r.count; i-- > 0;) {
    const int64_t size = r.step[i] ? r.size[i] : 1;
    r.step[i] *= step;
    step *= size;
  }
  return r;
}

/* Gives the innermost runs to the loop, one after the other; the outer ones count up like an odometer. */
static void reduce(const runs *r, const mx_reduction *reduction, size_t in_size, const char *in, char *out) {
  const int last = r->count - 1;
  const size_t out_size = mx_dtype_size(reduction->result);
  mx_reduce_loop *loop = r->step[last] == 0 ? reduction->one : reduction->many;
  int64_t index[MX_MAX_NDIM] = {0}, at = 0;
  int repeated = 0; /* runs that go and are past their first element: the result is there already */
  for (int i = 0; i >= 0; in += (size_t)r->size[last] * in_size) {
    loop(r->size[last], in, out + (size_t)at * out_size, repeated == 0);
    for (i = last - 1; i >= 0; i--) {
      at += r->step[i];
      repeated += r->step[i] == 0 && index[i] == 0;
      if (++index[i] < r->size[i]) break;
      at -= r->step[i] * r->size[i];
      repeated -= r->step[i] == 0;
      index[i] = 0;
    }
  }
}

static void run(const mx_shape *axes, const mx_reduction *reduction, const mx_ndarray *in, mx_ndarray *out) {
  if (in->size == 0) return;
  const runs r = runs_of(&in->shape, axes);
  reduce(&r, reduction, mx_dtype_size(in->dtype), in->data, out->data);
}

int mx_reduce_forward(mx_call *call, const mx_reduction *reductions) {
  const mx_reduce_param *param = call->param;
  mx_element element;
  MXERR_TRY(mx_element_of(call, 0, &element));
  run(&param->axis, &reductions[element], call->inputs[0], call->outputs[0].array);
  return 0;
}

/* ---- those that accumulate ---- */

/* The type in which the elements are taken, and that of the result. */
static int accumulation(const mx_call *call, const mx_reduction *reductions, mx_element *element,
                        int *result) {
  const mx_reduce_param *param = call->param;
  const int given = call->inputs[0]->dtype;
  if (param->dtype >= 0) {
    MXERR_TRY(mx_cast_check(call, given, param->dtype));
    MXERR_TRY(mx_element_of_dtype(call, param->dtype, element));
    *result = param->dtype;
    return 0;
  }
  const bool is_wide = mx_is_integer(given) && given != MX_UINT8 && given != MX_INT32;
  if (is_wide) /* int64 holds the same bits as uint64, where sums and products go: but not the same numbers */
    *element = reductions[MX_ELEMENT_int64].result == MX_FLOAT64 ? MX_ELEMENT_float64 : MX_ELEMENT_int64;
  else
    MXERR_TRY(mx_element_of(call, 0, element));
  *result = reductions[*element].result;
  if (*result == MX_INT64 && mx_is_unsigned(given)) *result = MX_UINT64;
  return 0;
}

int mx_accumulate_infer_type(mx_call *call, const mx_reduction *reductions) {
  mx_element element;
  MXERR_TRY(accumulation(call, reductions, &element, &call->outputs[0].dtype));
  return 0;
}

typedef void finisher(mx_ndarray *out, size_t count);

/* The result in the type of the loop, which is then cast to that of the output: the low bits of what wraps around. */
static int accumulate(mx_call *call, const mx_reduction *reduction, const mx_ndarray *in, finisher *finish) {
  const mx_reduce_param *param = call->param;
  mx_ndarray *out = call->outputs[0].array, *sums = out;
  if (out->dtype == reduction->result)
    mx_ndarray_retain(out);
  else
    MXERR_TRY(mx_ndarray_create(&out->shape, reduction->result, true, &sums));
  run(&param->axis, reduction, in, sums);
  if (finish != NULL) finish(sums, in->size);
  if (sums != out) mx_cast(sums->dtype, sums->data, 1, out->dtype, out->data, (int64_t)out->size);
  mx_ndarray_release(sums);
  return 0;
}

int mx_accumulate_forward(mx_call *call, const mx_reduction *reductions, finisher *finish) {
  mx_element element;
  mx_ndarray *in;
  int result;
  MXERR_TRY(accumulation(call, reductions, &element, &result));
  mx_float_errors_begin();
  MXERR_TRY(mx_cast_array(call->inputs[0], mx_element_dtype(element), &in));
  const int status = accumulate(call, &reductions[element], in, finish);
  mx_ndarray_release(in);
  MXERR_TRY(status);
  MXERR_TRY(mx_float_errors_end(call));
  return 0;
}
