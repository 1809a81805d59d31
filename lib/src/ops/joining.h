/* joining.h: what concatenate and stack share. */
#ifndef MXERR_JOINING_H
#define MXERR_JOINING_H

#include "axis.h"
#include "element.h"

/* Checks that an input has the shape of the first one, but for the length along `axis` (-1: nowhere). */
int mx_joining_check(const mx_call *call, int input, int axis);

/* The type that NumPy gives the joined array. */
int mx_joining_infer_type(mx_call *call);

/* Writes the inputs behind each other along an axis of the output, cast to its type. */
int mx_joining_forward(mx_call *call, int axis);

#endif
