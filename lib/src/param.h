/*
 * param.h: parameters of operators. They come as the texts that Python prints of their values, and are parsed
 * into the operator's parameter struct by its table of parameters.
 */
#ifndef MXERR_PARAM_H
#define MXERR_PARAM_H

#include "ndarray.h"

/* A number that may be None. */
typedef struct mx_optional_int {
  bool given;
  int64_t value;
} mx_optional_int;

typedef struct mx_optional_float {
  bool given;
  double value;
} mx_optional_float;

/* One part of an index expression: a number, a slice, "..." or None. */
typedef struct mx_key_item {
  enum { MX_KEY_INT, MX_KEY_SLICE, MX_KEY_ELLIPSIS, MX_KEY_NEW_AXIS } type;
  mx_optional_int start; /* the number itself, of a number */
  mx_optional_int stop;
  mx_optional_int step;
} mx_key_item;

/* What an operator has at most; tests/native/test_op_table.c holds the descriptors to it. */
enum { MX_MAX_PARAMS = 32 };

enum { MX_LENGTH_OF_KEY = 2 * MX_MAX_NDIM };

/* An index expression, as between the brackets of Python. */
typedef struct mx_key {
  int count;
  mx_key_item items[MX_LENGTH_OF_KEY];
} mx_key;

/* A number that remembers whether it was written as an integer; `real` holds it either way. */
typedef struct mx_number {
  bool is_int;
  int64_t integer;
  double real;
} mx_number;

/* Either a number, or a list of numbers. */
typedef struct mx_sections {
  bool is_number;
  int64_t number;
  mx_shape list;
} mx_sections;

/* What a parameter is, and the C type of its member in the operator's parameter struct. */
typedef enum mx_param_type {
  MX_PARAM_BOOL,          /* bool */
  MX_PARAM_INT,           /* int64_t */
  MX_PARAM_INT_OR_NONE,   /* mx_optional_int */
  MX_PARAM_FLOAT,         /* double */
  MX_PARAM_FLOAT_OR_NONE, /* mx_optional_float */
  MX_PARAM_SHAPE,         /* mx_shape; one number is a list of one */
  MX_PARAM_SHAPE_OR_NONE, /* mx_shape, with ndim -1 for None */
  MX_PARAM_DTYPE,         /* int, a type flag */
  MX_PARAM_DTYPE_OR_NONE, /* int, -1 for None */
  MX_PARAM_NUMBER,        /* mx_number */
  MX_PARAM_SECTIONS,      /* mx_sections */
  MX_PARAM_TEXT,          /* const char *, owned by the call */
  MX_PARAM_KEY            /* mx_key */
} mx_param_type;

typedef struct mx_param {
  const char *name;
  mx_param_type type;
  size_t offset;       /* of the member in the parameter struct */
  const char *initial; /* the default, as a Python literal; NULL: required */
  const char *doc;
} mx_param;

struct mx_op;

/*
 * Writes the parameter struct of an operator from texts, and from the defaults for what is not given. Texts
 * of MX_PARAM_TEXT point into `values`.
 */
int mx_params_parse(const struct mx_op *op, int count, const char *const *keys, const char *const *values,
                    void *out);

/* What a parameter accepts, as users read it: "float", "tuple of int or None", "dtype". */
const char *mx_param_type_name(mx_param_type type);

/* The text of `choices` that is nearest to `text` by edit distance, or NULL where none is near. */
const char *mx_nearest(const char *text, int count, const char *const *choices);

#endif
