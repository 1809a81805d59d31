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
  if (number == ENOENT) /* a kind is part of the text, as no value may name one */
    mxerr_fail(source, line, function, "FileNotFoundError: %s '%s': %s", what, path, reason);
  else
    mxerr_fail(source, line, function, "IOError: %s '%s': %s", what, path, reason);
  mxerr_record_set_code(number);
}

int mx_io_end(int status, const char *path) {
  if (status != 0) mxerr_record_add_attribute("filename", path, strlen(path));
  return status;
}

/* ---- the header's text ---- */

static bool is_big_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 0;
}

typedef struct texts {
  char descr[256], fortran_order[16], shape[2048]; /* empty until they are read */
} texts;

static const char *skip_space(const char *text) { return text + strspn(text, " \t\r\n\f"); }

/* The end of a text in quotes, behind the closing one; NULL where there is none. */
static const char *end_of_quoted(const char *text) {
  if (*text != '\'' && *text != '"') return NULL;
  const char *close = strchr(text + 1, *text);
  return close == NULL ? NULL : close + 1;
}

/* The end of a value: the next comma or closing brace outside of brackets and quotes; NULL where there is none. */
static const char *end_of_value(const char *text) {
  for (int depth = 0; *text != '\0'; text++) {
    if (depth == 0 && (*text == ',' || *text == '}')) return text;
    depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
    if (*text != '\'' && *text != '"') continue;
    const char *end = end_of_quoted(text);
    if (end == NULL) return NULL;
    text = end - 1;
  }
  return NULL;
}

static bool copy_trimmed(const char *begin, const char *end, char *out, size_t size) {
  while (end > begin && strchr(" \t\r\n\f", end[-1]) != NULL) end--;
  if (end == begin || (size_t)(end - begin) >= size) return false;
  memcpy(out, begin, (size_t)(end - begin));
  out[end - begin] = '\0';
  return true;
}

/* Moves *at behind an entry of the dict, 'key': value, and the comma that may follow. */
static int take_entry(const char **at, texts *out) {
  const char *const key = *at, *const key_end = end_of_quoted(key);
  MXERR_CHECK(key_end != NULL, "IOError: the .npy header is no dict: expected a key in quotes, got %s", key);
  const char *const colon = skip_space(key_end);
  MXERR_CHECK(*colon == ':', "IOError: the .npy header is no dict: expected a colon behind a key, got %s",
              colon);
  const char *const value = skip_space(colon + 1), *const end = end_of_value(value);
  const struct {
    const char *key;
    char *text;
    size_t size;
  } rooms[] = {{"descr", out->descr, sizeof out->descr},
               {"fortran_order", out->fortran_order, sizeof out->fortran_order},
               {"shape", out->shape, sizeof out->shape}};
  const size_t length = (size_t)(key_end - key) - 2;
  int i = 0;
  while (i < MX_LENGTH(rooms) &&
         (strlen(rooms[i].key) != length || strncmp(key + 1, rooms[i].key, length) != 0))
    i++;
  MXERR_CHECK(i < MX_LENGTH(rooms), "IOError: the .npy header has a key that it cannot have: %.*s",
              (int)length + 2, key);
  MXERR_CHECK(rooms[i].text[0] == '\0', "IOError: the .npy header has %s twice", rooms[i].key);
  MXERR_CHECK(end != NULL && copy_trimmed(value, end, rooms[i].text, rooms[i].size),
              "IOError: the .npy header has no value of %s", rooms[i].key);
  *at = skip_space(*end == ',' ? end + 1 : end);
  return 0;
}

/* A dict as Python writes it, and nothing behind it. */
static int split_dict(const char *header, texts *out) {
  const char *at = skip_space(header);
  *out = (texts){.descr = ""};
  MXERR_CHECK(*at == '{', "IOError: the .npy header is no dict");
  at = skip_space(at + 1);
  while (*at != '}') MXERR_TRY(take_entry(&at, out));
  at = skip_space(at + 1);
  MXERR_CHECK(*at == '\0', "IOError: the .npy header has something behind the dict: %s", at);
  MXERR_CHECK(out->descr[0] != '\0' && out->fortran_order[0] != '\0' && out->shape[0] != '\0',
              "IOError: the .npy header lacks one of descr, fortran_order and shape");
  return 0;
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
  if (size >= 5 && size <= 6 && end_of_quoted(descr) == descr + size && strchr("<>|=", descr[1]) != NULL)
    for (int i = 0; i < MX_LENGTH(types); i++)
      if (strlen(types[i].name) == size - 3 && strncmp(descr + 2, types[i].name, size - 3) == 0) {
        out->dtype = types[i].dtype;
        out->swapped = descr[1] == (is_big_endian() ? '<' : '>') && mx_dtype_size(out->dtype) > 1;
        return 0;
      }
  MXERR_FAIL("NotImplementedError: the .npy file has elements of type %s", descr);
}

/* A tuple; mx_read_shape also takes a list, a number, and a number in parentheses. */
static bool parse_shape(const char *text, mx_shape *out) {
  return text[0] == '(' && mx_read_shape(text, out) && (out->ndim != 1 || strchr(text, ',') != NULL);
}

int mx_npy_parse(const char *header, mx_npy *out) {
  texts read;
  MXERR_TRY(split_dict(header, &read));
  MXERR_TRY(parse_descr(read.descr, out));
  MXERR_CHECK(mx_read_bool(read.fortran_order, &out->fortran_order),
              "IOError: the .npy header has fortran_order %s", read.fortran_order);
  MXERR_CHECK(parse_shape(read.shape, &out->shape), "IOError: the .npy header has shape %s", read.shape);
  for (int i = 0; i < out->shape.ndim; i++)
    MXERR_CHECK_GE(out->shape.dim[i], 0, "IOError: the .npy header has shape %s", read.shape);
  return 0;
}

/* ---- files ---- */

static int short_read(FILE *file, const char *path) {
  if (ferror(file)) MX_IO_FAIL("load: cannot read", path, errno);
  MXERR_FAIL("IOError: load: '%s' is truncated", path);
}

static int parse_all(const char *text, size_t size, mx_npy *out) {
  MXERR_CHECK_EQ(strlen(text), size, "IOError: the .npy header has a NUL in it");
  MXERR_TRY(mx_npy_parse(text, out));
  return 0;
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
    status = parse_all(text, size, out);
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
