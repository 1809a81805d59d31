/* out.h: arrays of the caller that are written: NumPy's `out`, and copies from outside. */
#ifndef MXERR_OUT_H
#define MXERR_OUT_H

#include "op.h"

/* Whether a call's result, whose shape and type are known, can go into the array that the caller gives for it. */
int mx_out_check(const mx_call *call);

/* Writes the result of a call that has run into that array. */
int mx_out_write(const mx_call *call);

/* Waits until an array can be written, and makes it one without an error. The caller writes all its elements. */
int mx_out_open(mx_ndarray *array);

#endif
