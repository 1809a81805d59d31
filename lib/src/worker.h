/*
 * worker.h: threads that run what is queued.
 *
 * Operators that run functions of the program have threads of their own, as such a function may wait: for an array,
 * or for a thread of the program that does. Others always end. So what can run is run, sooner or later: one more
 * thread is started where a worker waits for an array, or nothing has ended for some time.
 *
 * The engine's lock is held in all of this but mx_is_worker.
 */
#ifndef MXERR_WORKER_H
#define MXERR_WORKER_H

#include "task.h"

/* Whether the calling thread is a worker. */
bool mx_is_worker(void);

/* Makes sure that there is a worker for an operator, NULL: for all that can run; false where there can be none. */
bool mx_workers_start(const mx_op *op);

/* Hands over a task that can run. */
void mx_workers_add(mx_task *task);

/* A worker begins, and ends, to wait for an array. */
void mx_worker_waits(bool begins);

/* Whether nothing that runs can end: each worker waits for another, or for itself. */
bool mx_workers_are_stuck(void);

/* Nothing has ended for some time: starts a worker where all have something to do. */
void mx_workers_help(void);

/* In a child process: there are no workers. What they were running is ended by `end`, which need not free it. */
void mx_workers_forked(void);
void mx_workers_end_orphans(void (*end)(mx_task *task));

#endif
