/* test_transpose.c: the operator against a plain reference: all ranks, sizes and element sizes; and its checks. */
#include "arrays.h"

enum { MOST_NDIM = MX_MAX_NDIM };

/* ---- a reference: where each element of the output comes from ---- */

typedef struct permutation {
  int ndim;
  int64_t shape[MOST_NDIM]; /* of the input */
  int axes[MOST_NDIM];
} permutation;

static size_t source_of(const permutation *p, size_t position) {
  size_t source = 0;
  int64_t strides[MOST_NDIM], stride = 1;
  for (int i = p->ndim; i-- > 0; stride *= p->shape[i]) strides[i] = stride;
  for (int i = p->ndim; i-- > 0;) {
    const int64_t size = p->shape[p->axes[i]];
    source += (size_t)((int64_t)position % size * strides[p->axes[i]]);
    position /= (size_t)size;
  }
  return source;
}

static void print_axes(const permutation *p, char *text) {
  char *end = text;
  *end++ = '(';
  for (int i = 0; i < p->ndim; i++) end += sprintf(end, "%d,", p->axes[i]);
  strcpy(end, ")");
}

static void expect_shape(const permutation *p, NDArrayHandle handle, int dtype) {
  int64_t shape[MX_MAX_NDIM];
  int ndim, out_dtype;
  EXPECT_NUMBER(0, MXNDArrayGetShape(handle, &ndim, shape));
  EXPECT_NUMBER(p->ndim, ndim);
  for (int i = 0; i < ndim; i++) EXPECT_NUMBER(p->shape[p->axes[i]], shape[i]);
  EXPECT_NUMBER(0, MXNDArrayGetDType(handle, &out_dtype));
  EXPECT_NUMBER(dtype, out_dtype);
}

static int compared;

static void expect_transposed(const permutation *p, int dtype, size_t element) {
  const size_t size = count_elements(p->shape, p->ndim), bytes = size * element;
  unsigned char *in = malloc(bytes + 1), *out = malloc(bytes + 1);
  NDArrayHandle input = new_array(p->shape, p->ndim, dtype), output = NULL;
  char axes[4 * MOST_NDIM];
  bool equal = true;
  if (in == NULL || out == NULL) abort();
  for (size_t i = 0; i < bytes; i++) in[i] = (unsigned char)(i * 131 + i / 251);
  print_axes(p, axes);
  EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(input, in, size));
  EXPECT_NUMBER(0, invoke_one("transpose", input, "axes", axes, &output));
  expect_shape(p, output, dtype);
  EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(output, out, size));
  for (size_t i = 0; i < size && equal; i++)
    equal = memcmp(out + i * element, in + source_of(p, i) * element, element) == 0;
  if (!equal) printf("# axes %s, element of %zu bytes\n", axes, element);
  EXPECT(equal);
  compared++;
  MXNDArrayFree(input);
  MXNDArrayFree(output);
  free(in);
  free(out);
}

/* ---- permutations ---- */

/* The next permutation in lexical order; false after the last. */
static bool next_permutation(int *axes, int count) {
  int i = count - 2, j = count - 1;
  while (i >= 0 && axes[i] > axes[i + 1]) i--;
  if (i < 0) return false;
  while (axes[j] < axes[i]) j--;
  const int swapped = axes[i];
  axes[i] = axes[j];
  axes[j] = swapped;
  for (int low = i + 1, high = count - 1; low < high; low++, high--) {
    const int kept = axes[low];
    axes[low] = axes[high];
    axes[high] = kept;
  }
  return true;
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t end) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % end;
}

static void shuffle(int *axes, int count) {
  for (int i = count; i > 1; i--) {
    const uint32_t j = random_below((uint32_t)i);
    const int swapped = axes[i - 1];
    axes[i - 1] = axes[j];
    axes[j] = swapped;
  }
}

static void first_axes(permutation *p) {
  for (int i = 0; i < p->ndim; i++) p->axes[i] = i;
}

/* ---- equal to the reference ---- */

static void every_permutation_of_small_arrays(void) {
  static const int64_t sizes[] = {2, 3, 1, 5, 2};
  for (int ndim = 0; ndim <= 5; ndim++) {
    permutation p = {.ndim = ndim};
    memcpy(p.shape, sizes, sizeof sizes);
    first_axes(&p);
    do
      for (int i = 0; i < DTYPES; i++) expect_transposed(&p, all_dtypes[i].flag, all_dtypes[i].size);
    while (next_permutation(p.axes, ndim));
  }
  EXPECT_NUMBER((1 + 1 + 2 + 6 + 24 + 120) * DTYPES, compared);
}

/* Around the sizes of tiles and blocks, on both sides, for one type of each element size. */
static void planes_of_all_sizes(void) {
  static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  for (int i = 0; i < SIZES; i++)
    for (int j = 0; j < SIZES; j++)
      for (int k = 0; k < 5; k++) {
        static const int flags[] = {UINT8, 2, FLOAT32, FLOAT64, 14};
        permutation p = {.ndim = 2, .shape = {sizes[i], sizes[j]}, .axes = {1, 0}};
        expect_transposed(&p, flags[k], (size_t)1 << k);
      }
}

static void random_shapes_and_axes(void) {
  for (int round = 0; round < 1000; round++) {
    permutation p = {.ndim = 1 + (int)random_below(7)};
    for (int i = 0; i < p.ndim; i++)
      p.shape[i] = random_below(4) == 0 ? 1 : 1 + random_below(p.ndim < 4 ? 40 : 6);
    first_axes(&p);
    shuffle(p.axes, p.ndim);
    const uint32_t k = random_below(DTYPES);
    expect_transposed(&p, all_dtypes[k].flag, all_dtypes[k].size);
  }
}

static void arrays_without_elements(void) {
  for (int round = 0; round < 200; round++) {
    permutation p = {.ndim = 1 + (int)random_below(6)};
    for (int i = 0; i < p.ndim; i++) p.shape[i] = random_below(2) == 0 ? 0 : INT64_C(1) << random_below(9);
    p.shape[random_below((uint32_t)p.ndim)] = 0;
    first_axes(&p);
    shuffle(p.axes, p.ndim);
    expect_transposed(&p, UINT8, 1);
  }
}

static void the_most_dimensions(void) {
  for (int round = 0; round < 20; round++) {
    permutation p = {.ndim = MX_MAX_NDIM};
    for (int i = 0; i < p.ndim; i++) p.shape[i] = 1;
    for (int i = 0; i < 10; i++) p.shape[random_below(MX_MAX_NDIM)] = 2;
    first_axes(&p);
    shuffle(p.axes, p.ndim);
    expect_transposed(&p, FLOAT64, 8);
  }
}

/* ---- ways to say the axes ---- */

static void expect_axes(const char *axes, int64_t first, int64_t second, int64_t third) {
  const int64_t shape[] = {2, 3, 4};
  NDArrayHandle input = new_array(shape, 3, FLOAT32), output = NULL;
  int64_t found[MX_MAX_NDIM] = {0};
  int ndim = 0;
  EXPECT_NUMBER(0, invoke_one("transpose", input, axes != NULL ? "axes" : NULL, axes, &output));
  EXPECT_NUMBER(0, MXNDArrayGetShape(output, &ndim, found));
  EXPECT(ndim == 3 && found[0] == first && found[1] == second && found[2] == third);
  MXNDArrayFree(input);
  MXNDArrayFree(output);
}

static void axes_count_from_either_end_and_may_be_omitted(void) {
  expect_axes("(0, 2, 1)", 2, 4, 3);
  expect_axes("[-1,-3,-2]", 4, 2, 3);
  expect_axes("(0, -1, 1,)", 2, 4, 3);
  expect_axes("None", 4, 3, 2);
  expect_axes(NULL, 4, 3, 2);
}

/* ---- its checks ---- */

static void expect_refused(const char *axes, const char *kind, const char *condition, const char *message) {
  const int64_t shape[] = {2, 3, 4};
  NDArrayHandle input = new_array(shape, 3, FLOAT32), output = NULL;
  expect_failure(invoke_one("transpose", input, "axes", axes, &output), kind, message);
  EXPECT_TEXT(condition, mxerr_text(error_now(), error_now()->condition));
  EXPECT(output == NULL);
  MXNDArrayFree(input);
}

static void wrong_axes_are_refused(void) {
  expect_refused("(0, 0, 1)", "ValueError", "axes_set.size == axes.ndim",
                 "Repeated axis in transpose. param.axes = [0,0,1]");
  EXPECT_TEXT("2", mxerr_text(error_now(), error_now()->left));
  EXPECT_TEXT("3", mxerr_text(error_now(), error_now()->right));
  EXPECT_TEXT("[0,0,1]", value_of(error_now(), 0, "param.axes"));
  EXPECT_TEXT("transpose_infer_shape", function_of(error_now(), 0));
  EXPECT_TEXT("MXImperativeInvoke", function_of(error_now(), error_now()->frame_count - 1));
  expect_refused("(0, -3, 1)", "ValueError", "axes_set.size == axes.ndim", "param.axes = [0,-3,1]");
  expect_refused("(0, 1, 3)", "", "axis >= -ndim && axis < ndim", "axes[2]=3 exceeds the range [-3, 3)");
  expect_refused("(-4, 1, 2)", "", "axis >= -ndim && axis < ndim", "axes[0]=-4 exceeds the range [-3, 3)");
  expect_refused("(0, 1, 9223372036854775807)", "", "axis >= -ndim && axis < ndim", "9223372036854775807");
  expect_refused("(0, 1)", "", "ndim == param->axes.ndim", "The number of axes does not match");
  expect_refused("()", "", "ndim == param->axes.ndim", "The number of axes does not match");
  expect_refused("0", "", "ndim == param->axes.ndim", "param.axes = [0], shape = [2,3,4]");
}

int main(void) {
  RUN(every_permutation_of_small_arrays);
  RUN(planes_of_all_sizes);
  RUN(random_shapes_and_axes);
  RUN(arrays_without_elements);
  RUN(the_most_dimensions);
  RUN(axes_count_from_either_end_and_may_be_omitted);
  RUN(wrong_axes_are_refused);
  return checks_end();
}
