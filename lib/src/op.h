/*
 * op.h: what an operator is.
 *
 * An operator is one file in ops/ with one descriptor, mx_op_NAME. A call of it passes the stages parse,
 * infer_shape, infer_type, allocate and forward; parse and allocate are the same for all (invoke.c).
 */
#ifndef MXERR_OP_H
#define MXERR_OP_H

#include "ndarray.h"

/* What an operator has at most; tests/native/test_op_table.c holds the descriptors to it. */
enum {
  MX_MAX_INPUTS = 64,
  MX_MAX_OUTPUTS = 64,
  MX_MAX_PARAMS = 16,
  MX_MAX_PARAM_SIZE = 4096 /* bytes of an operator's parameter struct */
};

/* What a parameter is, and the C type of its member in the operator's parameter struct. */
typedef enum mx_param_type {
  MX_PARAM_FLOAT,         /* double */
  MX_PARAM_SHAPE_OR_NONE, /* mx_shape; one number is a list of one */
  MX_PARAM_DTYPE          /* int, a type flag */
} mx_param_type;

typedef struct mx_param {
  const char *name;
  mx_param_type type;
  size_t offset;       /* of the member in the parameter struct */
  const char *initial; /* the default, as a Python literal; NULL: required */
  const char *doc;
} mx_param;

/* One call of an operator on its way through the stages. */
typedef struct mx_call {
  const struct mx_op *op;
  void *param; /* the parameter struct, parsed; a stage may replace what was given by what it worked out */
  int num_inputs;
  mx_ndarray *inputs[MX_MAX_INPUTS];
  int num_outputs;
  mx_shape output_shapes[MX_MAX_OUTPUTS]; /* infer_shape writes them */
  int output_dtypes[MX_MAX_OUTPUTS];      /* infer_type writes them */
  mx_ndarray *outputs[MX_MAX_OUTPUTS];    /* forward writes every element */
} mx_call;

typedef struct mx_op {
  const char *name;
  const char *doc; /* first line: what it does; then paragraphs as numpydoc has them */
  int num_inputs;
  const char *const *input_names;
  int num_outputs;
  int num_params;
  const mx_param *params;
  size_t param_size; /* of the parameter struct */
  int (*infer_shape)(mx_call *call);
  int (*infer_type)(mx_call *call);
  int (*forward)(mx_call *call);
} mx_op;

#define MX_LENGTH(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* All operators in alphabetical order (op_table.c). */
extern const mx_op *const mx_ops[];
extern const int mx_num_ops;

/* The operator of that name. */
int mx_op_find(const char *name, const mx_op **out);

/* What MXListAllOpNames and MXOpGetInfo tell. */
int mx_op_list(int *out_size, const char *const **out_names);
int mx_op_describe(const char *name, const MXOpInfo **out);

/* Writes the parameter struct of a call from texts, and from the defaults (param.c). */
int mx_params_parse(const mx_op *op, int count, const char *const *keys, const char *const *values,
                    void *out);

/* What a parameter accepts, as users read it: "float", "tuple of int or None", "dtype". */
const char *mx_param_type_name(mx_param_type type);

/* Passes a call with its operator, inputs and parameters through the stages; fills call->outputs. */
int mx_invoke(mx_call *call, int num_params, const char *const *keys, const char *const *values);

#endif
