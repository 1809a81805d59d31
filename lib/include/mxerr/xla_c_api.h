/*
 * xla_c_api.h: the C API of the small XLA in libmxerr, a runtime made to meet every error of XLA.
 *
 * Every function returns 0, or -1 with the error kept for the calling thread as a record (mxerr_pack_record):
 * its kind is a class of xla_errors.inc, its code the status code, its attributes the payloads. After a
 * failure no result has been written. Every function may be called from any thread. A handle that was freed
 * or never made gives INVALID_ARGUMENT; 0 is no handle, and freeing it does nothing.
 */
#ifndef MXERR_XLA_C_API_H
#define MXERR_XLA_C_API_H

#include "mxerr.h"

typedef uint64_t XlaHandle;

/* ---- clients: platform "host" or "proxy", which asks for a credential ---- */

/* `memory_limit` in bytes, 0 for none. The caller owns *out and gives it to XlaClientFree. */
MXERR_EXPORT int XlaClientCreate(const char *platform, const char *credential, uint64_t memory_limit,
                                 int exclusive, XlaHandle *out);
MXERR_EXPORT int XlaClientFree(XlaHandle client);
/*
 * Aborts executions that run. Afterwards every call on the client, and on the buffers and executables that it
 * made, gives FAILED_PRECONDITION; only what frees or ends (XlaBufferDelete, XlaExecutableCancel, ...Free, and
 * this again) succeeds, and the result of an execution can still be read (XlaBufferShape, XlaBufferToHost).
 */
MXERR_EXPORT int XlaClientShutdown(XlaHandle client);
MXERR_EXPORT int XlaClientDeviceCount(XlaHandle client, int *out);
/* Writes the device's name; owned by the thread, until its next call of a function that writes a text. */
MXERR_EXPORT int XlaClientDevice(XlaHandle client, int index, const char **out);

/* Computes `size` elements; anything but 0 is a failure. Must not return by throwing. */
typedef int (*XlaCustomCall)(void *context, const float *in, float *out, size_t size);
/*
 * `target` is made of letters, digits and _ - . +, as names are in programs. `call` and `context` must stay valid
 * as long as the client.
 */
MXERR_EXPORT int XlaCustomCallRegister(XlaHandle client, const char *target, XlaCustomCall call,
                                       void *context);

/* ---- buffers of f32 ---- */

MXERR_EXPORT int XlaBufferCreate(XlaHandle client, int device, const float *data, const int64_t *dims,
                                 int ndim, XlaHandle *out);
MXERR_EXPORT int XlaBufferFree(XlaHandle buffer);
/* Gives its memory back; the handle stays, and to be freed. */
MXERR_EXPORT int XlaBufferDelete(XlaHandle buffer);
/* Writes up to `room` dimensions, and how many there are. */
MXERR_EXPORT int XlaBufferShape(XlaHandle buffer, int room, int64_t *dims, int *out_ndim);
/* Copies all `size` elements. */
MXERR_EXPORT int XlaBufferToHost(XlaHandle buffer, float *out, size_t size);

/* ---- executables ---- */

MXERR_EXPORT int XlaCompile(XlaHandle client, const char *text, size_t size, XlaHandle *out);
MXERR_EXPORT int XlaExecutableFree(XlaHandle executable);
/* Names of the exported functions, one a line; owned as in XlaClientDevice. */
MXERR_EXPORT int XlaExecutableExports(XlaHandle executable, const char **out);
/* Runs a function; a negative timeout is none. The caller owns the buffer *out. */
MXERR_EXPORT int XlaExecutableExecute(XlaHandle executable, const char *function, int num_arguments,
                                      const XlaHandle *arguments, int64_t timeout_us, int donate,
                                      XlaHandle *out);
/* Ends executions, those that run and those to come, until reset. */
MXERR_EXPORT int XlaExecutableCancel(XlaHandle executable);
MXERR_EXPORT int XlaExecutableReset(XlaHandle executable);
/* Bytes for XlaDeserialize; owned as in XlaClientDevice. */
MXERR_EXPORT int XlaExecutableSerialize(XlaHandle executable, const char **out, size_t *out_size);
MXERR_EXPORT int XlaDeserialize(XlaHandle client, const char *data, size_t size, XlaHandle *out);
/* "flops" or "bytes" */
MXERR_EXPORT int XlaExecutableCost(XlaHandle executable, const char *key, double *out);

/* ---- attributes of an executable ---- */

enum { XLA_INT = 0, XLA_TEXT = 1, XLA_OTHER = 2 };

/* An int, a text, or the name of another type, which no attribute takes. Texts are owned as above. */
typedef struct XlaAttribute {
  int type;
  int64_t number;
  const char *text;
} XlaAttribute;

/* The names, one a line. */
MXERR_EXPORT int XlaExecutableAttributes(XlaHandle executable, const char **out);
MXERR_EXPORT int XlaExecutableGetAttribute(XlaHandle executable, const char *name, XlaAttribute *out);
MXERR_EXPORT int XlaExecutableSetAttribute(XlaHandle executable, const char *name, const XlaAttribute *value);

#endif /* MXERR_XLA_C_API_H */
