/*
 * engine.h: when calls of operators run: at once (MXNet's NaiveEngine), or later on worker threads
 * (ThreadedEngine), in the order that what they read and write asks for.
 *
 * The error of a queued call waits in the arrays that it spoils, and in those that are made of them; it is
 * raised for whoever waits for one of them, or for all. What is queued always ends: a call whose input is
 * spoiled does not run, and its outputs are spoiled by the same error.
 */
#ifndef MXERR_ENGINE_H
#define MXERR_ENGINE_H

#include <pthread.h>

#include "op.h"

typedef enum mx_engine_type { MX_ENGINE_NAIVE, MX_ENGINE_THREADED } mx_engine_type;

/* Behind MXEngineSetType, MXEngineGetType and MXEngineSetOrigin (c_api.h). */
int mx_engine_set_type(int type);
int mx_engine_type_now(void);
int mx_engine_set_origin(const char *file, const char *function, int line);

/* Whether a call is to be queued: the engine is the threaded one, and the call has a result to wait for. */
bool mx_engine_queues(const mx_call *call);

/*
 * Queues a call whose outputs are declared; it is allocated and forwarded later. Takes the call's parameters;
 * the outputs' arrays stay the caller's too. Where very many are queued it waits until some have ended.
 */
int mx_engine_push(mx_call *call);

/*
 * Wait until a variable can be read, or written: fail with the error that spoilt what is to be read. All waits fail
 * where the host wants to stop (host.h).
 */
int mx_wait_to_read(mx_var *var);
int mx_wait_to_write(mx_var *var);

/* Waits for all that was queued before; fails with the oldest error that nobody was told of, and forgets the others. */
int mx_wait_for_all(void);

/*
 * For workers (worker.h), under the lock: a task has run, or failed with an error of its own, for which there may be
 * no memory, or did not run for the fault of an input. Takes over the count of the fault.
 */
struct mx_task;
void mx_engine_end(struct mx_task *task, mx_fault *fault, bool is_new);

/* The engine's lock; what waits gives it up for that time. */
void mx_engine_lock(void);
void mx_engine_unlock(void);
void mx_engine_wait(pthread_cond_t *condition);

/* To be called once before all, and, under the lock, in a child process: see fork.c. */
void mx_engine_prepare(void);
void mx_engine_forked(void);

#endif
