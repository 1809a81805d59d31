/* load.c: reads an array from a .npy file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "strided.h"

typedef struct load_param {
  const char *file;
  mx_npy header; /* from infer_shape on */
} load_param;

/* Opens the file and reads its header; *out stands at the data. */
static int open_file(const char *path, FILE **out, mx_npy *header) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) MX_IO_FAIL("load: cannot read", path, errno);
  if (MXERR_FAILED(mx_npy_read_header(file, path, header))) {
    fclose(file);
    return MXERR_FAILURE;
  }
  *out = file;
  return 0;
}

/* A header may promise more than there is memory for; the file's size tells before anything is allocated. */
static int check_size(FILE *file, const char *path, const mx_npy *header) {
  const long begin = ftell(file);
  uint64_t bytes = mx_dtype_size(header->dtype);
  for (int i = 0; i < header->shape.ndim; i++) {
    const uint64_t dim = (uint64_t)header->shape.dim[i];
    bytes = dim > 0 && bytes > UINT64_MAX / dim ? UINT64_MAX : bytes * dim;
  }
  if (begin < 0 || fseek(file, 0, SEEK_END) != 0) MX_IO_FAIL("load: cannot read", path, errno);
  const long end = ftell(file);
  MXERR_CHECK(end >= begin && (uint64_t)(end - begin) >= bytes,
              "IOError: load: '%s' is truncated: expected %llu bytes of data, got %lld", path,
              (unsigned long long)bytes, (long long)end - begin);
  return 0;
}

static int read_header(load_param *param) {
  FILE *file;
  MXERR_TRY(open_file(param->file, &file, &param->header));
  const int status = check_size(file, param->file, &param->header);
  fclose(file);
  MXERR_TRY(status);
  return 0;
}

static int load_infer_shape(mx_call *call) {
  load_param *param = call->param;
  MXERR_TRY(mx_io_end(read_header(param), param->file));
  call->outputs[0].shape = param->header.shape;
  return 0;
}

static int load_infer_type(mx_call *call) {
  const load_param *param = call->param;
  call->outputs[0].dtype = param->header.dtype;
  return 0;
}

static void swap_bytes(unsigned char *data, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++, data += size)
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
      const unsigned char byte = data[low];
      data[low] = data[high];
      data[high] = byte;
    }
}

/* Brings elements in Fortran's order into C's: what lies there is the array with its axes reversed. */
static int reorder(mx_ndarray *out) {
  const size_t bytes = out->size * mx_dtype_size(out->dtype);
  mx_view view = {.ndim = out->shape.ndim};
  int64_t stride = 1;
  void *copy = malloc(bytes > 0 ? bytes : 1);
  MXERR_CHECK(copy != NULL, "MemoryError: cannot allocate %zu bytes to reorder an array", bytes);
  memcpy(copy, out->data, bytes);
  for (int i = 0; i < view.ndim; stride *= out->shape.dim[i++]) {
    view.size[i] = out->shape.dim[i];
    view.stride[i] = stride;
  }
  mx_copy_view(&view, mx_dtype_size(out->dtype), copy, out->data);
  free(copy);
  return 0;
}

static bool same_header(const mx_npy *a, const mx_npy *b) {
  return a->dtype == b->dtype && a->swapped == b->swapped && a->fortran_order == b->fortran_order &&
         mx_shape_equal(&a->shape, &b->shape);
}

static int read_data(FILE *file, const load_param *param, const mx_npy *header, mx_ndarray *out) {
  const size_t element_size = mx_dtype_size(out->dtype);
  MXERR_CHECK(same_header(header, &param->header), "IOError: load: '%s' has changed while it was read",
              param->file);
  if (fread(out->data, element_size, out->size, file) != out->size) {
    if (ferror(file)) MX_IO_FAIL("load: cannot read", param->file, errno);
    MXERR_FAIL("IOError: load: '%s' is truncated", param->file);
  }
  const bool is_complex = out->dtype == MX_COMPLEX64 || out->dtype == MX_COMPLEX128;
  if (header->swapped) /* a complex number is two numbers */
    swap_bytes(out->data, out->size * (is_complex ? 2 : 1), element_size / (is_complex ? 2 : 1));
  if (header->fortran_order) MXERR_TRY(reorder(out));
  return 0;
}

static int read_file(const load_param *param, mx_ndarray *out) {
  mx_npy header;
  FILE *file;
  MXERR_TRY(open_file(param->file, &file, &header));
  const int status = read_data(file, param, &header, out);
  fclose(file);
  MXERR_TRY(status);
  return 0;
}

static int load_forward(mx_call *call) {
  const load_param *param = call->param;
  MXERR_TRY(mx_io_end(read_file(param, call->outputs[0].array), param->file));
  return 0;
}

static const mx_param params[] = {
    {"file", MX_PARAM_TEXT, offsetof(load_param, file), NULL, "The file."},
};

const mx_op mx_op_load = {
    .name = "load",
    .doc =
        "Read an array from a .npy file.\n\n"
        "Either byte order and either order of elements is read.\n\n"
        "Raises\n------\n"
        "FileNotFoundError\n    If the file is missing.\n"
        "IOError\n    If the file cannot be read, is truncated, or is no .npy file; `errno` says why where the system "
        "did.\n"
        "NotImplementedError\n    If its elements are no numbers.",
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(load_param),
    .infer_shape = load_infer_shape,
    .infer_type = load_infer_type,
    .forward = load_forward,
};
