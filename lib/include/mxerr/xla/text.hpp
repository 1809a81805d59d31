/* text.hpp: texts of errors, printed as by printf or one value after the other. */
#ifndef MXERR_XLA_TEXT_HPP
#define MXERR_XLA_TEXT_HPP

#include <clocale>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "../cpp/message.hpp"
#include "../mxerr.h"

#if defined(__GNUC__)
#define XLA_PRINTF_(text, values) __attribute__((format(MXERR_PRINTF_STYLE_, text, values)))
#else
#define XLA_PRINTF_(text, values)
#endif

namespace xla {

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

}  // namespace xla

#endif  // MXERR_XLA_TEXT_HPP
