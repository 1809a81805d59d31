/* custom.h: operators that run functions of the program, found by the name under which it registered them. */
#ifndef MXERR_CUSTOM_H
#define MXERR_CUSTOM_H

#include "../op.h"

/* Behind MXCustomOpRegister (c_api.h). */
int mx_custom_register(const char *op_type, const MXCustomOp *functions);

/* What a fork needs: see fork.c. */
void mx_customs_lock(void);
void mx_customs_unlock(void);

#endif
