/* same_data.h: stages of operators that change the shape and nothing else. */
#ifndef MXERR_SAME_DATA_H
#define MXERR_SAME_DATA_H

#include "../op.h"

/* The type of the first input; its elements, in their order. */
int mx_same_data_infer_type(mx_call *call);
int mx_same_data_forward(mx_call *call);

#endif
