/*
 * test_two_libraries.c: two libraries with the kit in one process do not see each other's errors, even where
 * all their names are global. Called with the paths of both.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "check.h"

typedef struct library {
  void *handle;
  int (*fail)(int number);
  size_t (*pack)(char *buffer, size_t size);
} library;

static library first, second;

static library load(const char *path) {
  library loaded;
  loaded.handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (loaded.handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  /* as POSIX has it: a pointer to an object becomes one to a function */
  *(void **)&loaded.fail = dlsym(loaded.handle, "library_fail");
  *(void **)&loaded.pack = dlsym(loaded.handle, "mxerr_pack_record");
  return loaded;
}

/* The packed error of a library holds this text; without one there is no error. */
static void expect_error(const library *l, const char *text) {
  char buffer[4096];
  const size_t size = l->pack(buffer, sizeof buffer - 1);
  mxerr_packed numbers;
  if (text == NULL) {
    EXPECT_NUMBER(0, size);
    return;
  }
  EXPECT(size > sizeof numbers && size < sizeof buffer);
  if (size < sizeof numbers || size >= sizeof buffer) return;
  memcpy(&numbers, buffer, sizeof numbers);
  buffer[size] = '\0';
  EXPECT_TEXT(text, buffer + sizeof numbers + numbers.texts_size);
}

static void each_library_has_its_own_error(void) {
  EXPECT_NUMBER(MXERR_FAILURE, first.fail(1));
  expect_error(&second, NULL);
  EXPECT_NUMBER(MXERR_FAILURE, second.fail(2));
  expect_error(&first, "first, number 1");
  expect_error(&second, "second, number 2");
  expect_error(&first, NULL);
  expect_error(&second, NULL);
}

static void an_error_survives_any_number_of_another_library(void) {
  EXPECT_NUMBER(MXERR_FAILURE, first.fail(1));
  for (int i = 0; i < 100; i++) EXPECT_NUMBER(MXERR_FAILURE, second.fail(i));
  expect_error(&first, "first, number 1");
  expect_error(&second, "second, number 99");
}

static int fail_here(int number) { MXERR_FAIL("ValueError: the program, number %d", number); }

static void the_program_has_its_own_too(void) {
  EXPECT_NUMBER(MXERR_FAILURE, fail_here(3));
  expect_error(&first, NULL);
  EXPECT_NUMBER(MXERR_FAILURE, first.fail(1));
  EXPECT_TEXT("the program, number 3", message_now());
  expect_error(&first, "first, number 1");
}

static void only_the_reader_and_the_own_functions_are_visible(void) {
  static const char *const hidden[] = {"mxerr_record_peek",  "mxerr_record_told",  "mxerr_record_take",
                                       "mxerr_record_set",   "mxerr_fail",         "mxerr_leave",
                                       "mxerr_record_clear", "mxerr_compare_mixed"};
  for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
    EXPECT(dlsym(first.handle, hidden[i]) == NULL);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  first = load(argv[1]);
  second = load(argv[2]);
  RUN(each_library_has_its_own_error);
  RUN(an_error_survives_any_number_of_another_library);
  RUN(the_program_has_its_own_too);
  RUN(only_the_reader_and_the_own_functions_are_visible);
  return checks_end();
}
