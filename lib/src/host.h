/*
 * host.h: the program around the library, such as Python: what it does while the library waits, and the exceptions
 * of its own that errors of the library stand for.
 */
#ifndef MXERR_HOST_H
#define MXERR_HOST_H

#include "mxerr/c_api.h"
#include "mxerr/mxerr.h"

/* How long a wait goes on before the host is asked again. */
enum { MX_POLL_MS = 25 };

/* Behind MXHostRegister (c_api.h). */
int mx_host_register(const MXHost *host);

/*
 * Asks the host, on the program's main thread, whether to go on; fails where not. Runs code of the program: no lock
 * of ours may be held.
 */
int mx_host_poll(void);

/* For loops that take long: asks the host where the last time was MX_POLL_MS ago. 0 in *last at first. */
int mx_host_poll_at_times(int64_t *last);

/* An exception of the host, shared by all that may still be asked for it. */
typedef struct mx_exception mx_exception;

/* Adds the exception with that number to the calling thread's error; 0 for none. */
void mx_exception_raise(int64_t id);

/* Adds an exception that there is already, for a copy of its error; NULL for none. */
void mx_exception_raise_again(mx_exception *exception);

/* Takes the exception of the calling thread's error, with the thread's count of it; NULL where it has none. */
mx_exception *mx_exception_take(void);

/* Gives back a count, NULL for none. The host hears of the last one at the next call of mx_exceptions_bury. */
void mx_exception_release(mx_exception *exception);

/* Tells the host of the exceptions that are let go. Runs code of the program: no lock of ours may be held. */
void mx_exceptions_bury(void);

#endif
