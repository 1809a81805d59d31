/* random.h: the one stream of random numbers of the process. */
#ifndef MXERR_RANDOM_H
#define MXERR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "var.h"

/* Queued operators that draw take their turns, so that the same seed gives the same numbers. */
extern mx_var mx_random_var;

/* Starts the stream anew. Without it, the stream starts from the clock. */
void mx_random_seed(uint64_t seed);

/* What a fork needs: see fork.c. */
void mx_random_lock(void);
void mx_random_unlock(void);

/* Write the next `size` numbers of the stream: uniform in [0, 1), or standard normal. Any thread. */
void mx_random_uniform(double *out, size_t size);
void mx_random_normal(double *out, size_t size);

#endif
