/*
 * fork.c: a fork copies the process as it is, with the forking thread alone. No other thread may then hold a
 * lock of ours, which nobody would give back, or be in the middle of what the lock keeps together.
 */
#include <pthread.h>

#include "engine.h"
#include "instrument.h"
#include "ops/custom.h"
#include "random.h"

static void before(void) {
  mx_engine_lock();
  mx_customs_lock();
  mx_handles_lock();
  mx_fail_points_lock();
  mx_trace_lock();
  mx_random_lock();
}

static void unlock_all_but_the_engine(void) {
  mx_random_unlock();
  mx_trace_unlock();
  mx_fail_points_unlock();
  mx_handles_unlock();
  mx_customs_unlock();
}

static void after_in_parent(void) {
  unlock_all_but_the_engine();
  mx_engine_unlock();
}

static void after_in_child(void) {
  unlock_all_but_the_engine();
  mx_engine_forked();
}

__attribute__((constructor)) static void ask_to_be_told(void) {
  mx_engine_prepare();
  pthread_atfork(before, after_in_parent, after_in_child);
}
