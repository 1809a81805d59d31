/*
 * c_api.h: the C API of libmxerr, the library of instrumented operators.
 *
 * Names and meaning follow Apache MXNet's C API. Every function returns 0, or -1 with the error kept for the
 * calling thread: as text for MXGetLastError, as a record for mxerr_pack_record (mxerr.h). After a failure
 * no result has been written and no handle was created. Every function may be called from any thread; a
 * handle may be used by several threads, but what one thread writes is another's to wait for.
 *
 * Bad arguments (NULL, negative or huge sizes, a handle that was freed or never made) give a status, never
 * an abort.
 */
#ifndef MXERR_C_API_H
#define MXERR_C_API_H

#include "mxerr.h"

/* Names an array; never dereferenced. NULL is no array. */
typedef void *NDArrayHandle;

/* The most dimensions that an array has. */
#define MX_MAX_NDIM 64

/* ---- the library ---- */

/* Writes 10000 * major + 100 * minor + patch. */
MXERR_EXPORT int MXGetVersion(int *out);

/*
 * The calling thread's last error in the standard text form, "" where there was none. Owned by the thread;
 * valid until it fails again or calls this again.
 */
MXERR_EXPORT const char *MXGetLastError(void);

/* ---- arrays ---- */

/*
 * Makes an array of zeros with `ndim` dimensions. `dtype` is MXNet's type flag (see dtype.h). The caller owns
 * *out and gives it to MXNDArrayFree.
 */
MXERR_EXPORT int MXNDArrayCreate(const int64_t *shape, int ndim, int dtype, NDArrayHandle *out);

/*
 * Frees an array. NULL is allowed and does nothing. Made for destructors: where an error of this thread still
 * waits to be read, a failure here does not replace it.
 */
MXERR_EXPORT int MXNDArrayFree(NDArrayHandle handle);

/*
 * Copies `size` elements, all that the array has, in C order from or to `data`: waits first, as WaitToWrite or
 * WaitToRead does.
 */
MXERR_EXPORT int MXNDArraySyncCopyFromCPU(NDArrayHandle handle, const void *data, size_t size);
MXERR_EXPORT int MXNDArraySyncCopyToCPU(NDArrayHandle handle, void *data, size_t size);

/* Writes the number of dimensions, and the shape to `shape`, which has room for MX_MAX_NDIM numbers. */
MXERR_EXPORT int MXNDArrayGetShape(NDArrayHandle handle, int *out_ndim, int64_t *shape);

/* Writes the type flag. */
MXERR_EXPORT int MXNDArrayGetDType(NDArrayHandle handle, int *out);

/*
 * Waits until no queued operator writes the array; fails with the error of the one that should have written it,
 * each time. WaitToWrite: until none reads or writes it.
 */
MXERR_EXPORT int MXNDArrayWaitToRead(NDArrayHandle handle);
MXERR_EXPORT int MXNDArrayWaitToWrite(NDArrayHandle handle);

/*
 * Waits for all operators that were queued before; fails with the oldest error that no call has failed with yet, and forgets the
 * others. The arrays that it spoilt keep it.
 */
MXERR_EXPORT int MXNDArrayWaitAll(void);

/* ---- operators ---- */

/* Writes how many operators there are, and their names in alphabetical order. Owned by the library. */
MXERR_EXPORT int MXListAllOpNames(int *out_size, const char *const **out_names);

/* What MXOpGetInfo tells of an operator. All texts are owned by the library and live as long as it. */
typedef struct MXOpInfo {
  const char *name;
  const char *doc;
  int num_inputs;   /* -1: one or more, given as one list, whose name is input_names[0] */
  int many_outputs; /* 1: the result is a list */
  int takes_out;    /* 1: MXImperativeInvokeOut takes it */
  int num_params;
  const char *const *input_names;
  const char *const *param_names;
  const char *const *param_types;    /* "int", "float", "shape or None", "dtype", ... */
  const char *const *param_defaults; /* as a Python literal; NULL where the parameter is required */
  const char *const *param_docs;
} MXOpInfo;

/* Writes a description that is owned by the library. */
MXERR_EXPORT int MXOpGetInfo(const char *op_name, const MXOpInfo **out);

/*
 * Runs an operator. Parameters are texts, as Python prints their values: "axes" is "(0, 2, 1)".
 * *out_outputs is an array of *out_num_outputs new handles; the caller owns the handles. Where it is NULL before
 * the call the array is the thread's, and valid until its next call of this function; else the array is the caller's,
 * with room for *out_num_outputs handles.
 */
MXERR_EXPORT int MXImperativeInvoke(const char *op_name, int num_inputs, const NDArrayHandle *inputs,
                                    int num_params, const char *const *param_keys,
                                    const char *const *param_values, int *out_num_outputs,
                                    NDArrayHandle **out_outputs);

/*
 * The same, and writes the result into an array that is there, NumPy's `out`: of the result's shape, and of a type
 * that NumPy's rule "same_kind" lets it be cast to. It may be an input too. Never queued: waits for the inputs, and
 * until `out` can be written. On failure `out` is as it was.
 */
MXERR_EXPORT int MXImperativeInvokeOut(const char *op_name, int num_inputs, const NDArrayHandle *inputs,
                                       int num_params, const char *const *param_keys,
                                       const char *const *param_values, NDArrayHandle out);

/* Why a function of a custom operator fails. Zero when it is called. */
typedef struct MXCustomError {
  int64_t id;         /* under which the caller finds its own error again, see MXHost; 0 for none */
  char message[1024]; /* "Kind: text" */
} MXCustomError;

/* The attribute of an error's record that holds that id. */
#define MX_EXCEPTION_ATTRIBUTE "exception"

/*
 * What the operator "custom" calls: infer_shape where it is called, forward where it runs, with the threaded
 * engine on a worker. They return 0, or another number with `error` filled in, and must not throw. infer_shape
 * has room for MX_MAX_NDIM numbers. forward fills the output with MXNDArraySyncCopyFromCPU, and frees all handles.
 */
typedef struct MXCustomOp {
  int (*infer_shape)(const char *op_type, int num_inputs, const int *ndims, const int64_t *const *shapes,
                     int *out_ndim, int64_t *out_shape, MXCustomError *error);
  int (*forward)(const char *op_type, int num_inputs, const NDArrayHandle *inputs, NDArrayHandle output,
                 MXCustomError *error);
} MXCustomOp;

/* Registers functions under a name, in the place of those that it had. They have to stay for good. */
MXERR_EXPORT int MXCustomOpRegister(const char *op_type, const MXCustomOp *functions);

/*
 * Which floating-point errors (1) make operators of the calling thread fail with a FloatingPointError, and
 * which (0) only give infinities and not-a-number: a division by zero, an overflow, an underflow, an invalid
 * operation. None at first.
 */
MXERR_EXPORT int MXSetErrState(int divide, int over, int under, int invalid);
MXERR_EXPORT int MXGetErrState(int *divide, int *over, int *under, int *invalid);

/* Seeds the random operators of the whole process: the same seed, the same numbers. */
MXERR_EXPORT int MXRandomSeed(uint64_t seed);

/* ---- the engine ---- */

/*
 * When operators of the process run: 0, at once, as MXNet's NaiveEngine; 1, on worker threads, as its
 * ThreadedEngine. There, MXImperativeInvoke checks arguments, shapes and types at once and fails for them, and
 * queues the rest of what has a result; errors of that wait in its arrays. 0 at first.
 */
MXERR_EXPORT int MXEngineSetType(int type);
MXERR_EXPORT int MXEngineGetType(int *out);

/*
 * Names the place in the caller's source from which the calling thread queues its next operators: the errors
 * of these end with a frame for it. Texts are copied, and cut where they are long. "" for no place.
 */
MXERR_EXPORT int MXEngineSetOrigin(const char *file, const char *function, int line);

/* ---- the program around the library ---- */

/* How many calls of MXHost.poll there may be on a thread, one within the other. */
#define MX_POLL_DEPTH 4

/* What the program does for the library. Each function may be NULL. */
typedef struct MXHost {
  /*
   * Called every 25 ms while a call on the program's main thread waits: 0 to go on; an id as in MXCustomError, and the
   * call fails. It may call the library; poll[n] is called where n others have not returned.
   */
  int64_t (*poll[MX_POLL_DEPTH])(void);
  /* Nobody will ask for the exception with this id any more: no error that an array, or a thread, has stands for it. */
  void (*release)(int64_t id);
} MXHost;

/* Takes the place of what was registered. */
MXERR_EXPORT int MXHostRegister(const MXHost *host);

/* To be called by who has read the calling thread's error, and found its exception: the thread needs it no more. */
MXERR_EXPORT int MXExceptionRelease(void);

/* ---- instruments: every stage of every operator is a place, named "transpose.infer_shape" ---- */

/* Writes how many fail points there are, and their names: the places. Owned by the library. */
MXERR_EXPORT int MXListFailPoints(int *out_size, const char *const **out_names);

/*
 * Makes a place fail with `message`, whose "Kind: " is its kind, after it was passed well `after` times, and
 * then `times` times; -1 has no end. For all threads. Setting a place again replaces what was set. An empty
 * message leaves the stage out instead, to show that what comes after finds out: an InternalError.
 */
MXERR_EXPORT int MXFailPointSet(const char *name, const char *message, int after, int times);
MXERR_EXPORT int MXFailPointClear(const char *name);

/* What happened at a place. Texts are owned by the library. */
typedef struct MXTraceEvent {
  int64_t time_ns; /* of the monotonic clock */
  int64_t thread;  /* the native id */
  int type;        /* 0: a stage was entered, 1: left, 2: it failed */
  const char *op_name;
  const char *stage_name;
} MXTraceEvent;

/* Forgets the events of the last trace and notes new ones, for each thread the last `capacity`. */
MXERR_EXPORT int MXTraceStart(int capacity);
MXERR_EXPORT int MXTraceStop(void);

/*
 * Copies events, thread by thread and the oldest first, as many as there is room for; writes how many there
 * are, and how many were overwritten by later ones.
 */
MXERR_EXPORT int MXTraceTake(int capacity, MXTraceEvent *events, int *out_size, int64_t *out_dropped);

#endif /* MXERR_C_API_H */
