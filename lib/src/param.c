/* param.c: the parse stage: parameters come as the texts that Python prints of their values. */
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

const char *mx_param_type_name(mx_param_type type) {
  static const char *const names[] = {
      [MX_PARAM_FLOAT] = "float",
      [MX_PARAM_SHAPE_OR_NONE] = "tuple of int or None",
      [MX_PARAM_DTYPE] = "dtype",
  };
  return names[type];
}

static const char *skip_space(const char *text) { return text + strspn(text, " "); }

static bool at_end(const char *text) { return *skip_space(text) == '\0'; }

static bool parse_integer(const char **text, int64_t *out) {
  char *end;
  *text = skip_space(*text);
  errno = 0;
  const long long number = strtoll(*text, &end, 10);
  if (end == *text || errno == ERANGE) return false;
  *text = skip_space(end);
  *out = number;
  return true;
}

/* strtod reads what the process's locale takes for a decimal point; the texts always have a point. */
static pthread_once_t plain_made = PTHREAD_ONCE_INIT;
static locale_t plain;

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static bool parse_float(const char *text, double *out) {
  char *end;
  pthread_once(&plain_made, make_plain);
  const locale_t previous = uselocale(plain); /* nothing changes where there is no memory for a locale */
  *out = strtod(text, &end);
  uselocale(previous);
  return end != text && at_end(end);
}

/* "(3, 4)", "[3, 4]", "(3,)", "()", "3" or "None". */
static bool parse_shape(const char *text, mx_shape *out) {
  text = skip_space(text);
  out->ndim = 0;
  if (strncmp(text, "None", 4) == 0) {
    out->ndim = -1;
    return at_end(text + 4);
  }
  const char close = *text == '(' ? ')' : *text == '[' ? ']' : '\0';
  if (close == '\0') {
    out->ndim = 1;
    return parse_integer(&text, &out->dim[0]) && at_end(text);
  }
  text = skip_space(text + 1);
  while (*text != close) {
    if (out->ndim == MX_MAX_NDIM || !parse_integer(&text, &out->dim[out->ndim])) return false;
    out->ndim++;
    if (*text != ',' && *text != close) return false;
    if (*text == ',') text = skip_space(text + 1);
  }
  return at_end(text + 1);
}

static bool parse_value(const mx_param *param, const char *text, void *out) {
  void *member = (char *)out + param->offset;
  switch (param->type) {
    case MX_PARAM_FLOAT: return parse_float(text, member);
    case MX_PARAM_SHAPE_OR_NONE: return parse_shape(text, member);
    case MX_PARAM_DTYPE: return (*(int *)member = mx_dtype_from_name(text)) >= 0;
  }
  return false;
}

static int find_param(const mx_op *op, const char *key, int *out) {
  for (int i = 0; i < op->num_params; i++)
    if (strcmp(op->params[i].name, key) == 0) {
      *out = i;
      return 0;
    }
  MXERR_FAIL("AttributeError: %s: there is no parameter '%s'", op->name, key);
}

static int set_param(const mx_op *op, const mx_param *param, const char *text, void *out) {
  MXERR_CHECK(parse_value(param, text, out), "TypeError: %s: parameter '%s': expected %s, got '%s'", op->name,
              param->name, mx_param_type_name(param->type), text);
  return 0;
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
