/* c_api_settings.c: the exported functions that set how operators run: errors, random numbers, engine, instruments. */
#include "engine.h"
#include "instrument.h"
#include "mxerr/c_api.h"
#include "ops/element.h"
#include "random.h"

/* ---- floating-point errors and random numbers ---- */

static int set_err_state(int divide, int over, int under, int invalid) {
  const int state[] = {divide, over, under, invalid};
  for (int i = 0; i < MX_LENGTH(state); i++) {
    const int error = state[i];
    MXERR_CHECK(error == 0 || error == 1,
                "ValueError: expected 0 or 1 for each error, got " MXERR_VALUE("error", "%d"), error);
  }
  mx_errors_wanted = (mx_errstate){divide, over, under, invalid};
  return 0;
}

int MXSetErrState(int divide, int over, int under, int invalid) {
  MXERR_API(set_err_state(divide, over, under, invalid));
}

static int get_err_state(int *divide, int *over, int *under, int *invalid) {
  MXERR_CHECK(divide != NULL && over != NULL && under != NULL && invalid != NULL,
              "ValueError: the result pointer is NULL");
  *divide = mx_errors_wanted.divide;
  *over = mx_errors_wanted.over;
  *under = mx_errors_wanted.under;
  *invalid = mx_errors_wanted.invalid;
  return 0;
}

int MXGetErrState(int *divide, int *over, int *under, int *invalid) {
  MXERR_API(get_err_state(divide, over, under, invalid));
}

static int seed_random(uint64_t seed) {
  MXERR_TRY(mx_wait_to_write(&mx_random_var));
  mx_random_seed(seed);
  return 0;
}

int MXRandomSeed(uint64_t seed) { MXERR_API(seed_random(seed)); }

/* ---- the engine ---- */

int MXEngineSetType(int type) { MXERR_API(mx_engine_set_type(type)); }

static int get_engine_type(int *out) {
  MXERR_CHECK_NE(out, NULL, "ValueError: the result pointer is NULL");
  *out = mx_engine_type_now();
  return 0;
}

int MXEngineGetType(int *out) { MXERR_API(get_engine_type(out)); }

int MXEngineSetOrigin(const char *file, const char *function, int line) {
  MXERR_API(mx_engine_set_origin(file, function, line));
}

/* ---- the program around the library ---- */

int MXHostRegister(const MXHost *host) { MXERR_API(mx_host_register(host)); }

int MXExceptionRelease(void) {
  mx_exception_release(mx_exception_take());
  mx_exceptions_bury();
  return 0;
}

/* ---- instruments ---- */

int MXListFailPoints(int *out_size, const char *const **out_names) {
  MXERR_API(mx_fail_point_list(out_size, out_names));
}

int MXFailPointSet(const char *name, const char *message, int after, int times) {
  MXERR_API(mx_fail_point_set(name, message, after, times));
}

int MXFailPointClear(const char *name) { MXERR_API(mx_fail_point_clear(name)); }

int MXTraceStart(int capacity) { MXERR_API(mx_trace_start(capacity)); }

int MXTraceStop(void) { MXERR_API(mx_trace_stop()); }

int MXTraceTake(int capacity, MXTraceEvent *events, int *out_size, int64_t *out_dropped) {
  MXERR_API(mx_trace_take(capacity, events, out_size, out_dropped));
}
