/* test_cpp.cpp: the kit in C++: its implementation, and operands that only C++ has. */
#define MXERR_IMPLEMENTATION
extern "C" { /* as some projects include all C headers */
#include "mxerr/mxerr.h"
}

#include <cstddef>
#include <limits>
#include <string>

#include "check.h"

namespace {

enum class Color : unsigned char { red = 1, green = 200 };
enum Plain { plain_one = 1 };

struct Limits {
  static const int most = 3; /* has no address, as it is never defined */
  unsigned three : 3;
};

int silent(int status) { return status; }

int check_enum(Color color) {
  MXERR_CHECK_EQ(color, Color::green, "ValueError: not green");
  return 0;
}

int check_constant(int x) {
  MXERR_CHECK_LE(x, Limits::most, "ValueError: more than %d", 3);
  MXERR_CHECK_NE(x, plain_one, "one");
  return 0;
}

int check_bit_field(const Limits &limits) {
  MXERR_CHECK_LT(limits.three, 7, "seven");
  return 0;
}

int check_pointer(const void *p) {
  MXERR_CHECK_NE(p, nullptr, "ValueError: nullptr");
  return 0;
}

int check_null(const char *p) {
  MXERR_CHECK_NE(p, NULL, "ValueError: NULL");
  return 0;
}

int check_function(int (*f)(int)) {
  MXERR_CHECK_NE(f, nullptr, "ValueError: no function");
  return 0;
}

int check_mixed(std::size_t size, int count) {
  MXERR_CHECK_GT(size, count, "mixed");
  return 0;
}

template <typename T>
int check_template(const T &value, T limit) {
  MXERR_CHECK_LT(value, limit, "IndexError: " MXERR_VALUE("value", "%s"), std::to_string(value).c_str());
  return 0;
}

int check_nan(double x) {
  MXERR_CHECK_EQ(x, 1, "nan");
  return 0;
}

int nested(int x) {
  MXERR_TRY([&]() -> int {
    MXERR_CHECK_NE(x, 7, "ValueError: inner");
    return 0;
  }());
  MXERR_CHECK_EQ(
      [&]() -> int {
        MXERR_CHECK_EQ(x, x, "never");
        return x;
      }(),
      1, "outer");
  return 0;
}

int api(int status) { MXERR_API(silent(status)); }
int api_quiet(int status) { MXERR_API_QUIET(silent(status)); }

void expect_error(int status, const char *condition, const char *left, const char *right) {
  EXPECT_NUMBER(MXERR_FAILURE, status);
  EXPECT_TEXT(condition, mxerr_text(error_now(), error_now()->condition));
  EXPECT_TEXT(left, mxerr_text(error_now(), error_now()->left));
  EXPECT_TEXT(right, mxerr_text(error_now(), error_now()->right));
}

void every_kind_of_operand() {
  EXPECT_NUMBER(0, check_enum(Color::green));
  expect_error(check_enum(Color::red), "color == Color::green", "1", "200");
  EXPECT_NUMBER(0, check_constant(3));
  expect_error(check_constant(4), "x <= Limits::most", "4", "3");
  Limits limits = {};
  limits.three = 7;
  expect_error(check_bit_field(limits), "limits.three < 7", "7", "7");
  EXPECT_NUMBER(0, check_pointer(&limits));
  expect_error(check_pointer(nullptr), "p != nullptr", "NULL", "NULL");
  expect_error(check_null(nullptr), "p != NULL", "NULL", "NULL");
  EXPECT_NUMBER(0, check_function(silent));
  expect_error(check_function(nullptr), "f != nullptr", "NULL", "NULL");
  EXPECT_NUMBER(0, check_mixed(0, -1));
  expect_error(check_mixed(1, 2), "size > count", "1", "2");
  EXPECT_NUMBER(0, check_template(1.0f, 2.0f));
  expect_error(check_template(2.5f, 2.0f), "value < limit", "2.5", "2");
  EXPECT_TEXT("2.500000", value_of(error_now(), 0, "value") ? message_now() + 8 : "");
  expect_error(check_nan(std::numeric_limits<double>::quiet_NaN()), "x == 1", "nan", "1");
}

void statements_nest() {
  EXPECT_NUMBER(0, nested(1));
  EXPECT_NUMBER(MXERR_FAILURE, nested(7));
  EXPECT_TEXT("operator()", function_of(error_now(), 0));
  EXPECT_TEXT("nested", function_of(error_now(), 1));
}

void the_border_is_as_in_c() {
  EXPECT_NUMBER(0, api(0) + api_quiet(0));
  EXPECT_NUMBER(MXERR_FAILURE, api(1));
  EXPECT_NUMBER(MXERR_FAILURE, api_quiet(1));
  EXPECT_TEXT("a call in api failed without saying why", message_now());
}

}  // namespace

int main() {
  RUN(every_kind_of_operand);
  RUN(statements_nest);
  RUN(the_border_is_as_in_c);
  return checks_end();
}
