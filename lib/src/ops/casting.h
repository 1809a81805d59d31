/* casting.h: casts between element types, also those that operators do not compute in, and NumPy's rules for them. */
#ifndef MXERR_CASTING_H
#define MXERR_CASTING_H

#include "../op.h"

/* Fails where one of both is not cast at all: float16 and complex numbers. */
int mx_cast_check(const mx_call *call, int from, int to);

/* NumPy's rules: "safe", every number of a type has one of the other; and "same_kind". */
bool mx_cast_is_safe(int from, int to);
bool mx_cast_is_same_kind(int from, int to);

/*
 * Copies `count` elements, `stride` elements apart, into dense ones of another type, as NumPy's astype does. What
 * lies outside of an integer type's range gives some number of it.
 */
void mx_cast(int from, const void *in, int64_t stride, int to, void *out, int64_t count);

/* Sets the processor's flags for floats that lie outside of an integer type's range: mx_cast does not. */
void mx_cast_flag_invalid(int from, const void *in, int64_t stride, int to, int64_t count);

/* Gives an array of another type, which can be cast to: itself if it has it. The caller owns one count of *out. */
int mx_cast_array(mx_ndarray *array, int to, mx_ndarray **out);

/* Whether a type is an integer, and whether one with no negative numbers; bool is neither. */
bool mx_is_integer(int dtype);
bool mx_is_unsigned(int dtype);

#endif
