/* save.c: writes an array into a .npy file. */
#define _XOPEN_SOURCE 700 /* for realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy.h"

typedef struct save_param {
  const char *file;
} save_param;

static int save_infer_shape(mx_call *call) {
  MXERR_TRY(mx_call_set_outputs(call, 0));
  return 0;
}

static int save_infer_type(mx_call *call) {
  (void)call;
  return 0;
}

static bool write_array(FILE *file, const mx_ndarray *array) {
  const mx_npy header = {.dtype = array->dtype, .shape = array->shape};
  const size_t element_size = mx_dtype_size(array->dtype);
  return mx_npy_write_header(file, &header) &&
         fwrite(array->data, element_size, array->size, file) == array->size;
}

/* Opens a file of a new name in the folder of `path`; `part` gets the name. */
static int open_part(const char *path, char *part, size_t size) {
  enum { TRIES = 1000 }; /* names that a process which is gone has left behind */
  static atomic_uint count;
  const char *slash = strrchr(path, '/');
  const int folder = slash == NULL ? 0 : (int)(slash - path) + 1;
  for (int i = 0; i < TRIES; i++) {
    snprintf(part, size, "%.*s.mxerr-%ld-%u.part", folder, path, (long)getpid(), atomic_fetch_add(&count, 1));
    const int number = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0 || errno != EEXIST) return number;
  }
  return -1;
}

/* Gives a new file the rights, and where that is allowed the owner, of the one whose place it takes. */
static bool take_over(int number, const struct stat *old) {
  if (old == NULL) return true;
  if (fchown(number, old->st_uid, old->st_gid) != 0) errno = 0; /* who writes owns it, as with a copy */
  return fchmod(number, old->st_mode & 0777) == 0;
}

static bool write_and_close(FILE *file, const mx_ndarray *array) {
  const bool written = write_array(file, array);
  const int reason = errno;
  const bool closed = fclose(file) == 0;
  if (!written) errno = reason;
  return written && closed;
}

/* Writes another file, which takes the place of the old one, if any, when all is there: never half a file. */
static int write_and_replace(const mx_ndarray *array, const char *path, const struct stat *old, char *part,
                             size_t size) {
  const int number = open_part(path, part, size);
  if (number < 0) MX_IO_FAIL("save: cannot write", path, errno);
  FILE *file = take_over(number, old) ? fdopen(number, "wb") : NULL;
  if (file != NULL && write_and_close(file, array) && rename(part, path) == 0) return 0;
  const int reason = errno;
  if (file == NULL) close(number);
  remove(part);
  MX_IO_FAIL("save: cannot write", path, reason);
}

static int replace(const mx_ndarray *array, const char *path, const struct stat *old) {
  const size_t size = strlen(path) + 64;
  char *part = malloc(size);
  MXERR_CHECK(part != NULL, "MemoryError: cannot allocate %zu bytes for a file name", size);
  const int status = write_and_replace(array, path, old, part, size);
  free(part);
  MXERR_TRY(status);
  return 0;
}

static int write_in_place(const mx_ndarray *array, const char *path) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || !write_and_close(file, array)) MX_IO_FAIL("save: cannot write", path, errno);
  return 0;
}

/*
 * A regular file is replaced, also the one behind a symbolic link. A device or a pipe is written to: it must not be
 * replaced. So is a link that leads to no file yet.
 */
static int save_to(const mx_ndarray *array, const char *path) {
  struct stat old;
  if (stat(path, &old) != 0) {
    if (errno != ENOENT) MX_IO_FAIL("save: cannot write", path, errno);
    MXERR_TRY(lstat(path, &old) == 0 ? write_in_place(array, path) : replace(array, path, NULL));
    return 0;
  }
  if (!S_ISREG(old.st_mode)) {
    MXERR_TRY(write_in_place(array, path));
    return 0;
  }
  char *target = realpath(path, NULL);
  if (target == NULL) MX_IO_FAIL("save: cannot write", path, errno);
  const int status = replace(array, target, &old);
  free(target);
  MXERR_TRY(status);
  return 0;
}

static int save_forward(mx_call *call) {
  const save_param *param = call->param;
  const int status = mx_io_end(save_to(call->inputs[0], param->file), param->file);
  MXERR_TRY_WITH(status, MXERR_LOCAL("param.file", "%s"), param->file);
  return 0;
}

static const char *const inputs[] = {"arr"};

static const mx_param params[] = {
    {"file", MX_PARAM_TEXT, offsetof(save_param, file), NULL,
     "The file; it is replaced when all is written. A pipe or a device is written to."},
};

const mx_op mx_op_save = {
    .name = "save",
    .doc = "Write an array into a .npy file, which NumPy reads.\n\n"
           "Raises\n------\n"
           "FileNotFoundError\n    If the folder is missing.\n"
           "IOError\n    If the file cannot be written; `errno` says why.",
    .num_inputs = MX_LENGTH(inputs),
    .input_names = inputs,
    .num_params = MX_LENGTH(params),
    .params = params,
    .param_size = sizeof(save_param),
    .infer_shape = save_infer_shape,
    .infer_type = save_infer_type,
    .forward = save_forward,
};
