/* splitting.h: what split and its relatives share: cutting an array into parts along an axis. */
#ifndef MXERR_SPLITTING_H
#define MXERR_SPLITTING_H

#include "axis.h"

/*
 * The stages. `at` is a number of parts, which must be equally long where `equal` says so, or the places where
 * the second part and the following ones begin, which are read as the bounds of slices.
 */
int mx_split_infer_shape(mx_call *call, const mx_sections *at, int axis, bool equal);
int mx_split_infer_type(mx_call *call);
int mx_split_forward(mx_call *call, const mx_sections *at, int axis);

#define MX_SPLIT_SECTIONS_DOC                                                                                 \
  "A number of parts, or the places where the second part and the following ones begin; negative ones count " \
  "from the end."

#endif
