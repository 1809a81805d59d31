/* cpp.cpp: a chain of calls, four deep, in each way that C++ can report a failure. Negative arguments fail. */
#define MXERR_IMPLEMENTATION
#include "mxerr/xla.hpp"

#define APART __attribute__((noinline)) static
#define CHAIN(type, name, leaf, step)            \
  APART type name##_3(int x) { step(leaf); }     \
  APART type name##_2(int x) { step(name##_3); } \
  APART type name##_1(int x) { step(name##_2); }

APART int status_leaf(int x) { return x < 0 ? -1 : 0; }
APART int thrown_leaf(int x) {
  if (x < 0) throw std::invalid_argument("negative");
  return x;
}
APART int checked_leaf(int x) {
  MXERR_CHECK_GE(x, 0) << "ValueError: negative";
  return x;
}
APART xla::Status xla_leaf(int x) {
  if (x < 0) return xla::XlaInvalidArgumentError("expected 0 or more, got %d", x);
  return xla::OkStatus();
}

#define BY_STATUS(call)        \
  if (call(x) != 0) return -1; \
  return 0
#define BY_THROW(call) return call(x) + 1
#define BY_CALL(call) return MXERR_CALL(call(x)) + 1
#define BY_XLA(call)            \
  XLA_RETURN_IF_ERROR(call(x)); \
  return xla::OkStatus()
CHAIN(int, status, status_leaf, BY_STATUS)
CHAIN(int, thrown, thrown_leaf, BY_THROW)
CHAIN(int, called, thrown_leaf, BY_CALL)
CHAIN(int, checked, checked_leaf, BY_THROW)
CHAIN(xla::Status, statuses, xla_leaf, BY_XLA)

/* Each runs its chain `count` times and gives the number of failures. */
#define LOOP(name, failed)                 \
  MXERR_EXPORT int name(int count, int x); \
  int name(int count, int x) {             \
    int failures = 0;                      \
    for (int i = 0; i < count; i++) {      \
      asm volatile("" : "+r"(x));          \
      if (failed) failures++;              \
    }                                      \
    return failures;                       \
  }
template <typename Call>
static bool throws(Call call) {
  try {
    const int result = call();
    asm volatile(""
                 :
                 : "r"(result)); /* else there would be nothing to return, and calls would become jumps */
    return false;
  } catch (const std::exception &) {
    return true;
  }
}
LOOP(run_status, status_1(x) != 0)
LOOP(run_thrown, throws([x] { return thrown_1(x); }))
LOOP(run_checked, throws([x] { return checked_1(x); }))
LOOP(run_called, throws([x] { return called_1(x); }))
LOOP(run_statuses, !statuses_1(x).ok())

MXERR_EXPORT int raise_called(int x);
int raise_called(int x) { MXERR_API(MXERR_GUARD(called_1(x))); }
MXERR_EXPORT int raise_statuses(int x);
int raise_statuses(int x) { MXERR_API(XLA_GUARD(statuses_1(x))); }
