/* error.hpp: XlaError, and a class for each row of xla_errors.inc. */
#ifndef MXERR_XLA_ERROR_HPP
#define MXERR_XLA_ERROR_HPP

#include <cstdarg>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../cpp/error.hpp"
#include "text.hpp"

namespace xla {

using mxerr::Location;

/* The canonical codes. Any other number may be a code too, and is kept. */
enum class StatusCode : int {
  kOk = 0,
#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) k##code = number,
#define XLA_DIRECT_ERROR(class_name, code, code_name, python)
#include "../xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
};

namespace detail {

/* NULL for a number that is no canonical code. */
inline const char *NameOf(StatusCode code) noexcept {
  switch (code) {
    case StatusCode::kOk: return "OK";
#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) \
  case StatusCode::k##code:                                           \
    return #code_name;
#define XLA_DIRECT_ERROR(class_name, code, code_name, python)
#include "../xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
  }
  return nullptr;
}

}  // namespace detail

/* "NOT_FOUND", and for a number that is no canonical code, "99". */
inline std::string StatusCodeToString(StatusCode code) {
  const char *name = detail::NameOf(code);
  return name != nullptr ? name : std::to_string(static_cast<int>(code));
}

/*
 * An error of XLA, and the base of its classes. what() is the text of the status: "NOT_FOUND: message", or
 * "Unknown code(99): message", with the payloads behind. Catch it as XlaError, or by class.
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

  /*
   * Attaches bytes under a URL, such as "type.example/retry"; what was there under it is replaced. Any number
   * of any size is kept here; over the C boundary go as many as the record has room for (MXERR_ATTRIBUTES_MAX,
   * MXERR_TEXT_MAX), and it counts the others, as attributes_omitted().
   */
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
    std::string text = StatusCodeToString(status_code());
    if (detail::NameOf(status_code()) == nullptr) text = "Unknown code(" + text + ")";
    text += ": " + message();
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
#include "../xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
#undef XLA_DEFINE_ERROR_

}  // namespace xla

#endif  // MXERR_XLA_ERROR_HPP
