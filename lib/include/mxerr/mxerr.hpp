/*
 * mxerr.hpp: mxerr.h for libraries written in C++17: checks that stream their message and throw, an exception
 * that carries the whole error, and a guard that turns whatever was thrown into the record that Python reads.
 *
 *     #define MXERR_IMPLEMENTATION  // in one source file of the library
 *     #include "mxerr/mxerr.hpp"
 *
 *     #include <numeric>
 *     #include <vector>
 *
 *     static double divide(double a, double b) {
 *       MXERR_CHECK_NE(b, 0) << "ZeroDivisionError: cannot divide " << a;
 *       return a / b;
 *     }
 *     static double mean(const std::vector<double> &x) {
 *       const double sum = std::accumulate(x.begin(), x.end(), 0.0);
 *       return MXERR_CALL(divide(sum, double(x.size())));            // a frame for mean, should divide throw
 *     }
 *     MXERR_EXPORT int mylib_mean(const double *x, size_t size, double *out) {
 *       MXERR_API(MXERR_GUARD(*out = mean({x, x + size})));          // nothing thrown leaves the library
 *     }
 *
 * The checks have the names of mxerr.h's, which take a printf format and return a status. In a file that
 * includes this header the names mean the streaming ones, whichever header came first; a check in the C form
 * is then too many arguments for the macro. All other macros of mxerr.h (MXERR_FAIL, MXERR_TRY, MXERR_API,
 * ...) stay what they are, and MXERR_GUARD is a status for them.
 *
 * With MXERR_SHORT_NAMES defined before the include, the names of dmlc: CHECK, CHECK_EQ, ..., LOG(FATAL).
 *
 * - The kind is what stands before the first ": " of the streamed message, if it is an identifier; dots may
 * be part of it. It is looked for at the beginning and nowhere else.
 * - A check that holds costs the comparison. MXERR_CALL and MXERR_GUARD cost nothing until something is
 * thrown: they are handlers, which lie in the compiler's tables, and no objects with a life of their own.
 * - The parts, each to be included with this header only: cpp/error.hpp (the exception), cpp/message.hpp
 * (what is streamed), cpp/check.hpp, cpp/guard.hpp (frames, and the record).
 * - Numbers have a point in every locale, and no message holds an address.
 */
#ifndef MXERR_HPP
#define MXERR_HPP

#include "cpp/check.hpp"
#include "cpp/error.hpp"
#include "cpp/guard.hpp"
#include "cpp/message.hpp"
#include "mxerr.h"

/* ---- macros --------------------------------------------------------------------------------------- */

#define MXERR_HERE (::mxerr::Location{__FILE__, __LINE__, __func__})

#undef MXERR_CHECK
#undef MXERR_CHECK_EQ
#undef MXERR_CHECK_NE
#undef MXERR_CHECK_LT
#undef MXERR_CHECK_LE
#undef MXERR_CHECK_GT
#undef MXERR_CHECK_GE

/* Throws with a message unless `condition` holds: MXERR_CHECK(condition) << "Kind: message". */
#define MXERR_CHECK(condition) MXERR_STREAM_CONDITION_(condition, #condition)

/*
 * Throw unless left == right, !=, <, <=, >, >=. Operands are evaluated once and need the operator; integers
 * compare by value whatever their types. Both are printed where they can be, and become values of the frame.
 */
#define MXERR_CHECK_EQ(left, right) MXERR_STREAM_CHECK_(eq, left, #left, " == ", right, #right)
#define MXERR_CHECK_NE(left, right) MXERR_STREAM_CHECK_(ne, left, #left, " != ", right, #right)
#define MXERR_CHECK_LT(left, right) MXERR_STREAM_CHECK_(lt, left, #left, " < ", right, #right)
#define MXERR_CHECK_LE(left, right) MXERR_STREAM_CHECK_(le, left, #left, " <= ", right, #right)
#define MXERR_CHECK_GT(left, right) MXERR_STREAM_CHECK_(gt, left, #left, " > ", right, #right)
#define MXERR_CHECK_GE(left, right) MXERR_STREAM_CHECK_(ge, left, #left, " >= ", right, #right)

/*
 * Loops, of which nothing but the throw is left: unlike an `if`, they take no `else` that is not theirs.
 * Operands become texts in the outermost macro, before anything in them is expanded.
 */
#define MXERR_STREAM_CONDITION_(condition, text) \
  while (MXERR_UNLIKELY(!(condition))) ::mxerr::detail::Raise(MXERR_HERE, text) & ::mxerr::Message()
#define MXERR_STREAM_CHECK_(name, left, left_text, relation, right, right_text)              \
  while (::mxerr::detail::Failed mxerr_failed_ = ::mxerr::detail::check_##name(left, right)) \
  ::mxerr::detail::Raise(MXERR_HERE, left_text, relation, right_text, mxerr_failed_) & ::mxerr::Message()

/* MXERR_LOG(FATAL) << "Kind: message" throws. It is the only severity: mxerr keeps no log. */
#define MXERR_LOG(severity) MXERR_LOG_##severity
#define MXERR_LOG_FATAL ::mxerr::detail::Raise(MXERR_HERE) & ::mxerr::Message()

/*
 * The value of an expression; should it throw, whatever it be, the frame of this function is added on its
 * way:
 *
 *     const Shape shape = MXERR_CALL(infer_shape(x, axes));
 *     return MXERR_CALL_WITH((run(op, x)), mxerr::Local("op", op.name), mxerr::Local("size", x.size()));
 *
 * Commas in the expression of MXERR_CALL_WITH need parentheses around it, as here. Values are printed only
 * when something was thrown.
 */
#define MXERR_CALL(...)                                                                                 \
  (::mxerr::detail::call([&]() -> decltype(auto) { return __VA_ARGS__; }, __FILE__, __LINE__, __func__, \
                         [] { return ::std::vector<::mxerr::Named>(); }))
#define MXERR_CALL_WITH(expression, ...)                                                               \
  (::mxerr::detail::call([&]() -> decltype(auto) { return expression; }, __FILE__, __LINE__, __func__, \
                         [&] { return ::std::vector<::mxerr::Named>{__VA_ARGS__}; }))

/*
 * Runs statements, and is a status: 0, or MXERR_FAILURE with the record of whatever was thrown. A status like
 * any other: MXERR_API(MXERR_GUARD(*out = mean(x))), MXERR_API_QUIET(MXERR_GUARD(delete handle)),
 * MXERR_TRY(MXERR_GUARD(...)). A `return` among the statements ends them.
 */
#define MXERR_GUARD(...) (::mxerr::detail::guard([&] { __VA_ARGS__; }))

/* Calls a function that returns a status, and throws its record where it failed. */
#define MXERR_CHECK_CALL(call) (::mxerr::detail::check_call((call), MXERR_HERE))

#ifdef MXERR_SHORT_NAMES
#define CHECK(condition) MXERR_STREAM_CONDITION_(condition, #condition)
#define CHECK_EQ(left, right) MXERR_STREAM_CHECK_(eq, left, #left, " == ", right, #right)
#define CHECK_NE(left, right) MXERR_STREAM_CHECK_(ne, left, #left, " != ", right, #right)
#define CHECK_LT(left, right) MXERR_STREAM_CHECK_(lt, left, #left, " < ", right, #right)
#define CHECK_LE(left, right) MXERR_STREAM_CHECK_(le, left, #left, " <= ", right, #right)
#define CHECK_GT(left, right) MXERR_STREAM_CHECK_(gt, left, #left, " > ", right, #right)
#define CHECK_GE(left, right) MXERR_STREAM_CHECK_(ge, left, #left, " >= ", right, #right)
#define LOG(severity) MXERR_LOG_##severity
#endif

#endif  // MXERR_HPP
