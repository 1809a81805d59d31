/* op_table.c: the operators of the library; the list comes from meson.build. */
#include <pthread.h>
#include <string.h>

#include "op.h"

#define MX_OPERATOR(name) extern const mx_op mx_op_##name;
#include "op_list.inc"
#undef MX_OPERATOR

const mx_op *const mx_ops[] = {
#define MX_OPERATOR(name) &mx_op_##name,
#include "op_list.inc"
#undef MX_OPERATOR
};

const int mx_num_ops = MX_LENGTH(mx_ops);

/* ---- descriptions for the C API ---- */

/* The columns of an operator's parameter table, as MXOpInfo wants them. */
typedef struct description {
  MXOpInfo info;
  const char *names[MX_MAX_PARAMS], *types[MX_MAX_PARAMS], *defaults[MX_MAX_PARAMS], *docs[MX_MAX_PARAMS];
} description;

static const char *op_names[MX_LENGTH(mx_ops)];
static description descriptions[MX_LENGTH(mx_ops)];
static pthread_once_t described = PTHREAD_ONCE_INIT;

static void describe(const mx_op *op, description *out) {
  for (int i = 0; i < op->num_params; i++) {
    out->names[i] = op->params[i].name;
    out->types[i] = mx_param_type_name(op->params[i].type);
    out->defaults[i] = op->params[i].initial;
    out->docs[i] = op->params[i].doc;
  }
  out->info = (MXOpInfo){
      .name = op->name,
      .doc = op->doc,
      .num_inputs = op->num_inputs,
      .many_outputs = op->many_outputs,
      .takes_out = op->takes_out,
      .num_params = op->num_params,
      .input_names = op->input_names,
      .param_names = out->names,
      .param_types = out->types,
      .param_defaults = out->defaults,
      .param_docs = out->docs,
  };
}

static void describe_all(void) {
  for (int i = 0; i < mx_num_ops; i++) {
    op_names[i] = mx_ops[i]->name;
    describe(mx_ops[i], &descriptions[i]);
  }
}

int mx_op_list(int *out_size, const char *const **out_names) {
  MXERR_CHECK(out_size != NULL && out_names != NULL, "ValueError: the result pointer is NULL");
  pthread_once(&described, describe_all);
  *out_size = mx_num_ops;
  *out_names = op_names;
  return 0;
}

/* ---- looking up ---- */

int mx_op_find(const char *name, const mx_op **out) {
  for (int low = 0, high = mx_num_ops; low < high;) {
    const int middle = (low + high) / 2, order = strcmp(name, mx_ops[middle]->name);
    if (order == 0) {
      *out = mx_ops[middle];
      return 0;
    }
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  pthread_once(&described, describe_all);
  const char *nearest = mx_nearest(name, mx_num_ops, op_names);
  MXERR_FAIL("AttributeError: there is no operator '%s'%s%s%s" MXERR_LOCAL("name", "%s"), name,
             nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", name);
}

int mx_op_number(const mx_op *op) {
  int index = 0;
  while (mx_ops[index] != op) index++;
  return index;
}

int mx_op_describe(const char *name, const MXOpInfo **out) {
  const mx_op *op;
  MXERR_CHECK(name != NULL, "ValueError: the operator's name is NULL");
  MXERR_CHECK_NE(out, NULL, "ValueError: the result pointer is NULL");
  MXERR_TRY(mx_op_find(name, &op));
  pthread_once(&described, describe_all);
  *out = &descriptions[mx_op_number(op)].info;
  return 0;
}
