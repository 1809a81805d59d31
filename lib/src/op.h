/*
 * op.h: what an operator is.
 *
 * An operator is one file in ops/ with one descriptor, mx_op_NAME. A call of it passes the stages parse,
 * infer_shape, infer_type, allocate and forward; parse and allocate are the same for all (invoke.c). The stages
 * up to infer_type look at shapes and types alone: elements may still be on their way (engine.h), and forward may
 * run on another thread.
 */
#ifndef MXERR_OP_H
#define MXERR_OP_H

#include "ndarray.h"
#include "param.h"

/* As a number of inputs: one or more, given as one list. */
#define MX_VARIADIC (-1)

/* The most outputs that a call has; before there is room for them, as a parameter says how many. */
enum { MX_MAX_OUTPUTS = 1024 };

/* The stages of a call, in their order. */
typedef enum mx_stage {
  MX_STAGE_PARSE,
  MX_STAGE_INFER_SHAPE,
  MX_STAGE_INFER_TYPE,
  MX_STAGE_ALLOCATE,
  MX_STAGE_FORWARD,
  MX_NUM_STAGES
} mx_stage;

/* An output on its way: infer_shape writes the shape, infer_type the type; forward fills the array. */
typedef struct mx_output {
  mx_shape shape;
  int dtype;
  mx_ndarray *array; /* declared before allocate; zeros until forward */
} mx_output;

/* What becomes of a stage: fail points decide. */
typedef enum mx_fate { MX_FATE_FAIL = MXERR_FAILURE, MX_FATE_LEFT_OUT = 0, MX_FATE_RUN = 1 } mx_fate;

/* One call of an operator on its way through the stages. */
typedef struct mx_call {
  const struct mx_op *op;
  void *
      param; /* the parameter struct, parsed; a stage may put what it worked out in place of what was given */
  int num_inputs;
  mx_ndarray **inputs;
  int num_outputs;
  mx_output *outputs;
  mx_ndarray *out;        /* an array of the caller's that takes the result, or NULL */
  mx_output first_output; /* what `outputs` points to, unless mx_call_set_outputs asked for more */
  mx_fate fate;           /* of the stage that begins */
  bool is_queued;         /* it runs on a worker of the engine */
  mx_stage planned_stage; /* where a queued call is to fail, or be left out, for a fail point */
  mx_fate planned;
  mx_fault *planned_error;
} mx_call;

typedef struct mx_op {
  const char *name;
  const char *doc; /* first line: what it does; then paragraphs and sections as numpydoc has them */
  int num_inputs;  /* or MX_VARIADIC: then there is one input name, of the list */
  const char *const *input_names;
  bool takes_out;    /* the result can go into an array that is there: NumPy's `out` */
  bool many_outputs; /* the result is a list; infer_shape calls mx_call_set_outputs */
  int num_params;
  const mx_param *params;
  size_t param_size; /* of the parameter struct */
  int (*infer_shape)(mx_call *call);
  int (*infer_type)(mx_call *call);
  int (*forward)(mx_call *call);
  bool draws;      /* takes from the stream of random numbers, one call after the other */
  bool calls_back; /* forward runs functions of the program, which may wait for other operators */
} mx_op;

#define MX_LENGTH(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* All operators in alphabetical order (op_table.c). */
extern const mx_op *const mx_ops[];
extern const int mx_num_ops;

/* The operator of that name. */
int mx_op_find(const char *name, const mx_op **out);

/* The place of an operator in mx_ops. */
int mx_op_number(const mx_op *op);

/* What MXListAllOpNames and MXOpGetInfo tell. */
int mx_op_list(int *out_size, const char *const **out_names);
int mx_op_describe(const char *name, const MXOpInfo **out);

/* "parse", "infer_shape", ... */
const char *mx_stage_name(mx_stage stage);

/* Makes room for the outputs of an operator with many_outputs; invoke.c frees it. To be called once. */
int mx_call_set_outputs(mx_call *call, int count);

/*
 * Passes a call with its operator, inputs and `out` through the stages: then each output has its array, which the
 * caller owns. With the threaded engine the last two stages are queued. Afterwards, whether it failed or not,
 * mx_call_end.
 */
int mx_invoke(mx_call *call, int num_params, const char *const *keys, const char *const *values);

/* The last two stages: allocate and forward. */
int mx_call_run(mx_call *call);

/* Gives back what the call holds: parameters, room for outputs, and the arrays that are still in it. */
void mx_call_end(mx_call *call);

#endif
