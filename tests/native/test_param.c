/* test_param.c: parameters are read from the texts that Python prints of their values, and nothing else is. */
#include "arrays.h"

/* ---- a list of numbers, as the shape of what random_uniform draws ---- */

static void expect_shape(const char *text, int wanted_ndim, int64_t first, int64_t last) {
  NDArrayHandle output = NULL;
  int64_t shape[MX_MAX_NDIM] = {0};
  int ndim = -1;
  EXPECT_NUMBER(0, invoke_one("random_uniform", NULL, "size", text, &output));
  EXPECT_NUMBER(0, MXNDArrayGetShape(output, &ndim, shape));
  EXPECT_NUMBER(wanted_ndim, ndim);
  if (ndim > 0) EXPECT(shape[0] == first && shape[ndim - 1] == last);
  MXNDArrayFree(output);
}

static void shapes_are_read(void) {
  expect_shape("(3, 4)", 2, 3, 4);
  expect_shape("[3,4]", 2, 3, 4);
  expect_shape(" ( 3 , 4 , ) ", 2, 3, 4);
  expect_shape("(3,)", 1, 3, 3);
  expect_shape("(0,)", 1, 0, 0);
  expect_shape("()", 0, 0, 0);
  expect_shape("5", 1, 5, 5);
  expect_shape(" 5 ", 1, 5, 5);
  expect_shape("None", 0, 0, 0);
  expect_shape("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
               "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)",
               64, 1, 2);
}

static void expect_refused(const char *key, const char *text, const char *expected) {
  NDArrayHandle output = NULL;
  expect_failure(invoke_one("random_uniform", NULL, key, text, &output), "TypeError", expected);
  EXPECT(strstr(message_now(), text) != NULL); /* both what was expected and what came */
}

static void what_is_no_shape_is_refused(void) {
  /* clang-format off */
  static const char *const texts[] = {
      "", " ", "(", "[", ")", "(,)", "(1", "(1,", "(1 2)", "(1,,2)", "(1,2]", "[1,2)", "(1)2", "(1),", "1,2",
      "1.5", "(1.0,)", "1e3", "0x10", "one", "None!", "Nonesense", "none", "(None,)", "((1,),)", "--1", "- 1",
      "(1,2)\xff", "\xff"};
  /* clang-format on */
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    expect_refused("size", texts[i],
                   "random_uniform: parameter 'size': expected tuple of int or None, got '");
}

static void lists_have_64_numbers_at_most(void) {
  NDArrayHandle output = NULL;
  char text[2 * 65 + 2] = "(";
  for (int i = 0; i < 65; i++) strcat(text, i < 64 ? "1," : "1)");
  expect_failure(invoke_one("random_uniform", NULL, "size", text, &output), "ValueError",
                 "random_uniform: parameter 'size': expected 64 numbers at most, got '(1,1,");
  text[3] = 'x';
  expect_failure(invoke_one("random_uniform", NULL, "size", text, &output), "TypeError",
                 "random_uniform: parameter 'size': expected tuple of int or None, got '(1,x,");
}

static void integers_have_64_bits(void) {
  static const char *const texts[] = {"9223372036854775808", "-9223372036854775809",
                                      "(99999999999999999999999,)", "(1, -9223372036854775809)"};
  NDArrayHandle output = NULL;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    expect_failure(invoke_one("random_uniform", NULL, "size", texts[i], &output), "OverflowError",
                   "random_uniform: parameter 'size': expected tuple of int or None of 64 bits, got '");
    EXPECT(strstr(message_now(), texts[i]) != NULL);
  }
  expect_failure(invoke_one("random_uniform", NULL, "size", "-9223372036854775808", &output), "ValueError",
                 "negative dimensions are not allowed");
  expect_refused("size", "(-9223372036854775808, x)", "expected tuple of int or None, got '");
}

/* ---- real numbers ---- */

static double drawn(const char *text) {
  const char *const keys[] = {"low", "high"}, *const values[] = {text, text};
  NDArrayHandle *outputs = NULL;
  double number = -12345;
  int count;
  if (MXImperativeInvoke("random_uniform", 0, NULL, 2, keys, values, &count, &outputs) != 0) return number;
  MXNDArraySyncCopyToCPU(outputs[0], &number, 1);
  MXNDArrayFree(outputs[0]);
  return number;
}

static void reals_are_read(void) {
  EXPECT(drawn("0.1") == 0.1);
  EXPECT(drawn("-2.5e-3") == -2.5e-3);
  EXPECT(drawn(" 7 ") == 7);
  EXPECT(drawn("0.00000000000000000000000000000000000000000000000000000000000000000000000000000000001") ==
         1e-83);
  EXPECT(drawn("1.7976931348623157e+308") == 1.7976931348623157e+308);
  EXPECT(drawn("5e-324") == 5e-324);
  EXPECT(drawn("inf") != drawn("inf")); /* inf + (inf - inf) x */
  EXPECT(drawn("nan") != drawn("nan"));
}

static void what_is_no_real_is_refused(void) {
  static const char *const texts[] = {"",     " ",     "x",   "1.5x", "1,5", "1.5,5",
                                      "1..5", "(1.5)", "1 2", "None", "+-1"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    expect_refused("low", texts[i], "random_uniform: parameter 'low': expected float, got '");
}

/* ---- types ---- */

static void types_are_read_by_name(void) {
  NDArrayHandle output = NULL;
  int flag = -1;
  EXPECT_NUMBER(0, invoke_one("random_uniform", NULL, "dtype", "float32", &output));
  EXPECT_NUMBER(0, MXNDArrayGetDType(output, &flag) + MXNDArrayFree(output));
  EXPECT_NUMBER(FLOAT32, flag);
  expect_refused("dtype", "float31",
                 "parameter 'dtype': expected dtype, got 'float31'; did you mean 'float32'?");
  expect_refused("dtype", "", "random_uniform: parameter 'dtype': expected dtype, got '");
  expect_refused("dtype", "0", "random_uniform: parameter 'dtype': expected dtype, got '");
  expect_refused("dtype", "int32", "expected float32 or float64, got ");
}

static void a_long_text_is_cut_in_the_error(void) {
  static char text[1000000];
  NDArrayHandle output = NULL;
  memset(text, '1', sizeof text - 1);
  expect_failure(invoke_one("random_uniform", NULL, "size", text, &output), "OverflowError",
                 "[cut by mxerr]");
  text[sizeof text - 2] = 'x';
  expect_failure(invoke_one("random_uniform", NULL, "low", text, &output), "TypeError", "[cut by mxerr]");
}

int main(void) {
  RUN(shapes_are_read);
  RUN(what_is_no_shape_is_refused);
  RUN(lists_have_64_numbers_at_most);
  RUN(integers_have_64_bits);
  RUN(reals_are_read);
  RUN(what_is_no_real_is_refused);
  RUN(types_are_read_by_name);
  RUN(a_long_text_is_cut_in_the_error);
  return checks_end();
}
