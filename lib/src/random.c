/*
 * random.c: xoshiro256++ by Blackman and Vigna (https://prng.di.unimi.it), seeded through splitmix64; normal
 * numbers by Marsaglia's polar method.
 */
#include "random.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

mx_var mx_random_var;

static struct {
  pthread_mutex_t lock;
  bool seeded;
  uint64_t state[4];
} stream = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

static uint64_t splitmix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void seed_locked(uint64_t seed) {
  for (int i = 0; i < 4; i++) stream.state[i] = splitmix(&seed);
  stream.seeded = true;
}

static void lock(void) {
  pthread_mutex_lock(&stream.lock);
  if (!stream.seeded) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    seed_locked((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec);
  }
}

static uint64_t next(void) {
  uint64_t *s = stream.state;
  const uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

/* 53 random bits: all multiples of 2^-53 in [0, 1) are equally likely. */
static double next_uniform(void) { return (double)(next() >> 11) * 0x1p-53; }

void mx_random_lock(void) { pthread_mutex_lock(&stream.lock); }
void mx_random_unlock(void) { pthread_mutex_unlock(&stream.lock); }

void mx_random_seed(uint64_t seed) {
  pthread_mutex_lock(&stream.lock);
  seed_locked(seed);
  pthread_mutex_unlock(&stream.lock);
}

void mx_random_uniform(double *out, size_t size) {
  lock();
  for (size_t i = 0; i < size; i++) out[i] = next_uniform();
  pthread_mutex_unlock(&stream.lock);
}

void mx_random_normal(double *out, size_t size) {
  lock();
  for (size_t i = 0; i < size; i += 2) {
    double x, y, s;
    do {
      x = 2 * next_uniform() - 1;
      y = 2 * next_uniform() - 1;
      s = x * x + y * y;
    } while (s >= 1 || s == 0);
    const double factor = sqrt(-2 * log(s) / s);
    out[i] = x * factor;
    if (i + 1 < size) out[i + 1] = y * factor;
  }
  pthread_mutex_unlock(&stream.lock);
}
