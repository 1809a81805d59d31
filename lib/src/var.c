/* var.c: the order of reads and writes, and the errors that take the place of values. */
#include "var.h"

#include <stdlib.h>

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

/* ---- faults ---- */

mx_fault *mx_fault_take(void) {
  mx_fault *fault = malloc(sizeof *fault);
  mxerr_record *record = fault != NULL ? mxerr_record_take() : NULL;
  if (record == NULL) {
    free(fault);
    return NULL;
  }
  atomic_init(&fault->count, 1);
  fault->record = record;
  fault->is_kept = false;
  fault->counted_in = 0;
  return fault;
}

int mx_fault_raise(mx_fault *fault) {
  if (fault == NULL) return 0;
  mxerr_record_set(fault->record);
  mx_fault_release(fault);
  return MXERR_FAILURE;
}

mx_fault *mx_fault_retain(mx_fault *fault) {
  if (fault != NULL) atomic_fetch_add(&fault->count, 1);
  return fault;
}

void mx_fault_release(mx_fault *fault) {
  if (fault == NULL || atomic_fetch_sub(&fault->count, 1) > 1) return;
  mxerr_record_free(fault->record);
  free(fault);
}

void mx_var_set_fault(mx_var *var, mx_fault *fault) { mx_fault_release(atomic_exchange(&var->fault, fault)); }
