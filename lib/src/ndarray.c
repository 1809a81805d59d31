/* ndarray.c: making, counting and printing arrays. */
#include "ndarray.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mx_shape_equal(const mx_shape *a, const mx_shape *b) {
  return a->ndim == b->ndim && memcmp(a->dim, b->dim, (size_t)a->ndim * sizeof a->dim[0]) == 0;
}

const char *mx_shape_print(const mx_shape *shape, char buffer[MX_SHAPE_TEXT_MAX]) {
  char *end = buffer;
  if (shape->ndim < 0) return strcpy(buffer, "None");
  *end++ = '[';
  for (int i = 0; i < shape->ndim; i++)
    end += snprintf(end, (size_t)(buffer + MX_SHAPE_TEXT_MAX - end), "%s%" PRId64, i > 0 ? "," : "",
                    shape->dim[i]);
  strcpy(end, "]");
  return buffer;
}

/* Elements of a shape; -1 where they and their bytes cannot be counted. */
static int64_t count_elements(const mx_shape *shape, size_t element_size) {
  int64_t most = (int64_t)(PTRDIFF_MAX / element_size), size = 1;
  bool overflow = false;
  for (int i = 0; i < shape->ndim; i++) {
    if (shape->dim[i] == 0) return 0;
    overflow = overflow || size > most / shape->dim[i];
    size = overflow ? 1 : size * shape->dim[i];
  }
  return overflow ? -1 : size;
}

int mx_ndarray_declare(const mx_shape *shape, int dtype, mx_ndarray **out) {
  const size_t element_size = mx_dtype_size(dtype);
  char text[MX_SHAPE_TEXT_MAX];
  MXERR_CHECK(element_size > 0, "TypeError: " MXERR_VALUE("dtype", "%d") " is no type flag", dtype);
  for (int i = 0; i < shape->ndim; i++)
    MXERR_CHECK_GE(shape->dim[i], 0,
                   "ValueError: negative dimensions are not allowed. " MXERR_VALUE("shape", "%s"),
                   mx_shape_print(shape, text));
  const int64_t size = count_elements(shape, element_size);
  MXERR_CHECK_GE(size, 0, "ValueError: array is too big. " MXERR_VALUE("shape", "%s"),
                 mx_shape_print(shape, text));
  mx_ndarray *array = malloc(sizeof *array);
  MXERR_CHECK(array != NULL, "MemoryError: cannot allocate an array. " MXERR_VALUE("shape", "%s"),
              mx_shape_print(shape, text));
  array->dtype = dtype;
  array->shape = *shape;
  array->size = (size_t)size;
  array->data = NULL;
  atomic_init(&array->count, 1);
  array->var.first = array->var.last = NULL;
  atomic_init(&array->var.writes, 0);
  atomic_init(&array->var.fault, NULL);
  *out = array;
  return 0;
}

int mx_ndarray_allocate(mx_ndarray *array, bool zeros) {
  const size_t element_size = mx_dtype_size(array->dtype);
  const size_t count = array->size > 0 ? array->size : 1; /* to never be NULL */
  char text[MX_SHAPE_TEXT_MAX];
  array->data = zeros ? calloc(count, element_size) : malloc(count * element_size);
  MXERR_CHECK(array->data != NULL,
              "MemoryError: cannot allocate an array. " MXERR_VALUE("shape", "%s")
                  MXERR_LOCAL("element_size", "%zu"),
              mx_shape_print(&array->shape, text), element_size);
  return 0;
}

int mx_ndarray_create(const mx_shape *shape, int dtype, bool zeros, mx_ndarray **out) {
  mx_ndarray *array;
  MXERR_TRY(mx_ndarray_declare(shape, dtype, &array));
  if (MXERR_FAILED(mx_ndarray_allocate(array, zeros))) {
    mx_ndarray_release(array);
    return MXERR_FAILURE;
  }
  *out = array;
  return 0;
}

void mx_ndarray_retain(mx_ndarray *array) { atomic_fetch_add(&array->count, 1); }

void mx_ndarray_release(mx_ndarray *array) {
  if (array == NULL || atomic_fetch_sub(&array->count, 1) > 1) return;
  mx_fault_release(atomic_load(&array->var.fault));
  free(array->data);
  free(array);
}
