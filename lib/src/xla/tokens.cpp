/* tokens.cpp: a tokenizer, and numbers that are read the same in every locale. */
#include "tokens.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace xla::runtime {
namespace {

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+';
}

}  // namespace

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsWordCharacter);
}

Tokens::Tokens(const std::string &text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (text[i] == '\n') line++;
    if (IsWordCharacter(text[i]))
      while (i < text.size() && IsWordCharacter(text[i])) i++;
    else
      i++;
    std::string token = text.substr(begin, i - begin);
    if (token[0] == '\0') token = "\\x00";  // which a message would end at
    if (token.find_first_of(" \t\r\n%") != 0) tokens_.push_back({std::move(token), line});
  }
  tokens_.push_back({"", line});
}

bool Tokens::Accept(const char *text) {
  if (Peek() != text) return false;
  Take();
  return true;
}

Status Tokens::Expect(const char *text) {
  if (Accept(text)) return OkStatus();
  return XlaInvalidArgumentError("line %d: expected '%s', got %s", Line(), text, Got().c_str());
}

StatusOr<std::string> Tokens::TakeName() {
  if (!IsName(Peek()))
    return XlaInvalidArgumentError("line %d: expected a name, got %s", Line(), Got().c_str());
  return Take();
}

StatusOr<std::int64_t> Tokens::TakeInteger() {
  const std::string text = Take();
  char *end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0')
    return XlaInvalidArgumentError("line %d: expected an integer, got '%s'", LineTaken(), text.c_str());
  if (errno == ERANGE)
    return XlaOutOfRangeError("line %d: %s is out of range for s64", LineTaken(), text.c_str());
  return value;
}

StatusOr<float> Tokens::TakeNumber() {
  const std::string text = Take();
  double value = 0;  // not strtod, which reads a comma in some locales
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc::invalid_argument || read.ptr != text.data() + text.size())
    return XlaInvalidArgumentError("line %d: expected a number, got '%s'", LineTaken(), text.c_str());
  const float rounded = static_cast<float>(value);
  if (read.ec == std::errc::result_out_of_range || (std::isinf(rounded) && !std::isinf(value)))
    return XlaOutOfRangeError("line %d: constant %s is out of range for f32", LineTaken(), text.c_str());
  return rounded;
}

}  // namespace xla::runtime
