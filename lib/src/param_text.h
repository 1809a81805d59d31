/* param_text.h: reads values from the texts that Python prints of them. Each function takes the whole text. */
#ifndef MXERR_PARAM_TEXT_H
#define MXERR_PARAM_TEXT_H

#include "param.h"

/* True where `text` is the value of that type; then *out is written. Never fails otherwise. */
bool mx_read_bool(const char *text, bool *out);
bool mx_read_int(const char *text, int64_t *out);
bool mx_read_float(const char *text, double *out);
bool mx_read_shape(const char *text, mx_shape *out);
bool mx_read_dtype(const char *text, int *out);
bool mx_read_key(const char *text, mx_key *out);
bool mx_read_none(const char *text);

#endif
