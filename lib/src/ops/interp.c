/* interp.c: piecewise linear interpolation through points. */
#include "element.h"

typedef struct interp_param {
  mx_optional_float left;
  mx_optional_float right;
} interp_param;

static int interp_infer_shape(mx_call *call) {
  const mx_shape *xp = &call->inputs[1]->shape, *fp = &call->inputs[2]->shape;
  char xp_text[MX_SHAPE_TEXT_MAX], fp_text[MX_SHAPE_TEXT_MAX];
  MXERR_CHECK(xp->ndim == 1 && fp->ndim == 1,
              "ValueError: interp: expected points with one dimension, got " MXERR_VALUE(
                  "xp.shape", "%s") ", " MXERR_VALUE("fp.shape", "%s"),
              mx_shape_print(xp, xp_text), mx_shape_print(fp, fp_text));
  const long long xp_length = xp->dim[0], fp_length = fp->dim[0];
  MXERR_CHECK_EQ(xp_length, fp_length, "ValueError: interp: fp and xp are not of the same length");
  MXERR_CHECK_GT(xp_length, 0, "ValueError: interp: array of sample points is empty");
  call->outputs[0].shape = call->inputs[0]->shape;
  return 0;
}

static int interp_infer_type(mx_call *call) {
  mx_element element;
  for (int i = 0; i < call->num_inputs; i++) MXERR_TRY(mx_element_of(call, i, &element));
  call->outputs[0].dtype = MX_FLOAT64;
  return 0;
}

/* ---- forward ---- */

/* The points, and the results outside of them. */
typedef struct points {
  int64_t count;
  const double *x, *f;
  double left, right;
} points;

/* The last point that is not right of x, which lies among them; the search begins where the last one ended. */
static int64_t find_point(const points *p, double x, int64_t guess) {
  if (p->x[guess] <= x && x < p->x[guess + 1]) return guess;
  int64_t low = 0, high = p->count - 1; /* x[low] <= x < x[high] */
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (p->x[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Between two points, from the left one; infinities may leave that as not-a-number, so then from the right. */
static double between(const points *p, int64_t i, double x) {
  const double slope = (p->f[i + 1] - p->f[i]) / (p->x[i + 1] - p->x[i]);
  double f = slope * (x - p->x[i]) + p->f[i];
  if (f != f) f = slope * (x - p->x[i + 1]) + p->f[i + 1];
  if (f != f && p->f[i] == p->f[i + 1]) f = p->f[i];
  return f;
}

static void interpolate(const points *p, size_t size, const double *x, double *out) {
  const int64_t last = p->count - 1;
  int64_t guess = 0;
  for (size_t i = 0; i < size; i++) {
    if (last == 0) /* as in NumPy, one point is neither left nor right of not-a-number */
      out[i] = x[i] < p->x[0] ? p->left : x[i] > p->x[0] ? p->right : p->f[0];
    else if (x[i] != x[i])
      out[i] = x[i];
    else if (x[i] < p->x[0])
      out[i] = p->left;
    else if (x[i] > p->x[last])
      out[i] = p->right;
    else if (x[i] == p->x[last])
      out[i] = p->f[last];
    else {
      guess = find_point(p, x[i], guess);
      out[i] = x[i] == p->x[guess] ? p->f[guess] : between(p, guess, x[i]);
    }
  }
}

static int interp_forward(mx_call *call) {
  const interp_param *param = call->param;
  mx_ndarray *in[3] = {NULL, NULL, NULL};
  int status = 0;
  for (int i = 0; i < 3 && status == 0; i++) status = mx_element_convert(call, i, MX_ELEMENT_float64, &in[i]);
  if (status == 0) {
    const double *f = in[2]->data;
    const points p = {
        .count = (int64_t)in[1]->size,
        .x = in[1]->data,
        .f = f,
        .left = param->left.given ? param->left.value : f[0],
        .right = param->right.given ? param->right.value : f[in[2]->size - 1],
    };
    interpolate(&p, in[0]->size, in[0]->data, call->outputs[0].array->data);
  }
  for (int i = 0; i < 3; i++) mx_ndarray_release(in[i]);
  MXERR_TRY(status);
  return 0;
}

/* ---- descriptor ---- */

static const char *const inputs[] = {"x", "xp", "fp"};

static const mx_param params[] = {
    {"left", MX_PARAM_FLOAT_OR_NONE, offsetof(interp_param, left), "None",
     "The result left of the points; None takes that of the first point."},
    {"right", MX_PARAM_FLOAT_OR_NONE, offsetof(interp_param, right), "None",
     "The result right of the points; None takes that of the last point."},
};

const mx_op mx_op_interp = {
    .name = "interp",
    .doc =
        "Interpolate linearly between points.\n\n"
        "The points have ascending coordinates `xp`, which is not checked, and values `fp`. The result is float64 "
        "and has the shape of `x`. NumPy's parameter `period` is not implemented.\n\n"
        "Raises\n------\n"
        "ValueError\n    If `xp` and `fp` are not of the same length, are empty, or have not one dimension.\n"
        "NotImplementedError\n    If an input is of a type that operators do not compute in.\n\n"
        "Examples\n--------\n"
        ">>> np.interp([0.5, 2.0, 9.0], [0, 1, 3], [0, 10, 20])\narray([ 5., 15., 20.])",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(interp_param),
    .infer_shape = interp_infer_shape,
    .infer_type = interp_infer_type,
    .forward = interp_forward,
};
