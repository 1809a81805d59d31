/* save.c: writes an array into a .npy file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/* Writes into another file, which takes the place of the old one when all is there: never half a file. */
static int write_and_replace(const mx_ndarray *array, const char *path, const char *part) {
  FILE *file = fopen(part, "wb");
  if (file == NULL) MX_IO_FAIL("save: cannot write", path, errno);
  const bool written = write_array(file, array);
  const int number = errno;
  if (fclose(file) != 0 || !written || rename(part, path) != 0) {
    const int reason = written ? errno : number;
    remove(part);
    MX_IO_FAIL("save: cannot write", path, reason);
  }
  return 0;
}

static int save_forward(mx_call *call) {
  const save_param *param = call->param;
  const size_t size = strlen(param->file) + 32;
  char *part = malloc(size);
  MXERR_CHECK(part != NULL, "MemoryError: cannot allocate %zu bytes for a file name", size);
  snprintf(part, size, "%s.%ld.part", param->file, (long)getpid());
  const int status = write_and_replace(call->inputs[0], param->file, part);
  free(part);
  MXERR_TRY_WITH(status, MXERR_LOCAL("param.file", "%s"), param->file);
  return 0;
}

static const char *const inputs[] = {"arr"};

static const mx_param params[] = {
    {"file", MX_PARAM_TEXT, offsetof(save_param, file), NULL,
     "The file; it is replaced when all is written."},
};

const mx_op mx_op_save = {
    .name = "save",
    .doc = "Write an array into a .npy file, which NumPy reads.\n\n"
           "Raises\n------\n"
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
