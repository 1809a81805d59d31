/* message.hpp: what is streamed into the message of an error, and how operands and values are printed. */
#ifndef MXERR_CPP_MESSAGE_HPP
#define MXERR_CPP_MESSAGE_HPP

#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"

namespace mxerr {

namespace detail {

template <typename T, typename = void>
struct is_streamable : std::false_type {};
template <typename T>
struct is_streamable<T, std::void_t<decltype(std::declval<std::ostream &>() << std::declval<const T &>())>>
    : std::true_type {};

template <typename T, typename = void>
struct is_range : std::false_type {};
template <typename T>
struct is_range<T,
                std::void_t<decltype(std::declval<const T &>().begin() != std::declval<const T &>().end())>>
    : std::true_type {};

/* The fewest digits that give the same number back. */
template <typename T>
std::string digits_of(T value) {
  for (int digits = std::numeric_limits<T>::digits10;; digits++) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(digits);
    out << value;
    std::istringstream in(out.str());
    in.imbue(std::locale::classic());
    T back{};
    if (digits >= std::numeric_limits<T>::max_digits10 || !(in >> back) || !(back < value || value < back))
      return out.str();
  }
}

/* An operand as a check shows it: characters as numbers, as in C; pointers without their address. */
template <typename T>
void print(std::ostream &out, const T &value) {
  using Plain = std::decay_t<T>;
  if constexpr (std::is_null_pointer_v<Plain>) {
    out << "NULL";
  } else if constexpr (std::is_array_v<T> && std::is_same_v<std::remove_extent_t<T>, char>) {
    out << value;  // a string literal
  } else if constexpr (std::is_array_v<T>) {
    out << "non-NULL";
  } else if constexpr (std::is_pointer_v<Plain>) {
    out << (value == nullptr ? "NULL" : "non-NULL");
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, signed char> ||
                       std::is_same_v<T, unsigned char>) {
    out << static_cast<int>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    out << digits_of(value);
  } else if constexpr (is_streamable<T>::value) {
    out << value;
  } else if constexpr (std::is_enum_v<T>) {
    print(out, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (is_range<T>::value) {
    const char *separator = "[";
    for (const auto &element : value) {
      out << separator;
      print(out, element);
      separator = ",";
    }
    out << (*separator == '[' ? "[]" : "]");
  } else {
    out << "<" << sizeof(T) << " bytes>";
  }
}

template <typename T>
std::string printed(const T &value) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  print(out, value);
  return out.str();
}

}  // namespace detail

/* Streamed into a message, says "name = value", and becomes a value of the frame. */
template <typename T>
Named Value(std::string_view name, const T &value) {
  return {std::string(name), detail::printed(value)};
}

/* Streamed into a message, becomes a value of the frame and no part of the message. */
struct LocalNamed : Named {};
template <typename T>
LocalNamed Local(std::string_view name, const T &value) {
  return {{std::string(name), detail::printed(value)}};
}

/* The message of a failure, as it is streamed together. */
class Message {
 public:
  Message() { out_.imbue(std::locale::classic()); }

  template <typename T>
  Message &operator<<(const T &value) {
    if constexpr (detail::is_streamable<T>::value)
      out_ << value;
    else
      detail::print(out_, value);
    return *this;
  }
  Message &operator<<(const char *text) {
    out_ << (text == nullptr ? "(null)" : text);
    return *this;
  }
  Message &operator<<(std::ostream &(*manipulator)(std::ostream &)) {
    out_ << manipulator;
    return *this;
  }
  Message &operator<<(const Named &value) {
    out_ << value.name << " = " << value.text;
    values_.push_back(value);
    return *this;
  }
  Message &operator<<(const LocalNamed &value) {
    values_.push_back(value);
    return *this;
  }

  std::string text() const { return out_.str(); }
  const std::vector<Named> &values() const { return values_; }

 private:
  std::ostringstream out_;
  std::vector<Named> values_;
};

}  // namespace mxerr

#endif  // MXERR_CPP_MESSAGE_HPP
