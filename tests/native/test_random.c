/* test_random.c: the random operators: the same seed gives the same numbers, with the moments they should have. */
#include <math.h>

#include "arrays.h"

enum { SIZE = 100001 }; /* odd: the normal numbers come in pairs */

static void draw(const char *name, const char *keys[2], const char *values[2], double *out) {
  const char *all_keys[] = {keys[0], keys[1], "size"}, *all_values[] = {values[0], values[1], "100001"};
  NDArrayHandle *outputs = NULL;
  int count = 0;
  if (MXImperativeInvoke(name, 0, NULL, 3, all_keys, all_values, &count, &outputs) != 0) abort();
  EXPECT_NUMBER(1, count);
  EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(outputs[0], out, SIZE) + MXNDArrayFree(outputs[0]));
}

static void expect_moments(const double *numbers, double mean, double deviation) {
  double sum = 0, squares = 0;
  for (int i = 0; i < SIZE; i++) sum += numbers[i];
  for (int i = 0; i < SIZE; i++) squares += (numbers[i] - mean) * (numbers[i] - mean);
  EXPECT(fabs(sum / SIZE - mean) < 5 * deviation / sqrt(SIZE));
  EXPECT(fabs(sqrt(squares / SIZE) - deviation) < 5 * deviation / sqrt(SIZE));
}

static double first[SIZE], second[SIZE];

static void normal_numbers(void) {
  EXPECT_NUMBER(0, MXRandomSeed(7));
  draw("random_normal", (const char *[]){"loc", "scale"}, (const char *[]){"3", "0.5"}, first);
  expect_moments(first, 3, 0.5);
  EXPECT_NUMBER(0, MXRandomSeed(7));
  draw("random_normal", (const char *[]){"loc", "scale"}, (const char *[]){"3", "0.5"}, second);
  EXPECT(memcmp(first, second, sizeof first) == 0);
  draw("random_normal", (const char *[]){"loc", "scale"}, (const char *[]){"3", "0.5"}, second);
  EXPECT(memcmp(first, second, sizeof first) != 0);
}

static void uniform_numbers(void) {
  EXPECT_NUMBER(0, MXRandomSeed(UINT64_MAX));
  draw("random_uniform", (const char *[]){"low", "high"}, (const char *[]){"-1", "3"}, first);
  expect_moments(first, 1, 4 / sqrt(12));
  for (int i = 0; i < SIZE; i++) EXPECT(first[i] >= -1 && first[i] < 3);
}

static void floats_are_the_doubles_rounded(void) {
  const char *keys[] = {"size", "dtype"}, *values[] = {"100", "float32"};
  NDArrayHandle *outputs = NULL;
  float numbers[100];
  int count;
  EXPECT_NUMBER(0, MXRandomSeed(1));
  EXPECT_NUMBER(0, MXImperativeInvoke("random_normal", 0, NULL, 2, keys, values, &count, &outputs));
  EXPECT_NUMBER(0, MXNDArraySyncCopyToCPU(outputs[0], numbers, 100) + MXNDArrayFree(outputs[0]));
  EXPECT_NUMBER(0, MXRandomSeed(1));
  draw("random_normal", (const char *[]){"loc", "scale"}, (const char *[]){"0", "1"}, first);
  for (int i = 0; i < 100; i++) EXPECT(numbers[i] == (float)first[i]);
}

static void a_negative_deviation_is_refused(void) {
  static const char *const texts[] = {"-1", "-0.001", "nan", "-inf"};
  for (int i = 0; i < 4; i++) {
    NDArrayHandle output = NULL;
    expect_failure(invoke_one("random_normal", NULL, "scale", texts[i], &output), "ValueError",
                   "standard deviation");
    EXPECT_TEXT(i == 1 ? "-0.001" : texts[i], mxerr_text(error_now(), error_now()->left));
  }
}

int main(void) {
  RUN(normal_numbers);
  RUN(uniform_numbers);
  RUN(floats_are_the_doubles_rounded);
  RUN(a_negative_deviation_is_refused);
  return checks_end();
}
