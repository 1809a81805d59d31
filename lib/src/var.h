/*
 * var.h: variables: what queued calls of operators read and write, in the order in which they were queued.
 *
 * Reads may run side by side; a write waits for all that was queued before it, and all that is queued behind
 * it waits for the write. Each array has a variable, and so has the stream of random numbers.
 */
#ifndef MXERR_VAR_H
#define MXERR_VAR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "host.h"

/* An error of a queued call, shared by all that has no value because of it. There may be many: each is small. */
typedef struct mx_fault {
  atomic_int count;
  bool is_kept;            /* for who waits for all (untold.h) */
  int64_t counted_in;      /* the round in which it was counted instead, or 0 */
  mx_exception *exception; /* of the host, or NULL */
  char record[];           /* those parts of the error's record that are in use */
} mx_fault;

typedef struct mx_access mx_access;

typedef struct mx_var {
  atomic_int writes;         /* that are queued or run */
  mx_access *first, *last;   /* all accesses that are queued or run */
  _Atomic(mx_fault *) fault; /* why there is no value; the variable owns a count of it */
} mx_var;

struct mx_task;

/* One variable of a queued call. */
struct mx_access {
  struct mx_task *task;
  mx_var *var;
  mx_access *next, *previous;
  bool writes;
  bool granted; /* what it waited for has ended */
};

/* Called for each access when it is granted. */
typedef void mx_granted(mx_access *access);

/* Queue an access behind all others, and take one out that has ended. The engine's lock is held. */
void mx_access_queue(mx_access *access, mx_granted *granted);
void mx_access_end(mx_access *access, mx_granted *granted);

/* Makes a fault of the calling thread's error; NULL where there is no memory. The caller owns one count. */
mx_fault *mx_fault_take(void);

/* Makes a fault the calling thread's error, and fails; returns 0 where there is none. Takes over the caller's count. */
int mx_fault_raise(mx_fault *fault);

/* Take one more count, and give one back; the last one frees. NULL is allowed. */
mx_fault *mx_fault_retain(mx_fault *fault);
void mx_fault_release(mx_fault *fault);

/* Puts a fault, or NULL, in the place of a variable's; takes over the caller's count. */
void mx_var_set_fault(mx_var *var, mx_fault *fault);

#endif
