/*
 * probe.c: events of the stages of operators, in one ring for each thread.
 *
 * A ring belongs to its thread, which alone writes it; its lock is taken by nobody else but a reader. Rings
 * of threads that have ended are kept until the next start of a trace.
 */
#define _GNU_SOURCE /* syscall */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "instrument.h"

typedef struct ring {
  pthread_mutex_t lock;
  struct ring *next;
  int64_t thread;  /* its native id */
  int64_t written; /* events ever; the oldest are overwritten */
  int capacity;
  MXTraceEvent events[];
} ring;

static struct {
  pthread_mutex_t lock; /* of all but the rings' contents */
  ring *rings;
  int64_t generation;
  int capacity;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local ring *own_ring;
static _Thread_local int64_t own_generation;

atomic_int mx_instruments;

void mx_instruments_add(int instrument) { atomic_fetch_or(&mx_instruments, instrument); }
void mx_instruments_remove(int instrument) { atomic_fetch_and(&mx_instruments, ~instrument); }

/* The system's number of the calling thread, which Python calls its native id. */
static int64_t thread_id(void) {
#if defined(__linux__)
  return syscall(SYS_gettid);
#elif defined(__APPLE__)
  uint64_t id = 0;
  pthread_threadid_np(NULL, &id);
  return (int64_t)id;
#else
  return 0;
#endif
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The calling thread's ring of the present trace; NULL where there is no memory for one. */
static ring *current_ring(void) {
  pthread_mutex_lock(&trace.lock);
  if (own_ring == NULL || own_generation != trace.generation) {
    own_ring = calloc(1, sizeof *own_ring + (size_t)trace.capacity * sizeof own_ring->events[0]);
    own_generation = trace.generation;
    if (own_ring != NULL) {
      pthread_mutex_init(&own_ring->lock, NULL);
      own_ring->thread = thread_id();
      own_ring->capacity = trace.capacity;
      own_ring->next = trace.rings;
      trace.rings = own_ring;
    }
  }
  ring *found = own_ring;
  if (found != NULL) pthread_mutex_lock(&found->lock); /* before a new start can free it */
  pthread_mutex_unlock(&trace.lock);
  return found;
}

void mx_probe(mx_event_type type, const mx_op *op, mx_stage stage) {
  ring *own = current_ring();
  if (own == NULL) return;
  own->events[own->written++ % own->capacity] = (MXTraceEvent){
      .time_ns = now(),
      .thread = own->thread,
      .type = (int)type,
      .op_name = op->name,
      .stage_name = mx_stage_name(stage),
  };
  pthread_mutex_unlock(&own->lock);
}

static void free_rings(void) {
  while (trace.rings != NULL) {
    ring *first = trace.rings;
    trace.rings = first->next;
    pthread_mutex_lock(&first->lock); /* a thread may be writing its last event */
    pthread_mutex_unlock(&first->lock);
    pthread_mutex_destroy(&first->lock);
    free(first);
  }
}

int mx_trace_start(int capacity) {
  MXERR_CHECK_GT(capacity, 0, "ValueError: a trace needs room for one event or more");
  MXERR_CHECK_LE(capacity, 1 << 24, "ValueError: a trace cannot have room for so many events");
  pthread_mutex_lock(&trace.lock);
  free_rings();
  trace.capacity = capacity;
  trace.generation++;
  pthread_mutex_unlock(&trace.lock);
  mx_instruments_add(MX_PROBES);
  return 0;
}

int mx_trace_stop(void) {
  mx_instruments_remove(MX_PROBES);
  return 0;
}

/* Copies the events of a ring, the oldest first, as many as there is room for; returns how many there are. */
static int64_t copy_ring(ring *from, int64_t room, MXTraceEvent *to, int64_t *dropped) {
  pthread_mutex_lock(&from->lock);
  const int64_t kept = from->written < from->capacity ? from->written : from->capacity;
  const int64_t first = from->written - kept;
  for (int64_t i = 0; i < kept && i < room; i++) to[i] = from->events[(first + i) % from->capacity];
  *dropped += first;
  pthread_mutex_unlock(&from->lock);
  return kept;
}

int mx_trace_take(int capacity, MXTraceEvent *events, int *out_size, int64_t *out_dropped) {
  MXERR_CHECK_GE(capacity, 0, "ValueError: the room for events is negative");
  MXERR_CHECK(capacity == 0 || events != NULL, "ValueError: the events are NULL");
  MXERR_CHECK(out_size != NULL && out_dropped != NULL, "ValueError: the result pointer is NULL");
  int64_t size = 0, dropped = 0;
  pthread_mutex_lock(&trace.lock);
  for (ring *each = trace.rings; each != NULL; each = each->next) {
    const int64_t room = size < capacity ? capacity - size : 0;
    size += copy_ring(each, room, room > 0 ? events + size : NULL, &dropped);
  }
  pthread_mutex_unlock(&trace.lock);
  *out_size = (int)(size < INT32_MAX ? size : INT32_MAX);
  *out_dropped = dropped;
  return 0;
}

void mx_trace_lock(void) {
  pthread_mutex_lock(&trace.lock);
  for (ring *each = trace.rings; each != NULL; each = each->next) pthread_mutex_lock(&each->lock);
}

void mx_trace_unlock(void) {
  for (ring *each = trace.rings; each != NULL; each = each->next) pthread_mutex_unlock(&each->lock);
  pthread_mutex_unlock(&trace.lock);
}
