/* var.c: the order of reads and writes, and the errors that take the place of values. */
#include "var.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order ---- */

static void grant(mx_access *access, mx_granted *granted) {
  access->granted = true;
  granted(access);
}

void mx_access_queue(mx_access *access, mx_granted *granted) {
  mx_var *var = access->var;
  const bool reads_beside = !access->writes && atomic_load(&var->writes) == 0;
  access->granted = false;
  access->next = NULL;
  access->previous = var->last;
  if (var->last != NULL)
    var->last->next = access;
  else
    var->first = access;
  var->last = access;
  if (access->writes) atomic_fetch_add(&var->writes, 1);
  if (reads_beside || var->first == access) grant(access, granted);
}

void mx_access_end(mx_access *access, mx_granted *granted) {
  mx_var *var = access->var;
  if (access->previous != NULL)
    access->previous->next = access->next;
  else
    var->first = access->next;
  if (access->next != NULL)
    access->next->previous = access->previous;
  else
    var->last = access->previous;
  if (access->writes) atomic_fetch_sub(&var->writes, 1);

  mx_access *next = var->first;
  if (next == NULL || next->granted) return; /* reads go on, or nobody waits */
  if (next->writes)
    grant(next, granted);
  else
    for (; next != NULL && !next->writes; next = next->next) grant(next, granted);
}

/* ---- records, of which only those parts are kept that are in use ---- */

enum { NUM_PARTS = 5 };

typedef struct part {
  size_t offset, size;
} part;

/* The parts of a record; the first one says how large the others are. */
static void find_parts(const mxerr_record *record, part parts[NUM_PARTS]) {
  parts[0] = (part){0, offsetof(mxerr_record, frames)};
  parts[1] = (part){offsetof(mxerr_record, frames), record->frame_count * sizeof record->frames[0]};
  parts[2] = (part){offsetof(mxerr_record, values), record->value_count * sizeof record->values[0]};
  parts[3] =
      (part){offsetof(mxerr_record, attributes), record->attribute_count * sizeof record->attributes[0]};
  parts[4] = (part){offsetof(mxerr_record, text), record->text_size};
}

static size_t packed_size(const mxerr_record *record) {
  part parts[NUM_PARTS];
  size_t size = 0;
  find_parts(record, parts);
  for (int i = 0; i < NUM_PARTS; i++) size += parts[i].size;
  return size;
}

static void pack(const mxerr_record *record, char *to) {
  part parts[NUM_PARTS];
  find_parts(record, parts);
  for (int i = 0; i < NUM_PARTS; to += parts[i++].size)
    memcpy(to, (const char *)record + parts[i].offset, parts[i].size);
}

static void unpack(const char *from, mxerr_record *record) {
  part parts[NUM_PARTS];
  memcpy(record, from, offsetof(mxerr_record, frames));
  find_parts(record, parts);
  for (int i = 0; i < NUM_PARTS; from += parts[i++].size)
    memcpy((char *)record + parts[i].offset, from, parts[i].size);
}

/* ---- faults ---- */

/* Whether a record stands for an exception of the host. */
static bool has_exception(const mxerr_record *record) {
  for (uint32_t i = 0; i < record->attribute_count; i++)
    if (strcmp(mxerr_text(record, record->attributes[i].name), MX_EXCEPTION_ATTRIBUTE) == 0) return true;
  return false;
}

mx_fault *mx_fault_take(void) {
  const mxerr_record *record = mxerr_record_peek();
  mx_fault *fault = record != NULL ? malloc(sizeof *fault + packed_size(record)) : NULL;
  if (fault == NULL) return NULL;
  atomic_init(&fault->count, 1);
  fault->is_kept = false;
  fault->counted_in = 0;
  fault->exception = has_exception(record) ? mx_exception_take() : NULL;
  pack(record, fault->record);
  mxerr_record_clear();
  return fault;
}

int mx_fault_raise(mx_fault *fault) {
  mxerr_record record;
  if (fault == NULL) return 0;
  unpack(fault->record, &record);
  mxerr_record_set(&record);
  mx_exception_raise_again(fault->exception);
  mx_fault_release(fault);
  return MXERR_FAILURE;
}

mx_fault *mx_fault_retain(mx_fault *fault) {
  if (fault != NULL) atomic_fetch_add(&fault->count, 1);
  return fault;
}

void mx_fault_release(mx_fault *fault) {
  if (fault == NULL || atomic_fetch_sub(&fault->count, 1) > 1) return;
  mx_exception_release(fault->exception);
  free(fault);
}

void mx_var_set_fault(mx_var *var, mx_fault *fault) { mx_fault_release(atomic_exchange(&var->fault, fault)); }
