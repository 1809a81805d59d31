/* param.c: the parse stage of every operator: texts by name become its parameter struct. */
#include "param.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "param_text.h"

enum { MAX_NAME = 64 };

const char *mx_param_type_name(mx_param_type type) {
  static const char *const names[] = {
      [MX_PARAM_BOOL] = "bool",
      [MX_PARAM_INT] = "int",
      [MX_PARAM_INT_OR_NONE] = "int or None",
      [MX_PARAM_FLOAT] = "float",
      [MX_PARAM_FLOAT_OR_NONE] = "float or None",
      [MX_PARAM_SHAPE] = "tuple of int",
      [MX_PARAM_SHAPE_OR_NONE] = "tuple of int or None",
      [MX_PARAM_DTYPE] = "dtype",
      [MX_PARAM_DTYPE_OR_NONE] = "dtype or None",
      [MX_PARAM_NUMBER] = "int or float",
      [MX_PARAM_SECTIONS] = "int or tuple of int",
      [MX_PARAM_TEXT] = "str",
      [MX_PARAM_KEY] = "index expression",
  };
  return names[type];
}

static bool read_value(mx_param_type type, const char *text, void *out) {
  switch (type) {
    case MX_PARAM_BOOL: return mx_read_bool(text, out);
    case MX_PARAM_INT: return mx_read_int(text, out);
    case MX_PARAM_INT_OR_NONE: {
      mx_optional_int *number = out;
      *number = (mx_optional_int){false, 0};
      return mx_read_none(text) || (number->given = mx_read_int(text, &number->value));
    }
    case MX_PARAM_FLOAT: return mx_read_float(text, out);
    case MX_PARAM_FLOAT_OR_NONE: {
      mx_optional_float *number = out;
      *number = (mx_optional_float){false, 0};
      return mx_read_none(text) || (number->given = mx_read_float(text, &number->value));
    }
    case MX_PARAM_SHAPE: return mx_read_shape(text, out) && ((mx_shape *)out)->ndim >= 0;
    case MX_PARAM_SHAPE_OR_NONE: return mx_read_shape(text, out);
    case MX_PARAM_DTYPE: return mx_read_dtype(text, out);
    case MX_PARAM_DTYPE_OR_NONE:
      return mx_read_dtype(text, out) || mx_read_none(text); /* the flag is -1 then */
    case MX_PARAM_NUMBER: {
      mx_number *number = out;
      number->is_int = mx_read_int(text, &number->integer);
      return mx_read_float(text, &number->real);
    }
    case MX_PARAM_SECTIONS: {
      mx_sections *sections = out;
      sections->is_number = mx_read_int(text, &sections->number);
      return sections->is_number || (mx_read_shape(text, &sections->list) && sections->list.ndim >= 0);
    }
    case MX_PARAM_TEXT: *(const char **)out = text; return true;
    case MX_PARAM_KEY: return mx_read_key(text, out);
  }
  return false;
}

/* ---- the nearest name ---- */

/* Levenshtein's distance by rows; names that are too long are far. */
static int distance(const char *a, const char *b) {
  const int size_a = (int)strnlen(a, MAX_NAME), size_b = (int)strnlen(b, MAX_NAME);
  int row[MAX_NAME + 1];
  if (size_a == MAX_NAME || size_b == MAX_NAME) return MAX_NAME;
  for (int j = 0; j <= size_b; j++) row[j] = j;
  for (int i = 1; i <= size_a; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= size_b; j++) {
      const int substituted = diagonal + (a[i - 1] != b[j - 1]), above = row[j];
      int best = substituted < above + 1 ? substituted : above + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = above;
      row[j] = best;
    }
  }
  return row[size_b];
}

const char *mx_nearest(const char *text, int count, const char *const *choices) {
  const char *nearest = NULL;
  int least = (int)strnlen(text, MAX_NAME) / 3 + 2; /* further away is a guess that does not help */
  for (int i = 0; i < count; i++) {
    const int d = distance(text, choices[i]);
    if (d < least) {
      least = d;
      nearest = choices[i];
    }
  }
  return nearest;
}

/* ---- parsing ---- */

static int find_param(const mx_op *op, const char *key, int *out) {
  const char *names[MX_MAX_PARAMS];
  for (int i = 0; i < op->num_params; i++) {
    names[i] = op->params[i].name;
    if (strcmp(names[i], key) == 0) {
      *out = i;
      return 0;
    }
  }
  const char *nearest = mx_nearest(key, op->num_params, names);
  MXERR_FAIL("AttributeError: %s: there is no parameter '%s'%s%s%s", op->name, key,
             nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* How a text is put into a message: in quotes, unless it has some, as Python's 'abc' has. */
static const char *quote_for(const char *text) { return strpbrk(text, "'\"") == NULL ? "'" : ""; }

/* Whether a text has an integer that 64 bits do not hold; what has quotes holds words. */
static bool has_huge_integer(const char *text) {
  if (quote_for(text)[0] == '\0') return false;
  for (const char *at = text; (at = strpbrk(at, "0123456789")) != NULL;) {
    char *end;
    errno = 0;
    (void)strtoll(at > text && at[-1] == '-' ? at - 1 : at, &end, 10);
    if (errno == ERANGE) return true;
    at = end;
  }
  return false;
}

/* Whether a key would pick by a list, an array or a mask. */
static bool picks_many(const char *key) {
  return quote_for(key)[0] != '\0' &&
         (strchr(key, '[') != NULL || strstr(key, "True") != NULL || strstr(key, "False") != NULL);
}

/* Whether values of a type are made of integers alone. */
static bool holds_integers(mx_param_type type) {
  return type == MX_PARAM_INT || type == MX_PARAM_INT_OR_NONE || type == MX_PARAM_SHAPE ||
         type == MX_PARAM_SHAPE_OR_NONE || type == MX_PARAM_SECTIONS || type == MX_PARAM_KEY;
}

/* Whether a list has more numbers than there is room for; what is in it may be anything. */
static bool has_too_many(mx_param_type type, const char *text) {
  int commas = 0;
  if (type != MX_PARAM_SHAPE && type != MX_PARAM_SHAPE_OR_NONE && type != MX_PARAM_SECTIONS) return false;
  if (text[strspn(text, "0123456789-,()[] ")] != '\0') return false;
  for (const char *at = text; (at = strchr(at, ',')) != NULL; at++) commas++;
  return commas >= MX_MAX_NDIM;
}

/* Fails for what names no type, with the name that may have been meant. */
static int fail_dtype(const mx_op *op, const mx_param *param, const char *text, const char *quote) {
  const char *names[MX_MAX_DTYPES];
  const char *nearest = mx_nearest(text, mx_dtype_names(names), names);
  MXERR_FAIL("TypeError: %s: parameter '%s': expected %s, got %s%s%s%s%s%s", op->name, param->name,
             mx_param_type_name(param->type), quote, text, quote, nearest ? "; did you mean '" : "",
             nearest ? nearest : "", nearest ? "'?" : "");
}

static int set_param(const mx_op *op, const mx_param *param, const char *text, void *out) {
  if (read_value(param->type, text, (char *)out + param->offset)) return 0;
  const char *quote = quote_for(text);
  if (param->type == MX_PARAM_DTYPE || param->type == MX_PARAM_DTYPE_OR_NONE)
    MXERR_TRY(fail_dtype(op, param, text, quote));
  const bool too_many = has_too_many(param->type, text);
  MXERR_CHECK(!too_many || param->type != MX_PARAM_SECTIONS,
              "NotImplementedError: %s: parameter '%s': more than %d numbers, got '%s'", op->name,
              param->name, MX_MAX_NDIM, text);
  MXERR_CHECK(!too_many, "ValueError: %s: parameter '%s': expected %d numbers at most, got '%s'", op->name,
              param->name, MX_MAX_NDIM, text);
  MXERR_CHECK(!holds_integers(param->type) || !has_huge_integer(text),
              "OverflowError: %s: parameter '%s': expected %s of 64 bits, got '%s'", op->name, param->name,
              mx_param_type_name(param->type), text);
  MXERR_CHECK(
      param->type != MX_PARAM_KEY || !picks_many(text),
      "NotImplementedError: %s: picking by a list, an array or bools is not implemented; expected numbers, "
      "slices, '...' or None, got '%s'",
      op->name, text);
  MXERR_FAIL("TypeError: %s: parameter '%s': expected %s, got %s%s%s", op->name, param->name,
             mx_param_type_name(param->type), quote, text, quote);
}

int mx_params_parse(const mx_op *op, int count, const char *const *keys, const char *const *values,
                    void *out) {
  bool given[MX_MAX_PARAMS] = {false};
  for (int i = 0; i < count; i++) {
    int index;
    MXERR_CHECK(keys[i] != NULL && values[i] != NULL, "ValueError: %s: a parameter's text is NULL", op->name);
    MXERR_TRY(find_param(op, keys[i], &index));
    MXERR_CHECK(!given[index], "TypeError: %s: parameter '%s' is given twice", op->name, keys[i]);
    MXERR_TRY(set_param(op, &op->params[index], values[i], out));
    given[index] = true;
  }
  for (int i = 0; i < op->num_params; i++) {
    const mx_param *param = &op->params[i];
    if (given[i]) continue;
    MXERR_CHECK(param->initial != NULL, "TypeError: %s: parameter '%s' is missing: expected %s", op->name,
                param->name, mx_param_type_name(param->type));
    MXERR_TRY(set_param(op, param, param->initial, out));
  }
  return 0;
}
