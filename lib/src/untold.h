/* untold.h: errors of queued calls that nobody was told of yet. The engine's lock is held in all of this. */
#ifndef MXERR_UNTOLD_H
#define MXERR_UNTOLD_H

#include "var.h"

/* An error has come up, unless that is known. Where many are kept it is counted alone; arrays still hold it. */
void mx_untold_add(mx_fault *fault);

/* Somebody is told of an error. */
void mx_untold_tell(mx_fault *fault);

/* The oldest error, with a count, or NULL, and how many there are; then all have been told. */
mx_fault *mx_untold_tell_all(int64_t *out_errors);

#endif
