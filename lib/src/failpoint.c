/* failpoint.c: errors that testers put into the stages of operators. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument.h"

enum { MESSAGE_MAX = 512, NAME_MAX_SIZE = 96 };

typedef struct fail_point {
  char name[NAME_MAX_SIZE];
  char message[MESSAGE_MAX];
  int after; /* passes that go well before the first failure */
  int times; /* failures that are left; -1: no end */
  bool armed;
} fail_point;

static struct {
  pthread_mutex_t lock;
  pthread_once_t named;
  fail_point *points; /* MX_NUM_STAGES for each operator, in the order of mx_ops */
  const char **names;
  int count, armed;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .named = PTHREAD_ONCE_INIT};

static void name_all(void) {
  const int count = mx_num_ops * MX_NUM_STAGES;
  table.points = calloc((size_t)count, sizeof table.points[0]);
  table.names = calloc((size_t)count, sizeof table.names[0]);
  if (table.points == NULL || table.names == NULL) return;
  for (int i = 0; i < count; i++) {
    fail_point *point = &table.points[i];
    snprintf(point->name, sizeof point->name, "%s.%s", mx_ops[i / MX_NUM_STAGES]->name,
             mx_stage_name((mx_stage)(i % MX_NUM_STAGES)));
    table.names[i] = point->name;
  }
  table.count = count;
}

int mx_fail_point_list(int *out_size, const char *const **out_names) {
  MXERR_CHECK(out_size != NULL && out_names != NULL, "ValueError: the result pointer is NULL");
  pthread_once(&table.named, name_all);
  *out_size = table.count;
  *out_names = table.names;
  return 0;
}

static int find(const char *name, fail_point **out) {
  MXERR_CHECK(name != NULL, "ValueError: the fail point's name is NULL");
  pthread_once(&table.named, name_all);
  for (int i = 0; i < table.count; i++)
    if (strcmp(table.names[i], name) == 0) {
      *out = &table.points[i];
      return 0;
    }
  const char *nearest = mx_nearest(name, table.count, table.names);
  MXERR_FAIL("ValueError: there is no fail point '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
             nearest ? nearest : "", nearest ? "'?" : "");
}

static void arm(fail_point *point, bool armed) {
  table.armed += armed - point->armed;
  point->armed = armed;
  if (table.armed > 0)
    mx_instruments_add(MX_FAIL_POINTS);
  else
    mx_instruments_remove(MX_FAIL_POINTS);
}

static bool is_forward(const fail_point *point) {
  return (point - table.points) % MX_NUM_STAGES == MX_STAGE_FORWARD;
}

int mx_fail_point_set(const char *name, const char *message, int after, int times) {
  fail_point *point;
  MXERR_TRY(find(name, &point));
  MXERR_CHECK(message != NULL, "ValueError: the fail point's message is NULL");
  MXERR_CHECK_LT(strlen(message), MESSAGE_MAX, "ValueError: the fail point's message is too long");
  MXERR_CHECK(message[0] != '\0' || !is_forward(point),
              "ValueError: forward cannot be left out, as nothing finds what it did not write");
  MXERR_CHECK_GE(after, 0, "ValueError: a fail point cannot come before the first pass");
  MXERR_CHECK(times > 0 || times == -1,
              "ValueError: a fail point fails once or more, or -1 times for ever; got %d", times);
  pthread_mutex_lock(&table.lock);
  strcpy(point->message, message);
  point->after = after;
  point->times = times;
  arm(point, true);
  pthread_mutex_unlock(&table.lock);
  return 0;
}

int mx_fail_point_clear(const char *name) {
  fail_point *point;
  MXERR_TRY(find(name, &point));
  pthread_mutex_lock(&table.lock);
  arm(point, false);
  pthread_mutex_unlock(&table.lock);
  return 0;
}

/* Copies the message of a point that is due now; the table is locked. */
static bool due(fail_point *point, char message[MESSAGE_MAX]) {
  if (!point->armed) return false;
  if (point->after > 0) return point->after--, false;
  strcpy(message, point->message);
  if (point->times > 0 && --point->times == 0) arm(point, false);
  return true;
}

mx_fate mx_fail_point(const mx_op *op, mx_stage stage) {
  char message[MESSAGE_MAX];
  fail_point *point = &table.points[mx_op_number(op) * MX_NUM_STAGES + (int)stage];
  pthread_mutex_lock(&table.lock);
  const bool fails = due(point, message);
  pthread_mutex_unlock(&table.lock);
  if (!fails) return MX_FATE_RUN;
  if (message[0] == '\0') return MX_FATE_LEFT_OUT;
  mxerr_fail_text(__FILE__, __LINE__, point->name, message);
  return MX_FATE_FAIL;
}

void mx_fail_points_lock(void) { pthread_mutex_lock(&table.lock); }
void mx_fail_points_unlock(void) { pthread_mutex_unlock(&table.lock); }
