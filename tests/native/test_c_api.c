/* test_c_api.c: every function of the C API with every bad argument: a status and a text, never a crash. */
#include "arrays.h"

static const int64_t shape23[] = {2, 3};

/* ---- NULL for each pointer ---- */

static void results_have_to_go_somewhere(void) {
  NDArrayHandle array = new_array(shape23, 2, FLOAT64);
  const char *const *names;
  const MXOpInfo *info;
  int64_t shape[MX_MAX_NDIM];
  int number = 0;
  expect_failure(MXGetVersion(NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXNDArrayCreate(shape23, 2, FLOAT64, NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXNDArrayGetShape(array, NULL, shape), "ValueError", "the result pointer is NULL");
  expect_failure(MXNDArrayGetShape(array, &number, NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXNDArrayGetDType(array, NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXListAllOpNames(NULL, &names), "ValueError", "the result pointer is NULL");
  expect_failure(MXListAllOpNames(&number, NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXOpGetInfo("transpose", NULL), "ValueError", "the result pointer is NULL");
  expect_failure(MXOpGetInfo(NULL, &info), "ValueError", "the operator's name is NULL");
  EXPECT_NUMBER(0, MXNDArrayFree(array));
}

static void data_has_to_be_somewhere(void) {
  const int64_t none[] = {0};
  NDArrayHandle array = new_array(shape23, 2, FLOAT64), empty = new_array(none, 1, FLOAT64), handle = NULL;
  expect_failure(MXNDArrayCreate(NULL, 2, FLOAT64, &handle), "ValueError", "the shape is NULL");
  expect_failure(MXNDArraySyncCopyFromCPU(array, NULL, 6), "ValueError", "the data pointer is NULL");
  expect_failure(MXNDArraySyncCopyToCPU(array, NULL, 6), "ValueError", "the data pointer is NULL");
  EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(empty, NULL, 0));
  EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(empty, NULL, 0));
  EXPECT_NUMBER(0, MXNDArrayCreate(NULL, 0, FLOAT64, &handle)); /* a scalar has no shape to point to */
  EXPECT_NUMBER(0, MXNDArrayFree(handle) + MXNDArrayFree(array) + MXNDArrayFree(empty));
}

/* ---- an operator's arguments ---- */

typedef struct call {
  const char *name;
  int num_inputs;
  const NDArrayHandle *inputs;
  int num_params;
  const char *const *keys, *const *values;
} call;

static int run(const call *c) {
  NDArrayHandle *outputs = NULL;
  int count = 0;
  const int status = MXImperativeInvoke(c->name, c->num_inputs, c->inputs, c->num_params, c->keys, c->values,
                                        &count, &outputs);
  if (status == 0) MXNDArrayFree(outputs[0]);
  return status;
}

static void results_go_into_the_callers_memory(void) {
  const NDArrayHandle array = new_array(shape23, 2, FLOAT64);
  const char *const keys[] = {"indices_or_sections", "axis"}, *const values[] = {"3", "1"};
  NDArrayHandle room[3] = {NULL, NULL, NULL}, *outputs = room;
  int count = 2;
  expect_failure(MXImperativeInvoke("split", 1, &array, 2, keys, values, &count, &outputs), "ValueError",
                 "split: more results than there is room for");
  EXPECT(count == 2 && outputs == room && room[0] == NULL);
  count = 3;
  EXPECT_NUMBER(0, MXImperativeInvoke("split", 1, &array, 2, keys, values, &count, &outputs));
  EXPECT(count == 3 && outputs == room);
  for (int i = 0; i < 3; i++) EXPECT_NUMBER(0, MXNDArrayFree(room[i]));
  EXPECT_NUMBER(0, MXNDArrayFree(array));
}

static void an_operator_needs_its_arguments(void) {
  NDArrayHandle array = new_array(shape23, 2, FLOAT64), *outputs = NULL;
  const NDArrayHandle two[] = {array, array}, with_null[] = {NULL}, many[100] = {array};
  const char *const keys[] = {"axes", "axes"}, *const values[] = {"(1, 0)", "(1, 0)"};
  const char *const null_text[] = {NULL, NULL}, *const unknown[] = {"axis"};
  const call whole = {"transpose", 1, &array, 1, keys, values};
  call c;
  int count;
  EXPECT_NUMBER(0, run(&whole));
  c = whole, c.name = NULL;
  expect_failure(run(&c), "ValueError", "the operator's name is NULL");
  c = whole, c.name = "";
  expect_failure(run(&c), "AttributeError", "there is no operator ''");
  c = whole, c.name = "zzz";
  expect_failure(run(&c), "AttributeError", "there is no operator 'zzz'");
  EXPECT_TEXT("zzz", value_of(error_now(), 0, "name"));
  c = whole, c.inputs = NULL;
  expect_failure(run(&c), "ValueError", "the inputs are NULL");
  c = whole, c.inputs = with_null;
  expect_failure(run(&c), "ValueError", "the array handle is NULL");
  c = whole, c.inputs = two, c.num_inputs = 2;
  expect_failure(run(&c), "TypeError", "transpose: wrong number of inputs");
  c = whole, c.num_inputs = 0;
  expect_failure(run(&c), "TypeError", "transpose: wrong number of inputs");
  c = whole, c.keys = NULL;
  expect_failure(run(&c), "ValueError", "the parameters are NULL");
  c = whole, c.values = NULL;
  expect_failure(run(&c), "ValueError", "the parameters are NULL");
  c = whole, c.keys = null_text;
  expect_failure(run(&c), "ValueError", "a parameter's text is NULL");
  c = whole, c.values = null_text;
  expect_failure(run(&c), "ValueError", "a parameter's text is NULL");
  c = whole, c.keys = unknown;
  expect_failure(run(&c), "AttributeError", "there is no parameter 'axis'");
  c = whole, c.num_params = 2;
  expect_failure(run(&c), "TypeError", "parameter 'axes' is given twice");
  c = whole, c.inputs = many, c.num_inputs = 100;
  expect_failure(run(&c), "ValueError", "the array handle is NULL");
  for (int i = 0; i < 2; i++) {
    const int bad[] = {-1, INT32_MIN};
    c = whole, c.num_inputs = bad[i];
    expect_failure(run(&c), "ValueError", "the number of inputs is negative");
    c = whole, c.num_params = bad[i];
    expect_failure(run(&c), "ValueError", "the number of parameters is negative");
  }
  c = whole, c.num_inputs = INT32_MAX;
  expect_failure(run(&c), "ValueError", "too many inputs");
  c = whole, c.num_params = INT32_MAX; /* refused before the third is looked at */
  expect_failure(run(&c), "TypeError", "parameter 'axes' is given twice");
  expect_failure(MXImperativeInvoke("transpose", 1, &array, 0, NULL, NULL, NULL, &outputs), "ValueError",
                 "the result pointer is NULL");
  expect_failure(MXImperativeInvoke("transpose", 1, &array, 0, NULL, NULL, &count, NULL), "ValueError",
                 "the result pointer is NULL");
  EXPECT_NUMBER(0, MXNDArrayFree(array));
}

/* ---- sizes ---- */

static void impossible_shapes_are_refused(void) {
  static const struct {
    int64_t shape[4];
    int ndim;
    const char *message;
  } rows[] = {
      {{0}, -1, "negative number of dimensions"},
      {{0}, INT32_MIN, "negative number of dimensions"},
      {{0}, MX_MAX_NDIM + 1, "so many dimensions"},
      {{0}, INT32_MAX, "so many dimensions"},
      {{-1}, 1, "negative dimensions are not allowed. shape = [-1]"},
      {{2, INT64_MIN}, 2, "negative dimensions are not allowed"},
      {{0, -1}, 2, "negative dimensions are not allowed"},
      {{INT64_MAX}, 1, "array is too big. shape = [9223372036854775807]"},
      {{INT64_MAX, INT64_MAX}, 2, "array is too big"},
      {{INT64_C(1) << 32, INT64_C(1) << 32}, 2, "array is too big"},
      {{INT64_C(1) << 31, INT64_C(1) << 31, 4}, 3, "array is too big"},
      {{INT64_C(1) << 60}, 1, "array is too big"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    NDArrayHandle handle = NULL;
    expect_failure(MXNDArrayCreate(rows[i].shape, rows[i].ndim, FLOAT64, &handle), "ValueError",
                   rows[i].message);
    EXPECT(handle == NULL);
  }
}

static void memory_that_is_not_there_is_a_failure(void) {
  const int64_t shape[] = {(INT64_C(1) << 59) - 1};
  NDArrayHandle handle = NULL;
  expect_failure(MXNDArrayCreate(shape, 1, FLOAT64, &handle), "MemoryError", "cannot allocate an array");
  EXPECT(handle == NULL);
}

static void huge_dimensions_of_an_empty_array_are_allowed(void) {
  const int64_t shape[] = {INT64_MAX, 0, INT64_MAX};
  NDArrayHandle handle = new_array(shape, 3, FLOAT64), output = NULL;
  EXPECT_NUMBER(0, invoke_one("transpose", handle, NULL, NULL, &output));
  EXPECT_NUMBER(0, MXNDArrayFree(handle) + MXNDArrayFree(output));
}

static void types_have_flags(void) {
  const int bad[] = {-1, 12, 15, 100, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    NDArrayHandle handle = NULL;
    char expected[48];
    snprintf(expected, sizeof expected, "dtype = %d is no type flag", bad[i]);
    expect_failure(MXNDArrayCreate(shape23, 2, bad[i], &handle), "TypeError", expected);
  }
  for (int i = 0; i < DTYPES; i++) {
    NDArrayHandle handle = new_array(shape23, 2, all_dtypes[i].flag);
    int flag = -1;
    EXPECT_NUMBER(0, MXNDArrayGetDType(handle, &flag) + MXNDArrayFree(handle));
    EXPECT_NUMBER(all_dtypes[i].flag, flag);
  }
}

static void a_copy_takes_all_elements(void) {
  const size_t bad[] = {0, 5, 7, SIZE_MAX, SIZE_MAX / 8 + 7};
  double data[6] = {1, 2, 3, 4, 5, 6}, copied[6] = {0};
  NDArrayHandle array = new_array(shape23, 2, FLOAT64);
  EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(array, copied, 6)); /* zeros at first */
  for (int i = 0; i < 6; i++) EXPECT(copied[i] == 0);
  EXPECT_NUMBER(0, MXNDArraySyncCopyFromCPU(array, data, 6));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    expect_failure(MXNDArraySyncCopyFromCPU(array, data, bad[i]), "ValueError", "all elements");
    expect_failure(MXNDArraySyncCopyToCPU(array, data, bad[i]), "ValueError", "all elements");
  }
  EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(array, copied, 6));
  EXPECT(memcmp(data, copied, sizeof data) == 0);
  EXPECT_NUMBER(0, MXNDArrayFree(array));
}

/* ---- the last error ---- */

static void the_last_error_is_a_text(void) {
  static const char beginning[] =
      "ValueError: Check failed: out != NULL (NULL vs. NULL) : the result pointer is NULL\n"
      "Stack trace:\n  File \"lib/src/c_api.c\", line ";
  const char *text;
  int version = 0;
  EXPECT_TEXT("", MXGetLastError());
  EXPECT_NUMBER(-1, MXGetVersion(NULL));
  text = MXGetLastError();
  EXPECT(strncmp(text, beginning, strlen(beginning)) == 0);
  EXPECT(strstr(text, ", in get_version\n  File \"lib/src/c_api.c\", line ") != NULL);
  EXPECT_NUMBER(0, MXGetVersion(&version));
  EXPECT(version > 0);
  EXPECT_TEXT(text, MXGetLastError()); /* success changes nothing */
}

static void a_long_error_is_a_whole_text(void) {
  static char name[100000];
  const char *text;
  const MXOpInfo *info;
  memset(name, 'n', sizeof name - 1);
  EXPECT_NUMBER(-1, MXOpGetInfo(name, &info));
  text = MXGetLastError();
  EXPECT(strstr(text, "[cut by mxerr]") != NULL);
  EXPECT(strstr(text, ", in MXOpGetInfo\n") != NULL);
}

int main(void) {
  RUN(results_have_to_go_somewhere);
  RUN(data_has_to_be_somewhere);
  RUN(results_go_into_the_callers_memory);
  RUN(an_operator_needs_its_arguments);
  RUN(impossible_shapes_are_refused);
  RUN(memory_that_is_not_there_is_a_failure);
  RUN(huge_dimensions_of_an_empty_array_are_allowed);
  RUN(types_have_flags);
  RUN(a_copy_takes_all_elements);
  RUN(the_last_error_is_a_text);
  RUN(a_long_error_is_a_whole_text);
  return checks_end();
}
