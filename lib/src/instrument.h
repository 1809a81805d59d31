/*
 * instrument.h: probes and fail points: what can be watched, and broken, while an operator runs.
 *
 * Each stage of each operator is a place, named "transpose.infer_shape". A probe notes that a stage was
 * entered and left; a fail point makes it fail. While nobody uses either, a stage pays one relaxed load and a
 * branch.
 */
#ifndef MXERR_INSTRUMENT_H
#define MXERR_INSTRUMENT_H

#include <stdatomic.h>

#include "op.h"

enum { MX_PROBES = 1, MX_FAIL_POINTS = 2 };

/* Which of both are in use now. */
extern atomic_int mx_instruments;

static inline int mx_instruments_in_use(void) {
  return atomic_load_explicit(&mx_instruments, memory_order_relaxed);
}

/* Turn one of both on or off. */
void mx_instruments_add(int instrument);
void mx_instruments_remove(int instrument);

/* ---- probes (probe.c) ---- */

typedef enum mx_event_type { MX_EVENT_ENTER, MX_EVENT_LEAVE, MX_EVENT_RAISE } mx_event_type;

/* Notes an event of the calling thread. */
void mx_probe(mx_event_type type, const mx_op *op, mx_stage stage);

/* Behind MXTraceStart, MXTraceStop and MXTraceTake (c_api.h). */
int mx_trace_start(int capacity);
int mx_trace_stop(void);
int mx_trace_take(int capacity, MXTraceEvent *events, int *out_size, int64_t *out_dropped);

/* ---- fail points (failpoint.c) ---- */

/* What becomes of a place now: it may fail, with the error that was set for it, or be left out. */
mx_fate mx_fail_point(const mx_op *op, mx_stage stage);

/* Behind MXFailPointSet, MXFailPointClear and MXListFailPoints (c_api.h). */
int mx_fail_point_set(const char *name, const char *message, int after, int times);
int mx_fail_point_clear(const char *name);
int mx_fail_point_list(int *out_size, const char *const **out_names);

/* ---- what a fork needs: see fork.c ---- */

void mx_trace_lock(void);
void mx_trace_unlock(void);
void mx_fail_points_lock(void);
void mx_fail_points_unlock(void);

#endif
