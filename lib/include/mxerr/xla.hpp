/*
 * xla.hpp: XLA's errors in C++17. Each class of xla_errors.inc works both ways, returned and thrown:
 *
 *     #define MXERR_IMPLEMENTATION  // in one source file of the library
 *     #include "mxerr/xla.hpp"
 *
 *     static xla::StatusOr<int> Find(const std::string &name) {
 *       if (name != "main") return xla::XlaInternalError("exported function not found: %s", name.c_str());
 *       return 2;
 *     }
 *     static xla::Status Check(int arity, int count) {
 *       if (arity != count) return xla::XlaInvalidArgumentError("expected %d arguments, got %d", arity, count);
 *       return xla::OkStatus();
 *     }
 *     static xla::Status Run(const std::string &name, int count) {
 *       XLA_ASSIGN_OR_RETURN(const int arity, Find(name));
 *       XLA_RETURN_IF_ERROR(Check(arity, count));
 *       return xla::OkStatus();
 *     }
 *     static int Attribute(const std::string &name) {
 *       throw xla::XlaAttributeError(xla::StrCat("Unknown attribute ", name));
 *     }
 *     MXERR_EXPORT int mylib_run(const char *name, int count) { MXERR_API(XLA_GUARD(Run(name, count))); }
 *     MXERR_EXPORT int mylib_attribute(const char *name) { MXERR_API(MXERR_GUARD(Attribute(name))); }
 *
 * An error has a code, a message, payloads (bytes under a URL) and frames: where it was made, and each
 * function that it left through XLA_RETURN_IF_ERROR, XLA_ASSIGN_OR_RETURN or MXERR_CALL. XLA_GUARD and
 * MXERR_GUARD carry all of it over the C boundary, as separate fields of the record.
 *
 * Where an error was made is known when it is returned, and when it is thrown with a std::string. An error
 * that is thrown with a printf text begins at the first MXERR_CALL instead: a C++ function cannot take both
 * the compiler's check of its format and the caller's line. `throw XlaInternalError(StrFormat("%s", name))`
 * has both.
 *
 * A status that is OK is a null pointer; nothing is allocated until something fails.
 *
 * The parts: xla/error.hpp (codes and classes), xla/status.hpp (Status, StatusOr), xla/text.hpp (StrFormat, StrCat).
 */
#ifndef MXERR_XLA_HPP
#define MXERR_XLA_HPP

#include <utility>

#include "mxerr.hpp"
#include "xla/error.hpp"
#include "xla/status.hpp"
#include "xla/text.hpp"

namespace xla {

namespace detail MXERR_HIDDEN_NAMESPACE_ {

/* Runs what returns a status or throws; a status for the macros of mxerr.h. */
template <typename Call>
inline int Guard(Call &&call) {
  try {
    const Status status = call();
    if (!MXERR_UNLIKELY(!status.ok())) return 0;
    mxerr::detail::record(status.error());
    return MXERR_FAILURE;
  } catch (const mxerr::Error &error) {
    mxerr::detail::record(error);
    return MXERR_FAILURE;
  } catch (...) {
    mxerr::detail::record_current();
    return MXERR_FAILURE;
  }
}

}  // namespace MXERR_HIDDEN_NAMESPACE_
}  // namespace xla

/* ---- macros --------------------------------------------------------------------------------------- */

#define XLA_JOIN_(a, b) XLA_JOIN_AGAIN_(a, b)
#define XLA_JOIN_AGAIN_(a, b) a##b

/* Leaves the function with the error of an expression that is a Status, if it has one. */
#define XLA_RETURN_IF_ERROR(...)                                                                \
  do {                                                                                          \
    ::xla::Status xla_status_ = (__VA_ARGS__);                                                  \
    if (MXERR_UNLIKELY(!xla_status_.ok())) return ::std::move(xla_status_).Leaving(MXERR_HERE); \
  } while (0)

/*
 * Declares or assigns `left` with the value of an expression that is a StatusOr, or leaves with its error. Not for
 * the body of an `if` without braces: it is several statements.
 */
#define XLA_ASSIGN_OR_RETURN(left, ...) \
  XLA_ASSIGN_OR_RETURN_(XLA_JOIN_(xla_status_or_, __COUNTER__), left, (__VA_ARGS__))
#define XLA_ASSIGN_OR_RETURN_(result, left, expression)                                      \
  auto result = expression;                                                                  \
  if (MXERR_UNLIKELY(!result.ok())) return ::std::move(result).status().Leaving(MXERR_HERE); \
  left = *::std::move(result)

/*
 * Evaluates an expression that is a Status, and is a status of mxerr.h: MXERR_API(XLA_GUARD(Run(x))). What is
 * thrown on the way is recorded as by MXERR_GUARD.
 */
#define XLA_GUARD(...) (::xla::detail::Guard([&]() -> ::xla::Status { return __VA_ARGS__; }))

#endif  // MXERR_XLA_HPP
