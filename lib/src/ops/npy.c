/* npy.c: see npy.h; the format is described in NumPy's documentation, numpy.lib.format. */
#include "npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../param_text.h"

enum { HEADER_MAX = 65536 };

static const char magic[] = "\x93NUMPY";

void mx_io_fail(int line, const char *function, const char *source, const char *what, const char *path,
                int number) {
  char reason[128];
  if (strerror_r(number, reason, sizeof reason) != 0) snprintf(reason, sizeof reason, "error %d", number);
  mxerr_fail(source, line, function, "IOError: %s '%s': %s", what, path, reason);
  mxerr_record_set_code(number);
}

/* ---- the header's text ---- */

static bool is_big_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 0;
}

/* The value behind 'key': up to the next comma or closing brace outside of parentheses. */
static bool find_value(const char *header, const char *key, char *out, size_t size) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *at = strstr(header, quoted);
  if (at == NULL) return false;
  at += strlen(quoted);
  at += strspn(at, " ");
  int depth = 0;
  size_t length = 0;
  for (; at[length] != '\0'; length++) {
    if (depth == 0 && (at[length] == ',' || at[length] == '}')) break;
    depth += (at[length] == '(' || at[length] == '[') - (at[length] == ')' || at[length] == ']');
  }
  if (at[length] == '\0' || length >= size) return false;
  memcpy(out, at, length);
  out[length] = '\0';
  return true;
}

/* "'<f8'": byte order, kind and size. */
static int parse_descr(const char *descr, mx_npy *out) {
  static const struct {
    const char *name;
    int dtype;
  } types[] = {{"f4", MX_FLOAT32},   {"f8", MX_FLOAT64},    {"f2", MX_FLOAT16}, {"u1", MX_UINT8},
               {"i4", MX_INT32},     {"i1", MX_INT8},       {"i8", MX_INT64},   {"b1", MX_BOOL},
               {"i2", MX_INT16},     {"u2", MX_UINT16},     {"u4", MX_UINT32},  {"u8", MX_UINT64},
               {"c8", MX_COMPLEX64}, {"c16", MX_COMPLEX128}};
  const size_t size = strlen(descr);
  if (size >= 5 && size <= 6 && descr[0] == '\'' && descr[size - 1] == '\'' &&
      strchr("<>|=", descr[1]) != NULL)
    for (int i = 0; i < MX_LENGTH(types); i++)
      if (strlen(types[i].name) == size - 3 && strncmp(descr + 2, types[i].name, size - 3) == 0) {
        out->dtype = types[i].dtype;
        out->swapped = descr[1] == (is_big_endian() ? '<' : '>') && mx_dtype_size(out->dtype) > 1;
        return 0;
      }
  MXERR_FAIL("NotImplementedError: the .npy file has elements of type %s", descr);
}

int mx_npy_parse(const char *header, mx_npy *out) {
  char descr[256], order[16], shape[2048];
  MXERR_CHECK(find_value(header, "descr", descr, sizeof descr) &&
                  find_value(header, "fortran_order", order, sizeof order) &&
                  find_value(header, "shape", shape, sizeof shape),
              "IOError: the .npy header lacks one of descr, fortran_order and shape");
  MXERR_TRY(parse_descr(descr, out));
  MXERR_CHECK(mx_read_bool(order, &out->fortran_order), "IOError: the .npy header has fortran_order %s",
              order);
  MXERR_CHECK(mx_read_shape(shape, &out->shape) && out->shape.ndim >= 0,
              "IOError: the .npy header has shape %s", shape);
  for (int i = 0; i < out->shape.ndim; i++)
    MXERR_CHECK_GE(out->shape.dim[i], 0, "IOError: the .npy header has shape %s", shape);
  return 0;
}

/* ---- files ---- */

static int short_read(FILE *file, const char *path) {
  if (ferror(file)) MX_IO_FAIL("load: cannot read", path, errno);
  MXERR_FAIL("IOError: load: '%s' is truncated", path);
}

int mx_npy_read_header(FILE *file, const char *path, mx_npy *out) {
  unsigned char head[12];
  char *text;
  if (fread(head, 1, 10, file) != 10) return short_read(file, path);
  MXERR_CHECK(memcmp(head, magic, 6) == 0,
              "IOError: load: '%s' is no .npy file: it does not begin with \\x93NUMPY", path);
  MXERR_CHECK(head[6] >= 1 && head[6] <= 3, "NotImplementedError: load: '%s' has .npy version %d.%d", path,
              head[6], head[7]);
  size_t size = head[8] | (size_t)head[9] << 8;
  if (head[6] > 1) { /* four bytes for the size */
    if (fread(head + 10, 1, 2, file) != 2) return short_read(file, path);
    size |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
  }
  MXERR_CHECK_LE(size, HEADER_MAX, "IOError: load: '%s' has a header of impossible size", path);
  text = malloc(size + 1);
  MXERR_CHECK(text != NULL, "MemoryError: cannot allocate %zu bytes for a header", size);
  int status = MXERR_FAILURE;
  if (fread(text, 1, size, file) != size) {
    short_read(file, path);
  } else {
    text[size] = '\0';
    status = mx_npy_parse(text, out);
  }
  free(text);
  MXERR_TRY_WITH(status, MXERR_LOCAL("path", "%s"), path);
  return 0;
}

static const char *descr_of(int dtype) {
  switch (dtype) {
    case MX_FLOAT32: return "f4";
    case MX_FLOAT64: return "f8";
    case MX_FLOAT16: return "f2";
    case MX_UINT8: return "u1";
    case MX_INT32: return "i4";
    case MX_INT8: return "i1";
    case MX_INT64: return "i8";
    case MX_BOOL: return "b1";
    case MX_INT16: return "i2";
    case MX_UINT16: return "u2";
    case MX_UINT32: return "u4";
    case MX_UINT64: return "u8";
    case MX_COMPLEX64: return "c8";
    default: return "c16";
  }
}

bool mx_npy_write_header(FILE *file, const mx_npy *header) {
  char text[MX_SHAPE_TEXT_MAX + 256], *end = text;
  const char *order = mx_dtype_size(header->dtype) == 1 ? "|" : is_big_endian() ? ">" : "<";
  end += sprintf(end, "{'descr': '%s%s', 'fortran_order': False, 'shape': (", order, descr_of(header->dtype));
  for (int i = 0; i < header->shape.ndim; i++) end += sprintf(end, "%lld, ", (long long)header->shape.dim[i]);
  if (header->shape.ndim > 1) end -= 2; /* one dimension keeps its comma, and is a tuple */
  end += sprintf(end, "), }");
  while ((10 + (end - text) + 1) % 64 != 0) *end++ = ' '; /* the data begins at a multiple of 64 */
  *end++ = '\n';
  const size_t size = (size_t)(end - text);
  const unsigned char head[4] = {1, 0, (unsigned char)(size & 0xff), (unsigned char)(size >> 8)};
  return fwrite(magic, 1, 6, file) == 6 && fwrite(head, 1, 4, file) == 4 &&
         fwrite(text, 1, size, file) == size;
}
