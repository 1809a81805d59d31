/* test_hygiene.c: the macros are statements and expressions like any other, whatever stands around or in them. */
#include "check.h"

static int silent(int status) { return status; }
static int add(int a, int b) { return a + b; }

/* ---- around them ---- */

static int without_braces(int x) {
  if (x == 0)
    MXERR_CHECK(x != 0, "zero");
  else if (x == 1)
    MXERR_CHECK_NE(x, 1, "one");
  else if (x == 2)
    MXERR_FAIL("two");
  else if (x == 3)
    MXERR_TRY(silent(x));
  else if (x == 4)
    MXERR_TRY_WITH(silent(x), MXERR_LOCAL("x", "%d"), x);
  else
    return 0;
  return 5;
}

static void an_if_without_braces_keeps_its_else(void) {
  static const char *const texts[] = {"zero", "one", "two",
                                      "a call in without_braces failed without saying why",
                                      "a call in without_braces failed without saying why"};
  for (int x = 0; x < 5; x++) {
    mxerr_record_clear();
    EXPECT_NUMBER(MXERR_FAILURE, without_braces(x));
    EXPECT_TEXT(texts[x], message_now());
  }
  EXPECT_NUMBER(0, without_braces(5));
}

static int api_without_braces(int x) {
  if (x == 0)
    MXERR_API(silent(x));
  else if (x == 1)
    MXERR_API_QUIET(silent(x));
  else
    MXERR_FAIL("%d", x);
}

static int in_a_switch(int x) {
  switch (x) {
    case 0: MXERR_CHECK(x > 0, "zero"); break;
    case 1: MXERR_CHECK_EQ(x, 0, "one"); /* fall through */
    case 2: MXERR_FAIL("two");
    default: MXERR_TRY(silent(0));
  }
  do MXERR_CHECK_GT(x--, 3, "three");
  while (x > 0);
  return 0;
}

static void any_place_for_a_statement_is_one_for_them(void) {
  EXPECT_NUMBER(0, api_without_braces(0));
  EXPECT_NUMBER(MXERR_FAILURE, api_without_braces(1));
  EXPECT_NUMBER(MXERR_FAILURE, api_without_braces(2));
  for (int x = 0; x < 3; x++) EXPECT_NUMBER(MXERR_FAILURE, in_a_switch(x));
  EXPECT_NUMBER(MXERR_FAILURE, in_a_switch(4));
  EXPECT_TEXT("3", mxerr_text(error_now(), error_now()->left));
}

static int in_expressions(int a, int b) {
  const bool either = MXERR_FAILED(silent(a)) || MXERR_FAILED(silent(b));
  if (!either) return 0;
  return MXERR_FAILED_WITH(silent(a) + silent(b), MXERR_LOCAL("a", "%d"), a) ? a + b : MXERR_FAILURE;
}

static void failed_is_an_expression(void) {
  EXPECT_NUMBER(0, in_expressions(0, 0));
  EXPECT_NUMBER(7, in_expressions(3, 4));
  EXPECT_NUMBER(7, in_expressions(0, 7));
}

/* ---- in them ---- */

typedef struct pair {
  int a, b;
} pair;

#define TWO 2
#define SUM_OF(a, b) add(a, b)

static int commas(int x) {
  MXERR_CHECK(add(x, 1) == 2, "sum %d, %d", add(x, 1), 2);
  MXERR_CHECK_EQ(add(x, 1), SUM_OF(1, 1), "sum");
  MXERR_CHECK_EQ(((pair){x, 2}).b, TWO, "literal");
  MXERR_CHECK((silent(x), 1) == 1, "comma");
  MXERR_TRY(add(x, -1));
  MXERR_TRY_WITH(add(x, -1), MXERR_LOCAL("x", "%d") MXERR_LOCAL("sum", "%d"), x, add(x, x));
  MXERR_API(add(x, -1));
}

static int precedence(int x, int y) {
  MXERR_CHECK(x || y, "neither");
  MXERR_CHECK_EQ(x & 1, y | 0, "%d", x ? 1 : y);
  MXERR_CHECK_LT(x ? x : y, x == y ? 10 : 20, "too large");
  MXERR_TRY(silent(x), x - y ? 0 : 0);
  return 0;
}

/* names of the macros' own parameters and variables */
static int own_names(int left, int right, int call, int condition, int value, int relation) {
  const int record = left, operand = right, mxerr_status = 0;
  MXERR_CHECK_LE(left, right, "%d %d", record, operand);
  MXERR_CHECK_GE(value, relation, "%d", condition);
  MXERR_CHECK(condition, "%d", call);
  MXERR_TRY(call + mxerr_status);
  return 0;
}

static void commas_precedence_and_names_do_no_harm(void) {
  EXPECT_NUMBER(0, commas(1));
  EXPECT_NUMBER(MXERR_FAILURE, commas(2));
  EXPECT_NUMBER(0, precedence(1, 1));
  EXPECT_NUMBER(MXERR_FAILURE, precedence(0, 0));
  EXPECT_TEXT("neither", message_now());
  EXPECT_NUMBER(0, own_names(1, 2, 0, 1, 2, 1));
  EXPECT_NUMBER(MXERR_FAILURE, own_names(2, 1, 0, 1, 2, 1));
}

static void names_are_those_of_the_source(void) {
  EXPECT_NUMBER(MXERR_FAILURE, commas(2));
  EXPECT_TEXT("add(x, 1) == 2", mxerr_text(error_now(), error_now()->condition));
  EXPECT_NUMBER(MXERR_FAILURE, precedence(2, 3));
  EXPECT_TEXT("x & 1 == y | 0", mxerr_text(error_now(), error_now()->condition));
  EXPECT_TEXT("0", value_of(error_now(), 0, "x & 1"));
  EXPECT_TEXT("3", value_of(error_now(), 0, "y | 0"));
}

#if defined(__GNUC__)
static int nested(int x) {
  MXERR_CHECK_EQ(__extension__({
                   MXERR_CHECK_NE(x, 7, "inner %d", x);
                   x;
                 }),
                 1, "outer %d", x);
  MXERR_TRY(__extension__({
    MXERR_CHECK_NE(x, 8, "inner");
    silent(0);
  }));
  return 0;
}

static void a_statement_may_hold_another(void) {
  EXPECT_NUMBER(0, nested(1));
  EXPECT_NUMBER(MXERR_FAILURE, nested(7));
  EXPECT_TEXT("inner 7", message_now());
  EXPECT_NUMBER(MXERR_FAILURE, nested(2));
  EXPECT_TEXT("outer 2", message_now());
}
#endif

int main(void) {
  RUN(an_if_without_braces_keeps_its_else);
  RUN(any_place_for_a_statement_is_one_for_them);
  RUN(failed_is_an_expression);
  RUN(commas_precedence_and_names_do_no_harm);
  RUN(names_are_those_of_the_source);
#if defined(__GNUC__)
  RUN(a_statement_may_hold_another);
#endif
  return checks_end();
}
