/*
 * handle.c: the table behind array handles.
 *
 * A handle holds the number of its slot and how often that slot was used before, so a freed, doubled or made-up
 * handle is told from a live one without touching memory that is not ours.
 */
#include <pthread.h>
#include <stdlib.h>

#include "ndarray.h"

_Static_assert(sizeof(NDArrayHandle) == 8, "a handle holds two 32-bit numbers");

typedef struct slot {
  mx_ndarray *array;  /* NULL: free */
  uint32_t uses;      /* of the slot, up to now; the upper half of its handle */
  uint32_t next_free; /* the next free slot + 1; 0: none */
} slot;

static struct {
  pthread_mutex_t lock;
  slot *slots;
  uint32_t count, capacity;
  uint32_t first_free; /* + 1 */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static NDArrayHandle pack(uint32_t index, uint32_t uses) {
  return (NDArrayHandle)(uintptr_t)((uint64_t)uses << 32 | (index + 1));
}

/* The slot of a live handle or NULL; the table is locked. */
static slot *find(NDArrayHandle handle) {
  const uint64_t number = (uintptr_t)handle;
  const uint32_t index = (uint32_t)number - 1; /* wraps for 0, and then is past the end */
  if (index >= table.count) return NULL;
  slot *found = &table.slots[index];
  return found->array != NULL && found->uses == number >> 32 ? found : NULL;
}

/* A free slot, or NULL where there is no memory for one; the table is locked. */
static slot *reserve(void) {
  if (table.first_free != 0) {
    slot *reused = &table.slots[table.first_free - 1];
    table.first_free = reused->next_free;
    return reused;
  }
  if (table.count == table.capacity) {
    const uint32_t capacity = table.capacity > 0 ? 2 * table.capacity : 256;
    slot *slots = capacity > table.capacity ? realloc(table.slots, (size_t)capacity * sizeof *slots) : NULL;
    if (slots == NULL) return NULL;
    table.slots = slots;
    table.capacity = capacity;
  }
  table.slots[table.count] = (slot){NULL, 0, 0};
  return &table.slots[table.count++];
}

int mx_handle_create(mx_ndarray *array, NDArrayHandle *out) {
  pthread_mutex_lock(&table.lock);
  slot *reserved = reserve();
  if (reserved != NULL) {
    reserved->array = array;
    reserved->uses++;
    *out = pack((uint32_t)(reserved - table.slots), reserved->uses);
  }
  pthread_mutex_unlock(&table.lock);
  MXERR_CHECK(reserved != NULL, "MemoryError: cannot allocate an array handle");
  return 0;
}

int mx_handle_borrow(NDArrayHandle handle, mx_ndarray **out) {
  MXERR_CHECK_NE(handle, NULL, "ValueError: the array handle is NULL");
  pthread_mutex_lock(&table.lock);
  const slot *found = find(handle);
  if (found != NULL) {
    mx_ndarray_retain(found->array);
    *out = found->array;
  }
  pthread_mutex_unlock(&table.lock);
  MXERR_CHECK(found != NULL, "ValueError: the array handle was freed, or never made");
  return 0;
}

int mx_handle_free(NDArrayHandle handle) {
  mx_ndarray *array = NULL;
  if (handle == NULL) return 0;
  pthread_mutex_lock(&table.lock);
  slot *found = find(handle);
  if (found != NULL) {
    array = found->array;
    found->array = NULL;
    if (found->uses < UINT32_MAX) { /* else its next handle would be its first one again */
      found->next_free = table.first_free;
      table.first_free = (uint32_t)(found - table.slots) + 1;
    }
  }
  pthread_mutex_unlock(&table.lock);
  MXERR_CHECK(array != NULL, "ValueError: the array handle was freed already, or never made");
  mx_ndarray_release(array);
  return 0;
}

void mx_handles_lock(void) { pthread_mutex_lock(&table.lock); }
void mx_handles_unlock(void) { pthread_mutex_unlock(&table.lock); }
