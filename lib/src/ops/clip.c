/* clip.c: the elements of an array, brought between two bounds. */
#include "elementwise.h"

/* The upper bound comes last, so that it wins where the bounds cross; not-a-number wins over all. */
#define GREATER(x, y) ((((x) > (y)) | ((x) != (x))) ? (x) : (y))
#define LESS(x, y) ((((x) < (y)) | ((x) != (x))) ? (x) : (y))
#define DEFINE_CLIP(name, type, dtype)                              \
  static inline type clip_one_##name(type a, type low, type high) { \
    const type raised = GREATER(a, low);                            \
    return LESS(raised, high);                                      \
  }                                                                 \
  MX_TERNARY_LOOP(clip_##name, type, type, clip_one_##name(a, b, c))
MX_ELEMENT_TYPES(DEFINE_CLIP)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
#define X(name, type, dtype) MX_QUIET_LOOP(name, name, name, ternary, clip_##name),
    MX_ELEMENT_TYPES(X)
#undef X
};

MX_ELEMENTWISE_STAGES(clip)

static const char *const inputs[] = {"a", "a_min", "a_max"};

const mx_op mx_op_clip = MX_ELEMENTWISE_OP(
    clip,
    "Bring the elements of an array between two bounds.\n\n"
    "The bounds are arrays or numbers; a bound that is None is not implemented. Where they cross, the result is "
    "`a_max`. Where any of the three is not-a-number, so is the result.\n\n"
    "Raises\n------\n"
    "ValueError\n    If the shapes do not broadcast.\n"
    "NotImplementedError\n    If an input is of a type that operators do not compute in.\n\n"
    "Examples\n--------\n"
    ">>> np.clip([1, 5, 9], 2, 6)\narray([2, 5, 6])");
