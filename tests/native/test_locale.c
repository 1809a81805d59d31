/* test_locale.c: where the process writes decimal commas, errors and parameters keep their points. */
#include "comma_locale.h"

#include "check.h"
#include "mxerr/c_api.h"

static int check_real(double x) {
  MXERR_CHECK_LT(x, 1.25, "ValueError: %f is %g " MXERR_VALUE("v", "%.3f"), x, x, x);
  return 0;
}

static int outer(double x) {
  MXERR_TRY_WITH(check_real(x), MXERR_LOCAL("half", "%g"), x / 2);
  return 0;
}

static void expect_points(void) {
  EXPECT_NUMBER(MXERR_FAILURE, outer(2.5));
  EXPECT_TEXT("2.5", mxerr_text(error_now(), error_now()->left));
  EXPECT_TEXT("1.25", mxerr_text(error_now(), error_now()->right));
  EXPECT_TEXT("2.500000 is 2.5 v = 2.500", message_now());
  EXPECT_TEXT("2.500", value_of(error_now(), 0, "v"));
  EXPECT_TEXT("1.25", value_of(error_now(), 1, "half"));
  EXPECT_NUMBER(MXERR_FAILURE, outer(1.0 / 3 + 1));
  EXPECT_TEXT("1.3333333333333333", mxerr_text(error_now(), error_now()->left));
}

/* The value that an operator understands a parameter as: its only random number lies at that point. */
static double parsed(const char *text) {
  const char *const keys[] = {"low", "high"}, *const values[] = {text, text};
  NDArrayHandle *outputs = NULL;
  double number = 0;
  int count;
  if (MXImperativeInvoke("random_uniform", 0, NULL, 2, keys, values, &count, &outputs) != 0) return -1;
  MXNDArraySyncCopyToCPU(outputs[0], &number, 1);
  MXNDArrayFree(outputs[0]);
  return number;
}

static void expect_parameters_with_points(void) {
  EXPECT(parsed("2.5") == 2.5);
  EXPECT(parsed("1e3") == 1000);
  EXPECT(parsed("0.1") == 0.1);
  EXPECT(parsed("2,5") == -1);
  EXPECT(parsed("2.5,5") == -1);
}

static void errors_have_points(void) { expect_points(); }

static void parameters_have_points(void) { expect_parameters_with_points(); }

static void errors_have_points_where_the_process_has_commas(void) {
  const char *reason = enter_comma_locale();
  char text[16];
  if (reason != NULL) SKIP(reason);
  expect_points();
  expect_parameters_with_points();
  snprintf(text, sizeof text, "%g", 1.5);
  EXPECT_TEXT("1,5", text); /* the process's locale is what it was */
}

int main(void) {
  RUN(errors_have_points);
  RUN(parameters_have_points);
  RUN(errors_have_points_where_the_process_has_commas);
  return checks_end();
}
