/* c_api.c: the exported functions: arguments are checked here, the work is done elsewhere. */
#include "mxerr/c_api.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "ops/custom.h"
#include "out.h"

enum {
  VERSION = 100, /* 0.1.0 */
  MX_MAX_INPUTS = 1024
};

/* ---- the library ---- */

static int get_version(int *out) {
  MXERR_CHECK_NE(out, NULL, "ValueError: the result pointer is NULL");
  *out = VERSION;
  return 0;
}

int MXGetVersion(int *out) { MXERR_API(get_version(out)); }

const char *MXGetLastError(void) {
  static _Thread_local char text[2 * MXERR_TEXT_MAX]; /* frames repeat names that a record has once */
  const mxerr_record *record = mxerr_record_peek();
  if (record == NULL) return "";
  mxerr_record_format(record, "MXNetError", text, sizeof text);
  mxerr_record_told();
  return text;
}

/* ---- arrays ---- */

static int read_shape(const int64_t *dims, int ndim, mx_shape *out) {
  MXERR_CHECK_GE(ndim, 0, "ValueError: an array cannot have a negative number of dimensions");
  MXERR_CHECK_LE(ndim, MX_MAX_NDIM, "ValueError: an array cannot have so many dimensions");
  MXERR_CHECK(ndim == 0 || dims != NULL, "ValueError: the shape is NULL");
  out->ndim = ndim;
  if (ndim > 0) memcpy(out->dim, dims, (size_t)ndim * sizeof dims[0]);
  return 0;
}

static int create(const int64_t *dims, int ndim, int dtype, NDArrayHandle *out) {
  mx_shape shape;
  mx_ndarray *array;
  MXERR_CHECK_NE(out, NULL, "ValueError: the result pointer is NULL");
  MXERR_TRY(read_shape(dims, ndim, &shape));
  MXERR_TRY(mx_ndarray_create(&shape, dtype, true, &array));
  if (MXERR_FAILED(mx_handle_create(array, out))) {
    mx_ndarray_release(array);
    return MXERR_FAILURE;
  }
  return 0;
}

int MXNDArrayCreate(const int64_t *shape, int ndim, int dtype, NDArrayHandle *out) {
  MXERR_API(create(shape, ndim, dtype, out));
}

static int free_array(NDArrayHandle handle) { MXERR_API_QUIET(mx_handle_free(handle)); }

int MXNDArrayFree(NDArrayHandle handle) {
  const int status = free_array(handle);
  mx_exceptions_bury(); /* of an error that the array held */
  return status;
}

static int check_copy(const mx_ndarray *array, const void *data, size_t size) {
  MXERR_CHECK_EQ(size, array->size, "ValueError: a copy takes all elements of an array");
  MXERR_CHECK(size == 0 || data != NULL, "ValueError: the data pointer is NULL");
  return 0;
}

static int write_array(mx_ndarray *array, const void *data, size_t size) {
  MXERR_TRY(check_copy(array, data, size));
  MXERR_TRY(mx_out_open(array));
  if (size > 0) memcpy(array->data, data, size * mx_dtype_size(array->dtype));
  return 0;
}

static int read_array(mx_ndarray *array, void *data, size_t size) {
  MXERR_TRY(check_copy(array, data, size));
  MXERR_TRY(mx_wait_to_read(&array->var));
  if (size > 0) memcpy(data, array->data, size * mx_dtype_size(array->dtype));
  return 0;
}

static int copy_from(NDArrayHandle handle, const void *data, size_t size) {
  mx_ndarray *array;
  MXERR_TRY(mx_handle_borrow(handle, &array));
  const int status = write_array(array, data, size);
  mx_ndarray_release(array);
  MXERR_TRY(status);
  return 0;
}

static int copy_to(NDArrayHandle handle, void *data, size_t size) {
  mx_ndarray *array;
  MXERR_TRY(mx_handle_borrow(handle, &array));
  const int status = read_array(array, data, size);
  mx_ndarray_release(array);
  MXERR_TRY(status);
  return 0;
}

int MXNDArraySyncCopyFromCPU(NDArrayHandle handle, const void *data, size_t size) {
  MXERR_API(copy_from(handle, data, size));
}

int MXNDArraySyncCopyToCPU(NDArrayHandle handle, void *data, size_t size) {
  MXERR_API(copy_to(handle, data, size));
}

static int get_shape(NDArrayHandle handle, int *out_ndim, int64_t *out_shape) {
  mx_ndarray *array;
  MXERR_CHECK_NE(out_ndim, NULL, "ValueError: the result pointer is NULL");
  MXERR_CHECK_NE(out_shape, NULL, "ValueError: the result pointer is NULL");
  MXERR_TRY(mx_handle_borrow(handle, &array));
  *out_ndim = array->shape.ndim;
  memcpy(out_shape, array->shape.dim, (size_t)array->shape.ndim * sizeof out_shape[0]);
  mx_ndarray_release(array);
  return 0;
}

int MXNDArrayGetShape(NDArrayHandle handle, int *out_ndim, int64_t *shape) {
  MXERR_API(get_shape(handle, out_ndim, shape));
}

static int get_dtype(NDArrayHandle handle, int *out) {
  mx_ndarray *array;
  MXERR_CHECK_NE(out, NULL, "ValueError: the result pointer is NULL");
  MXERR_TRY(mx_handle_borrow(handle, &array));
  *out = array->dtype;
  mx_ndarray_release(array);
  return 0;
}

int MXNDArrayGetDType(NDArrayHandle handle, int *out) { MXERR_API(get_dtype(handle, out)); }

static int wait_to_read(NDArrayHandle handle) {
  mx_ndarray *array;
  MXERR_TRY(mx_handle_borrow(handle, &array));
  const int status = mx_wait_to_read(&array->var);
  mx_ndarray_release(array);
  MXERR_TRY(status);
  return 0;
}

int MXNDArrayWaitToRead(NDArrayHandle handle) { MXERR_API(wait_to_read(handle)); }

static int wait_to_write(NDArrayHandle handle) {
  mx_ndarray *array;
  MXERR_TRY(mx_handle_borrow(handle, &array));
  const int status = mx_wait_to_write(&array->var);
  mx_ndarray_release(array);
  MXERR_TRY(status);
  return 0;
}

int MXNDArrayWaitToWrite(NDArrayHandle handle) { MXERR_API(wait_to_write(handle)); }

int MXNDArrayWaitAll(void) { MXERR_API(mx_wait_for_all()); }

/* ---- operators ---- */

int MXListAllOpNames(int *out_size, const char *const **out_names) {
  MXERR_API(mx_op_list(out_size, out_names));
}

int MXOpGetInfo(const char *op_name, const MXOpInfo **out) { MXERR_API(mx_op_describe(op_name, out)); }

/* Room for the inputs of a call: few lie on the stack. */
typedef struct input_room {
  mx_ndarray *few[8];
  mx_ndarray **arrays;
} input_room;

static void release_inputs(input_room *room, int count) {
  while (count > 0) mx_ndarray_release(room->arrays[--count]);
  if (room->arrays != room->few) free(room->arrays);
}

static int borrow_inputs(input_room *room, int count, const NDArrayHandle *handles) {
  MXERR_CHECK_GE(count, 0, "ValueError: the number of inputs is negative");
  MXERR_CHECK_LE(count, MX_MAX_INPUTS, "ValueError: too many inputs");
  MXERR_CHECK(count == 0 || handles != NULL, "ValueError: the inputs are NULL");
  room->arrays = count <= MX_LENGTH(room->few) ? room->few : malloc((size_t)count * sizeof room->arrays[0]);
  MXERR_CHECK(room->arrays != NULL, "MemoryError: cannot allocate room for %d inputs", count);
  for (int i = 0; i < count; i++)
    if (MXERR_FAILED(mx_handle_borrow(handles[i], &room->arrays[i]))) {
      release_inputs(room, i);
      return MXERR_FAILURE;
    }
  return 0;
}

/* Gives each output a handle; where one cannot be made there are none. */
static int publish_outputs(mx_call *call, NDArrayHandle *handles, int room) {
  MXERR_CHECK_LE(call->num_outputs, room, "ValueError: %s: more results than there is room for",
                 call->op->name);
  for (int i = 0; i < call->num_outputs; i++) {
    if (MXERR_FAILED(mx_handle_create(call->outputs[i].array, &handles[i]))) {
      while (i > 0) mx_handle_free(handles[--i]);
      return MXERR_FAILURE;
    }
    call->outputs[i].array = NULL; /* the handle's now */
  }
  return 0;
}

/*
 * With `out`, the result goes into that array; else each result becomes a new one, with its handle in the caller's
 * memory or, where that is NULL, in the thread's.
 */
static int invoke(const char *op_name, int num_inputs, const NDArrayHandle *inputs, int num_params,
                  const char *const *keys, const char *const *values, const NDArrayHandle *out, int *out_size,
                  NDArrayHandle **out_handles) {
  static _Thread_local NDArrayHandle own[MX_MAX_OUTPUTS];
  mx_call call = {.out = NULL};
  input_room room;
  MXERR_CHECK(op_name != NULL, "ValueError: the operator's name is NULL");
  MXERR_CHECK(out_size != NULL && out_handles != NULL, "ValueError: the result pointer is NULL");
  MXERR_CHECK_GE(num_params, 0, "ValueError: the number of parameters is negative");
  MXERR_CHECK(num_params == 0 || (keys != NULL && values != NULL), "ValueError: the parameters are NULL");
  NDArrayHandle *handles = *out_handles == NULL ? own : *out_handles;
  const int num_handles = handles == own ? MX_MAX_OUTPUTS : *out_size;
  MXERR_TRY(mx_op_find(op_name, &call.op));
  MXERR_TRY(borrow_inputs(&room, num_inputs, inputs));
  call.inputs = room.arrays;
  call.num_inputs = num_inputs;
  int status = out != NULL ? mx_handle_borrow(*out, &call.out) : 0;
  if (status == 0) status = mx_invoke(&call, num_params, keys, values);
  if (status == 0 && out == NULL) status = publish_outputs(&call, handles, num_handles);
  if (status == 0) *out_size = call.num_outputs;
  mx_call_end(&call);
  mx_ndarray_release(call.out);
  release_inputs(&room, num_inputs);
  MXERR_TRY_WITH(status, MXERR_LOCAL("op_name", "%s") MXERR_LOCAL("num_inputs", "%d"), op_name, num_inputs);
  *out_handles = handles;
  return 0;
}

int MXImperativeInvoke(const char *op_name, int num_inputs, const NDArrayHandle *inputs, int num_params,
                       const char *const *param_keys, const char *const *param_values, int *out_num_outputs,
                       NDArrayHandle **out_outputs) {
  MXERR_API(invoke(op_name, num_inputs, inputs, num_params, param_keys, param_values, NULL, out_num_outputs,
                   out_outputs));
}

int MXImperativeInvokeOut(const char *op_name, int num_inputs, const NDArrayHandle *inputs, int num_params,
                          const char *const *param_keys, const char *const *param_values, NDArrayHandle out) {
  int count;
  NDArrayHandle *none = NULL;
  MXERR_API(invoke(op_name, num_inputs, inputs, num_params, param_keys, param_values, &out, &count, &none));
}

int MXCustomOpRegister(const char *op_type, const MXCustomOp *functions) {
  MXERR_API(mx_custom_register(op_type, functions));
}
