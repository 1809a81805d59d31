/* test_number.c: how the operands of a check are printed. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"

static int print_double(double x) {
  MXERR_CHECK_NE(x, x, "double");
  MXERR_CHECK(x == x, "nan");
  return 0;
}

static int print_float(float x) {
  MXERR_CHECK_NE(x, x, "float");
  return 0;
}

static int print_mixed(float x, double y) {
  MXERR_CHECK_EQ(x, y, "mixed");
  return 0;
}

static int print_signed(int64_t x) {
  MXERR_CHECK_NE(x, x, "signed");
  return 0;
}

static int print_unsigned(uint64_t x) {
  MXERR_CHECK_NE(x, x, "unsigned");
  return 0;
}

static const char *left_now(void) { return mxerr_text(error_now(), error_now()->left); }

static void reals_are_printed_with_the_fewest_digits_that_give_them_back(void) {
  static const struct {
    double number;
    const char *text;
  } rows[] = {{0.1, "0.1"},
              {1.0 / 3, "0.3333333333333333"},
              {3.0, "3"},
              {-0.0, "-0"},
              {0.0, "0"},
              {1e100, "1e+100"},
              {5e-324, "5e-324"},
              {-5e-324, "-5e-324"},
              {2.2250738585072014e-308, "2.2250738585072014e-308"},
              {2.225073858507201e-308, "2.225073858507201e-308"},
              {DBL_MAX, "1.7976931348623157e+308"},
              {9007199254740993.0, "9007199254740992"},
              {INFINITY, "inf"},
              {-INFINITY, "-inf"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    EXPECT_NUMBER(MXERR_FAILURE, print_double(rows[i].number));
    EXPECT_TEXT(rows[i].text, left_now());
    EXPECT(strtod(left_now(), NULL) == rows[i].number);
  }
}

static int compare_to_nan(double x) {
  MXERR_CHECK_EQ(x, 1, "nan");
  return 0;
}

static void not_a_number_has_no_sign(void) {
  EXPECT_NUMBER(MXERR_FAILURE, compare_to_nan((double)NAN));
  EXPECT_TEXT("nan", left_now());
  EXPECT_NUMBER(MXERR_FAILURE, compare_to_nan(-(double)NAN));
  EXPECT_TEXT("nan", left_now());
}

static void floats_are_printed_as_floats_unless_that_would_hide_a_difference(void) {
  EXPECT_NUMBER(MXERR_FAILURE, print_float(0.1f));
  EXPECT_TEXT("0.1", left_now());
  EXPECT_NUMBER(MXERR_FAILURE, print_float(FLT_MAX));
  EXPECT_TEXT("3.4028235e+38", left_now());
  EXPECT_NUMBER(MXERR_FAILURE, print_float(1e-45f));
  EXPECT_TEXT("1e-45", left_now());
  EXPECT_NUMBER(MXERR_FAILURE, print_mixed(0.1f, 0.1));
  EXPECT_TEXT("0.10000000149011612", left_now());
  EXPECT_TEXT("0.1", mxerr_text(error_now(), error_now()->right));
}

static void integers_are_printed_whole(void) {
  EXPECT_NUMBER(MXERR_FAILURE, print_signed(INT64_MIN));
  EXPECT_TEXT("-9223372036854775808", left_now());
  EXPECT_NUMBER(MXERR_FAILURE, print_unsigned(UINT64_MAX));
  EXPECT_TEXT("18446744073709551615", left_now());
}

int main(void) {
  RUN(reals_are_printed_with_the_fewest_digits_that_give_them_back);
  RUN(not_a_number_has_no_sign);
  RUN(floats_are_printed_as_floats_unless_that_would_hide_a_difference);
  RUN(integers_are_printed_whole);
  return checks_end();
}
