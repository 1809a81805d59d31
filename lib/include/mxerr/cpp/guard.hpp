/* guard.hpp: frames for exceptions on their way, and the record made of an exception. */
#ifndef MXERR_CPP_GUARD_HPP
#define MXERR_CPP_GUARD_HPP

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <ios>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <utility>
#include <vector>

#if defined(__GNUC__)
#include <cxxabi.h>
#endif

#include "../mxerr.h"
#include "error.hpp"

namespace mxerr {

/*
 * What follows writes to the record, which is private to a binary, and so it is hidden: else the dynamic
 * linker would merge the copies of two libraries, and one would write into the other's record.
 */
#if defined(__GNUC__) && !defined(_WIN32)
#define MXERR_HIDDEN_NAMESPACE_ __attribute__((visibility("hidden")))
#else
#define MXERR_HIDDEN_NAMESPACE_
#endif
namespace detail MXERR_HIDDEN_NAMESPACE_ {

/* The frames of an exception that has no room for them, such as std::out_of_range. */
struct Pending {
  std::exception_ptr owner;
  std::vector<Frame> frames;
};

inline Pending &pending() {
  static thread_local Pending pending;
  return pending;
}

/* Adds a frame to the exception that is being handled, of a type that has no room for it. */
MXERR_COLD_ inline void leave(const Location &where, std::vector<Named> values) noexcept {
  try {
    const std::exception_ptr current = std::current_exception();
    Pending &foreign = pending();
    if (foreign.owner != current) {
      foreign.owner = current;
      foreign.frames.clear();
    }
    foreign.frames.push_back({where.file, where.line, where.function, std::move(values)});
  } catch (const std::bad_alloc &) {  // the frame is lost and not the error
  }
}

/* Values are for the frame only: one that throws while it is printed must not take the place of the error. */
template <typename Values>
std::vector<Named> printed_values(const Values &values) noexcept {
  try {
    return values();
  } catch (...) {
    return {};
  }
}

/* Apart from their callers, which so need no room on the stack for a failure: that alone would cost a
 * nanosecond. */
template <typename Values>
MXERR_COLD_ void leave_error(Error &error, const char *file, int line, const char *function,
                             const Values &values) noexcept {
  error.add_frame({file, line, function}, printed_values(values));
}
template <typename Values>
MXERR_COLD_ void leave_foreign(const char *file, int line, const char *function,
                               const Values &values) noexcept {
  leave({file, line, function}, printed_values(values));
}

/* Calls, and on the way of whatever the call throws adds a frame for the caller. */
template <typename Call, typename Values>
inline decltype(auto) call(Call &&call, const char *file, int line, const char *function,
                           const Values &values) {
  try {
    return call();
  } catch (Error &error) {
    leave_error(error, file, line, function, values);
    throw;
  } catch (...) {
    leave_foreign(file, line, function, values);
    throw;
  }
}

inline mxerr_view view(const std::string &text) noexcept { return {text.data(), text.size()}; }

/* Makes the thread's record of an error. */
MXERR_COLD_ inline void record(std::string_view kind, std::string_view message, const Condition &condition,
                               const std::vector<Frame> &frames) {
  const mxerr_parts parts = {{kind.data(), kind.size()},
                             {message.data(), message.size()},
                             view(condition.text),
                             view(condition.left),
                             view(condition.right)};
  std::vector<mxerr_view> values;
  mxerr_fail_parts(&parts);
  for (const Frame &frame : frames) {
    values.clear();
    for (const Named &value : frame.values) values.insert(values.end(), {view(value.name), view(value.text)});
    mxerr_leave_views(frame.file.c_str(), frame.line, frame.function.c_str(), values.data(),
                      frame.values.size());
  }
}

MXERR_COLD_ inline void record(const Error &error) {
  record(error.kind(), error.message(), error.condition(), error.frames());
  if (error.code()) mxerr_record_set_code(*error.code());
  for (const Named &attribute : error.attributes())
    mxerr_record_add_attribute(attribute.name.c_str(), attribute.text.data(), attribute.text.size());
  mxerr_record_omit_attributes(error.attributes_omitted());
}

/* The kind that fits an exception of the standard library, nearly as pybind11 and Cython have it. */
inline const char *kind_of_standard(const std::exception &error) {
  const auto is = [&error](auto *type) { return dynamic_cast<decltype(type)>(&error) != nullptr; };
  if (is(static_cast<const std::bad_alloc *>(nullptr))) return "MemoryError";
  if (is(static_cast<const std::out_of_range *>(nullptr))) return "IndexError";
  if (is(static_cast<const std::invalid_argument *>(nullptr))) return "ValueError";
  if (is(static_cast<const std::domain_error *>(nullptr))) return "ValueError";
  if (is(static_cast<const std::length_error *>(nullptr))) return "ValueError";
  if (is(static_cast<const std::range_error *>(nullptr))) return "ValueError";
  if (is(static_cast<const std::overflow_error *>(nullptr))) return "OverflowError";
  if (is(static_cast<const std::underflow_error *>(nullptr))) return "FloatingPointError";
  if (is(static_cast<const std::bad_cast *>(nullptr))) return "TypeError";
  if (is(static_cast<const std::bad_typeid *>(nullptr))) return "TypeError";
  if (is(static_cast<const std::system_error *>(nullptr))) return "IOError";
  if (is(static_cast<const std::ios_base::failure *>(nullptr))) return "IOError";
  return "RuntimeError";
}

inline void record_standard(const std::exception &error, const std::vector<Frame> &frames) {
  const char *text = error.what(); /* NULL, where a class is written so */
  record(kind_of_standard(error), text != nullptr ? text : "", {}, frames);
  const auto *system = dynamic_cast<const std::system_error *>(&error);
  if (system == nullptr) return;
  const std::error_code code = system->code();
  if (code.category() != std::generic_category() && code.category() != std::system_category()) return;
  mxerr_record_set_code(code.value());
}

/* "int", for an exception that is no std::exception. */
inline std::string current_type() {
#if defined(__GNUC__)
  const std::type_info *type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "unknown type";
  int status = 0;
  char *name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  const std::string text = name != nullptr ? name : type->name();
  std::free(name);
  return "type " + text;
#else
  return "unknown type";
#endif
}

/* Makes the thread's record of the exception that is being handled. */
MXERR_COLD_ inline void record_current() {
  Pending foreign;
  std::swap(foreign, pending());
  if (foreign.owner != std::current_exception()) foreign.frames.clear();
  try {
    throw;
  } catch (const Error &error) {
    record(error);
  } catch (const std::exception &error) {
    record_standard(error, foreign.frames);
  } catch (const char *text) {
    record("RuntimeError", text == nullptr ? "(null)" : text, {}, foreign.frames);
  } catch (const std::string &text) {
    record("RuntimeError", text, {}, foreign.frames);
#if defined(__GLIBCXX__)
  } catch (const abi::__forced_unwind &) {  // a thread that is cancelled; it must not be stopped
    throw;
#endif
  } catch (...) {
    record("RuntimeError", "a C++ exception of " + current_type() + " was thrown", {}, foreign.frames);
  }
}

template <typename Body>
inline int guard(Body &&body) {
  try {
    body();
    return 0;
  } catch (const Error &error) {  // apart, as it is the usual case and saves to throw it again
    record(error);
    return MXERR_FAILURE;
  } catch (...) {
    record_current();
    return MXERR_FAILURE;
  }
}

/* The thread's record as an exception; the record is then no longer the thread's error. */
MXERR_COLD_ inline Error take_error() {
  const mxerr_record *record = mxerr_record_peek();
  if (record == nullptr) return Access::make("", "a call failed without saying why", {});
  const auto text = [record](mxerr_span span) { return std::string(mxerr_text(record, span), span.size); };
  Error error = Access::make(text(record->kind), text(record->message),
                             {text(record->condition), text(record->left), text(record->right)});
  for (const mxerr_frame *frame = record->frames; frame != record->frames + record->frame_count; frame++) {
    std::vector<Named> values;
    for (std::uint32_t i = 0; i < frame->value_count; i++) {
      const mxerr_value &value = record->values[frame->first_value + i];
      values.push_back({text(value.name), text(value.text)});
    }
    error.add_frame({text(frame->file), frame->line, text(frame->function), std::move(values)});
  }
  if (record->has_code) error.set_code(record->code);
  for (std::uint32_t i = 0; i < record->attribute_count; i++)
    error.set_attribute(text(record->attributes[i].name), text(record->attributes[i].text));
  if (record->attributes_omitted > 0) Access::omit_attributes(error, record->attributes_omitted);
  mxerr_record_clear();
  return error;
}

inline void check_call(int status, Location where) {
  if (!MXERR_UNLIKELY(status != 0)) return;
  Error error = take_error();
  error.add_frame(where);
  throw error;  // by a copy that shares its content
}

}  // namespace MXERR_HIDDEN_NAMESPACE_

}  // namespace mxerr

#endif  // MXERR_CPP_GUARD_HPP
