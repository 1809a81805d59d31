/* param_text.c: a reader for the few literals of Python that parameters are. */
#include "param_text.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *text) { return text + strspn(text, " "); }

static bool at_end(const char *text) { return *skip_space(text) == '\0'; }

/* Moves *text behind `word`, if that comes next. */
static bool take(const char **text, const char *word) {
  const char *begin = skip_space(*text);
  const size_t size = strlen(word);
  if (strncmp(begin, word, size) != 0) return false;
  *text = begin + size;
  return true;
}

static bool take_int(const char **text, int64_t *out) {
  char *end;
  errno = 0;
  const long long number = strtoll(*text, &end, 10);
  if (end == *text || errno == ERANGE) return false;
  *text = skip_space(end);
  *out = number;
  return true;
}

bool mx_read_none(const char *text) { return take(&text, "None") && at_end(text); }

bool mx_read_bool(const char *text, bool *out) {
  *out = take(&text, "True");
  return (*out || take(&text, "False")) && at_end(text);
}

bool mx_read_int(const char *text, int64_t *out) { return take_int(&text, out) && at_end(text); }

/* strtod reads what the process's locale takes for a decimal point; the texts always have a point. */
static pthread_once_t plain_made = PTHREAD_ONCE_INIT;
static locale_t plain;

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

bool mx_read_float(const char *text, double *out) {
  char *end;
  pthread_once(&plain_made, make_plain);
  const locale_t previous = uselocale(plain); /* nothing changes where there is no memory for a locale */
  *out = strtod(text, &end);
  uselocale(previous);
  return end != text && at_end(end);
}

/* "(3, 4)", "[3, 4]", "(3,)", "()", "3" or "None". */
bool mx_read_shape(const char *text, mx_shape *out) {
  out->ndim = -1;
  if (mx_read_none(text)) return true;
  const char *close = take(&text, "(") ? ")" : take(&text, "[") ? "]" : NULL;
  if (close == NULL) {
    out->ndim = 1;
    return mx_read_int(text, &out->dim[0]);
  }
  out->ndim = 0;
  while (!take(&text, close)) {
    if (out->ndim == MX_MAX_NDIM || !take_int(&text, &out->dim[out->ndim])) return false;
    out->ndim++;
    if (!take(&text, ",") && *text != *close) return false;
  }
  return at_end(text);
}

bool mx_read_dtype(const char *text, int *out) {
  *out = mx_dtype_from_name(text);
  return *out >= 0;
}

/* A part of a slice: a number or nothing. */
static bool take_bound(const char **text, mx_optional_int *out) {
  out->given = take_int(text, &out->value);
  return out->given || **text == ':' || **text == ',' || **text == '\0';
}

static bool take_item(const char **text, mx_key_item *out) {
  *out = (mx_key_item){.type = MX_KEY_INT};
  *text = skip_space(*text);
  if (take(text, "...")) return out->type = MX_KEY_ELLIPSIS, true;
  if (take(text, "None")) return out->type = MX_KEY_NEW_AXIS, true;
  if (!take_bound(text, &out->start)) return false;
  if (!take(text, ":")) return out->start.given;
  out->type = MX_KEY_SLICE;
  *text = skip_space(*text);
  if (!take_bound(text, &out->stop)) return false;
  return !take(text, ":") || (*text = skip_space(*text), take_bound(text, &out->step));
}

/* "1, 2:5:-1, ..., None, :"; an empty text is an empty key. */
bool mx_read_key(const char *text, mx_key *out) {
  out->count = 0;
  if (at_end(text)) return true;
  do {
    if (out->count == MX_LENGTH_OF_KEY || !take_item(&text, &out->items[out->count])) return false;
    out->count++;
  } while (take(&text, ","));
  return at_end(text);
}
