/* where.c: elements of x or of y, as a condition says. */
#include "elementwise.h"

#define DEFINE_WHERE(name, type, dtype) MX_TERNARY_LOOP(where_##name, bool, type, a ? b : c)
MX_ELEMENT_TYPES(DEFINE_WHERE)

static const mx_loop loops[MX_NUM_ELEMENTS] = {
#define X(name, type, dtype) MX_QUIET_LOOP(name, name, name, ternary, where_##name),
    MX_ELEMENT_TYPES(X)
#undef X
};

static int where_infer_shape(mx_call *call) {
  MXERR_TRY(mx_elementwise_infer_shape(call));
  return 0;
}

static int where_infer_type(mx_call *call) {
  const mx_loop *loop;
  mx_element condition;
  MXERR_TRY(mx_element_of(call, 0, &condition));
  MXERR_TRY(mx_elementwise_find(call, 1, loops, &loop));
  call->outputs[0].dtype = loop->result;
  return 0;
}

static int where_forward(mx_call *call) {
  const mx_loop *loop;
  MXERR_TRY(mx_elementwise_find(call, 1, loops, &loop));
  MXERR_TRY(mx_elementwise_run(call, loop, (mx_element[]){MX_ELEMENT_boolean, loop->compute, loop->compute}));
  return 0;
}

static const char *const inputs[] = {"condition", "x", "y"};

const mx_op mx_op_where = MX_ELEMENTWISE_OP(
    where,
    "Choose elements of one array or of another.\n\n"
    "The result is `x` where the condition holds, which for a number means that it is not zero, and `y` elsewhere. It "
    "has the type that both promote to. NumPy's form with the condition alone is not implemented.\n\n"
    "Raises\n------\n"
    "ValueError\n    If the shapes do not broadcast.\n"
    "NotImplementedError\n    If an input is of a type that operators do not compute in.\n\n"
    "Examples\n--------\n"
    ">>> np.where([True, False, True], [1, 2, 3], 0)\narray([1, 0, 3])");
