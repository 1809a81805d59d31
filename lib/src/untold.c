/* untold.c: errors of queued calls that nobody was told of yet. */
#include "untold.h"

enum { MAX_UNTOLD = 64 };

static struct {
  mx_fault *faults[MAX_UNTOLD]; /* the oldest first */
  int size;
  int64_t counted; /* more of them, for which there was no room */
  int64_t round;   /* of telling all */
} untold = {.round = 1};

void mx_untold_add(mx_fault *fault) {
  if (fault->is_kept || fault->counted_in == untold.round) return;
  fault->is_kept = untold.size < MAX_UNTOLD;
  if (fault->is_kept) {
    untold.faults[untold.size++] = mx_fault_retain(fault);
  } else {
    fault->counted_in = untold.round;
    untold.counted++;
  }
}

void mx_untold_tell(mx_fault *fault) {
  untold.counted -= fault->counted_in == untold.round;
  fault->counted_in = 0;
  if (!fault->is_kept) return;
  fault->is_kept = false;
  int i = 0;
  while (untold.faults[i] != fault) i++;
  for (untold.size--; i < untold.size; i++) untold.faults[i] = untold.faults[i + 1];
  mx_fault_release(fault); /* the caller has a count of its own, or needs none any more */
}

mx_fault *mx_untold_tell_all(int64_t *out_errors) {
  mx_fault *oldest = untold.size > 0 ? mx_fault_retain(untold.faults[0]) : NULL;
  *out_errors = untold.size + untold.counted;
  while (untold.size > 0) mx_untold_tell(untold.faults[0]);
  untold.counted = 0;
  untold.round++;
  return oldest;
}
