/* task.h: a call of an operator that is queued: what it owns, and what it has to carry to another thread. */
#ifndef MXERR_TASK_H
#define MXERR_TASK_H

#include "op.h"
#include "ops/element.h"

typedef struct mx_task {
  struct mx_task *next;          /* of those that can run */
  struct mx_task *older, *newer; /* of those that have not ended */
  int64_t number;                /* the place in the order of all that were ever queued */
  mx_call call;
  char *texts;        /* of its parameters */
  mx_errstate wanted; /* of the thread that queued it */
  struct mx_origin *origin;
  int waiting; /* accesses that are not granted, and one until all are queued */
  int num_accesses;
  mx_access accesses[];
} mx_task;

/* Makes a task of a call whose outputs are declared; takes the call's parameters. */
int mx_task_create(mx_call *call, mx_task **out);
void mx_task_free(mx_task *task);

/* The fault of an input, or NULL. Owned by the input. */
mx_fault *mx_task_fault(const mx_task *task);

/* Runs it, as the thread that queued it would have; the frames of an error end with the line that queued it. */
int mx_task_run(mx_task *task);

/* Adds that line to the calling thread's error. */
void mx_task_leave(const mx_task *task);

/* Gives its outputs a fault, or NULL. */
void mx_task_spoil(mx_task *task, mx_fault *fault);

#endif
