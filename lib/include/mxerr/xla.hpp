/*
 * xla.hpp: XLA's errors in C++17. Each class of xla_errors.inc works both ways, returned and thrown:
 *
 *     xla::StatusOr<const Function *> Find(const Module &module, const char *name) {
 *       if (module.count(name) == 0) return xla::XlaInternalError("exported function not found: %s", name);
 *       return &module.at(name);
 *     }
 *     xla::Status Run(const Module &module, const char *name) {
 *       XLA_ASSIGN_OR_RETURN(const Function *function, Find(module, name));
 *       XLA_RETURN_IF_ERROR(function->Check());
 *       return xla::OkStatus();
 *     }
 *     int Attribute(const std::string &name) {
 *       throw xla::XlaAttributeError(xla::StrCat("Unknown attribute ", name));
 *     }
 *     MXERR_EXPORT int my_run(const Module *module, const char *name) { MXERR_API(XLA_GUARD(Run(*module,
 * name))); }
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
 */
#ifndef MXERR_XLA_HPP
#define MXERR_XLA_HPP

#include <clocale>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "mxerr.hpp"

#if defined(__GNUC__)
#define XLA_PRINTF_(text, values) __attribute__((format(MXERR_PRINTF_STYLE_, text, values)))
#else
#define XLA_PRINTF_(text, values)
#endif

namespace xla {

using mxerr::Location;

/* The canonical codes. Any other number may be a code too, and is kept. */
enum class StatusCode : int {
  kOk = 0,
#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) k##code = number,
#define XLA_DIRECT_ERROR(class_name, code, code_name, python)
#include "xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
};

/* "NOT_FOUND", and for a number that is no canonical code, "99". */
inline std::string StatusCodeToString(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "OK";
#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) \
  case StatusCode::k##code:                                           \
    return #code_name;
#define XLA_DIRECT_ERROR(class_name, code, code_name, python)
#include "xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
  }
  return std::to_string(static_cast<int>(code));
}

/* ---- texts ---------------------------------------------------------------------------------------- */

/* The arguments, printed one after the other. */
template <typename... Args>
std::string StrCat(const Args &...args) {
  mxerr::Message message;
  (message << ... << args);
  return message.text();
}

namespace detail {

/* While it lives, printf writes numbers with a point, whatever the locale of the process. */
class PlainNumbers {
 public:
#if defined(_WIN32)
  PlainNumbers() = default;
#else
  PlainNumbers() {
    if (std::strcmp(std::localeconv()->decimal_point, ".") == 0) return;
    plain_ = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(0));
    if (plain_) previous_ = uselocale(plain_);
  }
  ~PlainNumbers() {
    if (!plain_) return;
    uselocale(previous_);
    freelocale(plain_);
  }

 private:
  locale_t plain_ = static_cast<locale_t>(0), previous_ = static_cast<locale_t>(0);

 public:
#endif
  PlainNumbers(const PlainNumbers &) = delete;
  PlainNumbers &operator=(const PlainNumbers &) = delete;
};

inline std::string VFormat(const char *format, va_list arguments) {
  const PlainNumbers plain_numbers;
  va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  if (size > 0) std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return size < 0 ? format : text;
}

/* As Abseil writes a payload: quoted, with everything else than plain ASCII as \xHH. */
inline std::string Escape(std::string_view data) {
  std::string text;
  bool after_hex = false;
  for (const char c : data) {
    const unsigned char byte = static_cast<unsigned char>(c);
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (c == '\n' || c == '\r' || c == '\t') {
      text += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
      after_hex = false;
    } else if (c == '"' || c == '\'' || c == '\\') {
      text += {'\\', c};
      after_hex = false;
    } else if (byte < 0x20 || byte >= 0x7f || (after_hex && is_digit)) {
      const char *digits = "0123456789abcdef";
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      after_hex = true;
    } else {
      text += c;
      after_hex = false;
    }
  }
  return text;
}

}  // namespace detail

/* printf into a string; the compiler checks the arguments. */
XLA_PRINTF_(1, 2) inline std::string StrFormat(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = detail::VFormat(format, arguments);
  va_end(arguments);
  return text;
}

/* ---- errors --------------------------------------------------------------------------------------- */

/*
 * An error of XLA, and the base of its classes. what() is the text of the status: "NOT_FOUND: message", with
 * the payloads behind. Catch it as XlaError, or by class.
 */
class XlaError : public mxerr::Error {
 public:
  /* An error with any code, for those that are none of the canonical ones. */
  XlaError(StatusCode code, std::string_view message, Location where = Location::current())
      : XlaError("XlaError", code, message) {
    add_frame(where);
  }

  StatusCode status_code() const noexcept {
    return static_cast<StatusCode>(code().value_or(static_cast<int>(StatusCode::kUnknown)));
  }

  /* Attaches bytes under a URL, such as "type.example/retry"; what was there under it is replaced. */
  void SetPayload(std::string_view url, std::string_view data) {
    set_attribute(url, data);
    Describe();
  }
  const std::vector<mxerr::Named> &payloads() const noexcept { return attributes(); }

 protected:
  XlaError(std::string_view kind, StatusCode code, std::string_view message)
      : Error(kind, message, mxerr::Condition()) {
    set_code(static_cast<std::int64_t>(code));
    Describe();
  }

  void Format(const char *format, va_list arguments) {
    set_message(detail::VFormat(format, arguments));
    Describe();
  }

 private:
  void Describe() {
    std::string text = StatusCodeToString(status_code()) + ": " + message();
    for (const mxerr::Named &payload : payloads())
      text += " [" + payload.name + "='" + detail::Escape(payload.text) + "']";
    set_text(std::move(text));
  }
};

/* Each class is made of a printf text, of a finished one as std::string, or of an error that has its kind. */
#define XLA_DEFINE_ERROR_(name, code)                                                       \
  class name : public XlaError {                                                            \
   public:                                                                                  \
    static constexpr StatusCode kCode = StatusCode::code;                                   \
    XLA_PRINTF_(2, 3) explicit name(const char *format, ...) : XlaError(#name, kCode, "") { \
      va_list arguments;                                                                    \
      va_start(arguments, format);                                                          \
      Format(format, arguments);                                                            \
      va_end(arguments);                                                                    \
    }                                                                                       \
    explicit name(const std::string &message, Location where = Location::current())         \
        : XlaError(#name, kCode, message) {                                                 \
      add_frame(where);                                                                     \
    }                                                                                       \
    explicit name(const XlaError &error) : XlaError(error) {}                               \
  };
#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) \
  XLA_DEFINE_ERROR_(Xla##class_name##Error, k##code)
#define XLA_DIRECT_ERROR(class_name, code, code_name, python) \
  XLA_DEFINE_ERROR_(Xla##class_name##Error, k##code)
#include "xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
#undef XLA_DEFINE_ERROR_

/* ---- statuses ------------------------------------------------------------------------------------- */

/* OK, or an error. */
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;

  /* What `return XlaNotFoundError(...)` does; an error that has no frame yet gets that of the caller. */
  Status(const XlaError &error, Location where = Location::current())
      : error_(std::make_shared<XlaError>(error)) {
    if (error.frames().empty()) error_->add_frame(where);
  }

  /* A status from a code known at run time; kOk gives OK. */
  Status(StatusCode code, std::string_view message, Location where = Location::current()) {
    if (code != StatusCode::kOk) *this = Status(Make(code, message, where));
  }

  bool ok() const noexcept { return error_ == nullptr; }
  StatusCode code() const noexcept { return ok() ? StatusCode::kOk : error_->status_code(); }
  std::string_view message() const noexcept { return ok() ? std::string_view() : error_->message(); }
  std::string ToString() const { return ok() ? "OK" : error_->what(); }

  /* The error; only where not ok(). */
  const XlaError &error() const noexcept { return *error_; }

  void SetPayload(std::string_view url, std::string_view data) {
    if (!ok()) Edit().SetPayload(url, data);
  }
  std::optional<std::string> GetPayload(std::string_view url) const {
    if (!ok())
      for (const mxerr::Named &payload : error_->payloads())
        if (payload.name == url) return payload.text;
    return std::nullopt;
  }

  /* This status, with a frame for the function that it leaves. */
  Status &&Leaving(Location where) && {
    if (!ok()) Edit().add_frame(where);
    return std::move(*this);
  }

  /* Throws the error, as its own class. */
  void ThrowIfError() const {
    if (!MXERR_UNLIKELY(!ok())) return;
#define XLA_THROW_(name) \
  if (error_->kind() == #name) throw name(*error_);
#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) XLA_THROW_(Xla##class_name##Error)
#define XLA_DIRECT_ERROR(class_name, code, code_name, python) XLA_THROW_(Xla##class_name##Error)
#include "xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
#undef XLA_THROW_
    throw XlaError(*error_);
  }

 private:
  static XlaError Make(StatusCode code, std::string_view message, Location where) {
    switch (code) {
#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) \
  case StatusCode::k##code:                                           \
    return Xla##class_name##Error(std::string(message), where);
#define XLA_DIRECT_ERROR(class_name, code, code_name, python)
#include "xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
      default:
        return XlaError(code, message, where);
    }
  }

  XlaError &Edit() {
    if (error_.use_count() > 1) error_ = std::make_shared<XlaError>(*error_);
    return *error_;
  }

  std::shared_ptr<XlaError> error_;
};

inline Status OkStatus() noexcept { return {}; }

/* A value, or the error that kept it from being made. */
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(T value) : value_(std::move(value)) {}
  StatusOr(const XlaError &error, Location where = Location::current()) : status_(error, where) {}

  /* A status that is OK has no value to give, which is an internal error. */
  StatusOr(Status status, Location where = Location::current()) : status_(std::move(status)) {
    if (status_.ok())
      status_ = Status(StatusCode::kInternal, "an OK status was given in place of a value", where);
  }

  bool ok() const noexcept { return status_.ok(); }
  const Status &status() const &noexcept { return status_; }
  Status &&status() &&noexcept { return std::move(status_); }

  /* The value; throws the error where there is none. */
  const T &value() const & {
    status_.ThrowIfError();
    return *value_;
  }
  T &&value() && {
    status_.ThrowIfError();
    return *std::move(value_);
  }

  /* The value; only where ok(). */
  const T &operator*() const &noexcept { return *value_; }
  T &&operator*() &&noexcept { return *std::move(value_); }
  const T *operator->() const noexcept { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

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

/* Declares or assigns `left` with the value of an expression that is a StatusOr, or leaves with its error. */
#define XLA_ASSIGN_OR_RETURN(left, ...) \
  XLA_ASSIGN_OR_RETURN_(XLA_JOIN_(xla_status_or_, __LINE__), left, (__VA_ARGS__))
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
