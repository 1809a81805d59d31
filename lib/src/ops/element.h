/*
 * element.h: what the operators on elements share: the types they compute in, NumPy's promotion, and casts.
 *
 * They compute in six of the types; the others can be stored, transposed and cast.
 */
#ifndef MXERR_ELEMENT_H
#define MXERR_ELEMENT_H

#include "../op.h"

/* The types that operators compute in: X(name, C type, mx_dtype). */
#define MX_ELEMENT_TYPES(X)     \
  X(boolean, bool, MX_BOOL)     \
  X(uint8, uint8_t, MX_UINT8)   \
  X(int32, int32_t, MX_INT32)   \
  X(int64, int64_t, MX_INT64)   \
  X(float32, float, MX_FLOAT32) \
  X(float64, double, MX_FLOAT64)

typedef enum mx_element {
#define X(name, type, dtype) MX_ELEMENT_##name,
  MX_ELEMENT_TYPES(X)
#undef X
      MX_NUM_ELEMENTS
} mx_element;

/* The type flag of an element type by its name, for tables: MX_DTYPE_int32. */
enum {
#define X(name, type, dtype) MX_DTYPE_##name = dtype,
  MX_ELEMENT_TYPES(X)
#undef X
};

/* Writes the element type of an input; fails for a type that operators do not compute in. */
int mx_element_of(const mx_call *call, int input, mx_element *out);

/* The element type of a type flag; fails as above. */
int mx_element_of_dtype(const mx_call *call, int dtype, mx_element *out);

/* The type flag. */
int mx_element_dtype(mx_element element);

/* The type that NumPy gives the result of an operation on both. */
mx_element mx_element_promote(mx_element a, mx_element b);

static inline bool mx_element_is_float(mx_element element) { return element >= MX_ELEMENT_float32; }

/* mx_cast (casting.h) between element types. */
void mx_element_cast(mx_element from, const void *in, int64_t stride, mx_element to, void *out,
                     int64_t count);

/* Fails with an OverflowError for a number that an integer type, or bool, does not hold. */
int mx_element_check_holds(const mx_call *call, mx_element element, int64_t number);

/* Writes an input in another type: itself if it has that type. The caller owns one count of *out. */
int mx_element_convert(const mx_call *call, int input, mx_element to, mx_ndarray **out);

/* ---- floating-point errors (element.c) ---- */

/*
 * Brackets a computation: begin forgets the processor's flags, end fails with a FloatingPointError for those
 * that the calling thread wants to be told of (mx_errstate). Both do nothing where it wants none.
 */
void mx_float_errors_begin(void);
int mx_float_errors_end(const mx_call *call);

/* The same behind a cast of `count` elements of `in` to the output's type, which sets not all flags itself. */
int mx_float_errors_end_cast(const mx_call *call, const mx_ndarray *in, int64_t stride, int64_t count);

/* Which of them are errors for the calling thread; NumPy's words. */
typedef struct mx_errstate {
  bool divide, over, under, invalid;
} mx_errstate;

extern _Thread_local mx_errstate mx_errors_wanted;

#endif
