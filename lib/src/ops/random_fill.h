/* random_fill.h: what the random operators share: drawing a shape in double and storing it as asked. */
#ifndef MXERR_RANDOM_FILL_H
#define MXERR_RANDOM_FILL_H

#include "../op.h"

/* Writes the shape and type of the one output; `size` of None is a scalar, types are floating. */
int mx_random_infer_shape(mx_call *call, const mx_shape *size);
int mx_random_infer_type(mx_call *call, int dtype);

/* Fills the output with offset + scale * draw(). */
int mx_random_fill(mx_call *call, void (*draw)(double *out, size_t size), double offset, double scale);

#endif
