/* test_operand.c: the relations of checks: every pair of types, compared by value, and evaluated once. */
#include <limits.h>
#include <math.h>

#include "check.h"

/* ---- every pair of types against an oracle ---- */

typedef enum small_enum { SMALL_ZERO, SMALL_ONE, SMALL_MANY = 200 } small_enum;
typedef enum signed_enum { NEGATIVE = -3, POSITIVE = 3 } signed_enum;
typedef bool truth; /* bool is a macro and would be expanded */
typedef unsigned char byte;
typedef signed char signed_byte;
typedef long long wide;
typedef unsigned long long unsigned_wide;
typedef unsigned short unsigned_short;
typedef unsigned long unsigned_long;

/* clang-format off */
/* name of the type, its values: all within its range, and on both sides of those of the other types */
#define TYPES(X)                                                                               \
  X(truth, {false, true})                                                                      \
  X(char, {0, 1, 'a', CHAR_MAX})                                                               \
  X(signed_byte, {-128, -1, 0, 1, 127})                                                        \
  X(byte, {0, 1, 127, 255})                                                                    \
  X(short, {SHRT_MIN, -1, 0, 1, SHRT_MAX})                                                     \
  X(unsigned_short, {0, 1, USHRT_MAX})                                                         \
  X(int, {INT_MIN, -1, 0, 1, 16777217, INT_MAX})                                               \
  X(unsigned, {0, 1, UINT_MAX})                                                                \
  X(long, {LONG_MIN, -1, 0, 1, LONG_MAX})                                                      \
  X(unsigned_long, {0, 1, ULONG_MAX})                                                          \
  X(wide, {LLONG_MIN, -1, 0, 1, (1LL << 53) + 1, LLONG_MAX})                                   \
  X(unsigned_wide, {0, 1, (1ULL << 53) + 1, 1ULL << 63, ULLONG_MAX - 1, ULLONG_MAX})           \
  X(float, {-INFINITY, -1.5f, -0.0f, 0.0f, 1.0f, 16777216.0f, 9223372036854775808.0f,          \
            18446744073709551616.0f, INFINITY, NAN})                                           \
  X(double, {-INFINITY, -9223372036854775808.0, -1.0, -0.0, 0.0, 0.5, 1.0, 9007199254740992.0, \
             9223372036854775808.0, 18446744073709549568.0, 18446744073709551616.0, INFINITY, (double)NAN}) \
  X(small_enum, {SMALL_ZERO, SMALL_ONE, SMALL_MANY})                                           \
  X(signed_enum, {NEGATIVE, POSITIVE})
/* clang-format on */

/* Which relation of ==, !=, <, <=, >, >= is checked. */
enum { EQ, NE, LT, LE, GT, GE, RELATIONS };
static const char *const relation_names[RELATIONS] = {"==", "!=", "<", "<=", ">", ">="};

/* A number for the oracle, which compares without the kit and without rounding. */
__extension__ typedef __int128 integer;

typedef struct number {
  bool is_real;
  integer whole; /* its floor, unless it is not finite */
  double real;
} number;

static number number_of_integer(integer value) { return (number){false, value, 0}; }

static number number_of_real(double value) {
  const bool fits = value > -0x1p100 && value < 0x1p100;
  return (number){true, fits ? (integer)floor(value) : 0, value};
}

/* Whether the type is one of real numbers: half of one is not zero. */
#define NUMBER(type, value) \
  ((type)1 / 2 != 0 ? number_of_real((double)(value)) : number_of_integer((integer)(value)))

/* -1, 0 or 1; 2 where one is not a number. */
static int order_of(number a, number b) {
  if (isnan(a.real) || isnan(b.real)) return 2;
  if (a.is_real && b.is_real) return (a.real > b.real) - (a.real < b.real);
  if (!a.is_real && !b.is_real) return (a.whole > b.whole) - (a.whole < b.whole);
  if (a.is_real) return -order_of(b, a); /* both are numbers */
  if (isinf(b.real)) return b.real > 0 ? -1 : 1;
  if (a.whole != b.whole) return a.whole < b.whole ? -1 : 1;
  return floor(b.real) < b.real ? -1 : 0;
}

static bool expected(int relation, int order) {
  switch (relation) {
    case EQ: return order == 0;
    case NE: return order != 0;
    case LT: return order == -1;
    case LE: return order == -1 || order == 0;
    case GT: return order == 1;
    default: return order == 1 || order == 0;
  }
}

static int pairs_compared;

static void expect_relation(int relation, const char *types, size_t i, size_t j, int order, int status) {
  const int wanted = expected(relation, order) ? 0 : MXERR_FAILURE;
  pairs_compared++;
  if (status == wanted) return;
  checks_now.failures++;
  printf("# %s: value %zu %s value %zu gave %d\n", types, i, relation_names[relation], j, status);
}

#define DEFINE_PAIR(left, right)                                                                            \
  static int check_##left##_##right(int relation, left a, right b) {                                        \
    switch (relation) {                                                                                     \
      case EQ: MXERR_CHECK_EQ(a, b, "pair"); break;                                                         \
      case NE: MXERR_CHECK_NE(a, b, "pair"); break;                                                         \
      case LT: MXERR_CHECK_LT(a, b, "pair"); break;                                                         \
      case LE: MXERR_CHECK_LE(a, b, "pair"); break;                                                         \
      case GT: MXERR_CHECK_GT(a, b, "pair"); break;                                                         \
      default: MXERR_CHECK_GE(a, b, "pair");                                                                \
    }                                                                                                       \
    return 0;                                                                                               \
  }                                                                                                         \
  static void compare_##left##_##right(void) {                                                              \
    for (size_t i = 0; i < sizeof values_of_##left / sizeof(left); i++)                                     \
      for (size_t j = 0; j < sizeof values_of_##right / sizeof(right); j++)                                 \
        for (int relation = EQ; relation < RELATIONS; relation++)                                           \
          expect_relation(relation, #left " and " #right, i, j,                                             \
                          order_of(NUMBER(left, values_of_##left[i]), NUMBER(right, values_of_##right[j])), \
                          check_##left##_##right(relation, values_of_##left[i], values_of_##right[j]));     \
  }

#define DEFINE_VALUES(type, ...) static const type values_of_##type[] = __VA_ARGS__;
TYPES(DEFINE_VALUES)

/* A macro is not expanded within itself, so the list for the right operand is another one. */
/* clang-format off */
#define RIGHT_TYPES(X, left)                                                                       \
  X(left, truth) X(left, char) X(left, signed_byte) X(left, byte) X(left, short) X(left, unsigned_short) \
  X(left, int) X(left, unsigned) X(left, long) X(left, unsigned_long) X(left, wide) X(left, unsigned_wide) \
  X(left, float) X(left, double) X(left, small_enum) X(left, signed_enum)
/* clang-format on */

#define DEFINE_PAIRS(type, ...) RIGHT_TYPES(DEFINE_PAIR, type)
TYPES(DEFINE_PAIRS)

static void every_pair_of_types_compares_by_value(void) {
#define COMPARE_PAIR(left, right) compare_##left##_##right();
#define COMPARE_PAIRS(type, ...) RIGHT_TYPES(COMPARE_PAIR, type)
  TYPES(COMPARE_PAIRS)
  printf("# %d comparisons\n", pairs_compared);
  EXPECT(pairs_compared > 20000);
}

/* ---- pointers ---- */

static int differ(const void *a, const void *b) {
  MXERR_CHECK_NE(a, b, "same");
  return 0;
}

static int not_null(const void *a) {
  MXERR_CHECK_NE(a, NULL, "ValueError: none");
  return 0;
}

static int not_zero(const void *a) {
  MXERR_CHECK_NE(a, 0, "ValueError: none");
  return 0;
}

static int equal_to_null(const volatile int *a) {
  MXERR_CHECK_EQ(a, NULL, "ValueError: some");
  return 0;
}

static int has_callback(int (*callback)(const void *)) {
  MXERR_CHECK_NE(callback, NULL, "ValueError: no callback");
  return 0;
}

static int below(const char *a, const char *b) {
  MXERR_CHECK_LT(a, b, "not below");
  return 0;
}

static void pointers_compare_and_show_no_address(void) {
  int numbers[2] = {0, 0};
  EXPECT_NUMBER(0, differ(&numbers[0], &numbers[1]));
  EXPECT_NUMBER(MXERR_FAILURE, differ(numbers, numbers));
  EXPECT_TEXT("non-NULL", mxerr_text(error_now(), error_now()->left));
  EXPECT_TEXT("non-NULL", value_of(error_now(), 0, "b"));
  EXPECT_NUMBER(0, not_null(numbers));
  EXPECT_NUMBER(MXERR_FAILURE, not_null(NULL));
  EXPECT_TEXT("a != NULL", mxerr_text(error_now(), error_now()->condition));
  EXPECT_TEXT("NULL", mxerr_text(error_now(), error_now()->right));
  EXPECT_TEXT("NULL", value_of(error_now(), 0, "a"));
  EXPECT_NUMBER(1, error_now()->frames[0].value_count); /* the constant is no value */
  EXPECT_NUMBER(MXERR_FAILURE, equal_to_null(numbers));
  EXPECT_NUMBER(0, below("ab", (const char *)UINTPTR_MAX));
}

static void zero_is_a_null_pointer_next_to_a_pointer(void) {
  EXPECT_NUMBER(MXERR_FAILURE, not_zero(NULL));
  EXPECT_TEXT("NULL", mxerr_text(error_now(), error_now()->right));
}

static void pointers_to_functions_are_operands(void) {
  EXPECT_NUMBER(0, has_callback(not_null));
  EXPECT_NUMBER(MXERR_FAILURE, has_callback(NULL));
  EXPECT_TEXT("NULL", value_of(error_now(), 0, "callback"));
}

/* ---- other lvalues ---- */

typedef struct fields {
  unsigned three : 3;
  int five : 5;
  unsigned long long forty : 40;
  bool one : 1;
} fields;

static int check_fields(const fields *f) {
  MXERR_CHECK_LT(f->three, 7, "three");
  MXERR_CHECK_GE(f->five, -1, "five");
  MXERR_CHECK_NE(f->forty, 1, "forty");
  MXERR_CHECK_EQ(f->one, true, "one");
  return 0;
}

static void bit_fields_are_numbers(void) {
  EXPECT_NUMBER(0, check_fields(&(fields){1, 2, 3, true}));
  EXPECT_NUMBER(MXERR_FAILURE, check_fields(&(fields){7, 2, 3, true}));
  EXPECT_TEXT("7", value_of(error_now(), 0, "f->three"));
  EXPECT_NUMBER(MXERR_FAILURE, check_fields(&(fields){1, -2, 3, true}));
  EXPECT_TEXT("-2", value_of(error_now(), 0, "f->five"));
  EXPECT_NUMBER(MXERR_FAILURE, check_fields(&(fields){1, 2, 1, true}));
  EXPECT_NUMBER(MXERR_FAILURE, check_fields(&(fields){1, 2, 3, false}));
  EXPECT_TEXT("0", value_of(error_now(), 0, "f->one"));
}

static int check_qualified(const volatile int a, _Atomic int *b) {
  MXERR_CHECK_LT(a, *b, "qualified");
  return 0;
}

static void qualifiers_do_not_matter(void) {
  _Atomic int two = 2;
  EXPECT_NUMBER(0, check_qualified(1, &two));
  EXPECT_NUMBER(MXERR_FAILURE, check_qualified(3, &two));
}

/* ---- evaluated once ---- */

static int calls;

static int count_calls(int result) {
  calls++;
  return result;
}

static int check_calls(int left, int right) {
  MXERR_CHECK_EQ(count_calls(left), count_calls(right), "calls");
  return 0;
}

static int check_increment(int *number) {
  MXERR_CHECK_LT((*number)++, 10, "at most ten, not %d", *number);
  return 0;
}

static void operands_are_evaluated_once(void) {
  int number = 9;
  calls = 0;
  EXPECT_NUMBER(0, check_calls(1, 1));
  EXPECT_NUMBER(2, calls);
  EXPECT_NUMBER(MXERR_FAILURE, check_calls(1, 2));
  EXPECT_NUMBER(4, calls);
  EXPECT_NUMBER(0, check_increment(&number));
  EXPECT_NUMBER(MXERR_FAILURE, check_increment(&number));
  EXPECT_NUMBER(11, number);
  EXPECT_TEXT("10", mxerr_text(error_now(), error_now()->left));
}

static int check_arguments(int left) {
  MXERR_CHECK_EQ(left, 1, "%d calls", count_calls(left));
  MXERR_CHECK(left == 1, "%d calls", count_calls(left));
  return 0;
}

static void arguments_of_a_message_are_evaluated_after_a_failure_only(void) {
  calls = 0;
  EXPECT_NUMBER(0, check_arguments(1));
  EXPECT_NUMBER(0, calls);
  EXPECT_NUMBER(MXERR_FAILURE, check_arguments(2));
  EXPECT_NUMBER(1, calls);
}

int main(void) {
  RUN(every_pair_of_types_compares_by_value);
  RUN(pointers_compare_and_show_no_address);
  RUN(zero_is_a_null_pointer_next_to_a_pointer);
  RUN(pointers_to_functions_are_operands);
  RUN(bit_fields_are_numbers);
  RUN(qualifiers_do_not_matter);
  RUN(operands_are_evaluated_once);
  RUN(arguments_of_a_message_are_evaluated_after_a_failure_only);
  return checks_end();
}
