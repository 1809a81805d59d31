/* error.hpp: mxerr::Error, an exception that carries all that mxerr_record holds; no record is touched here.
 */
#ifndef MXERR_CPP_ERROR_HPP
#define MXERR_CPP_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__GNUC__)
#define MXERR_COLD_ __attribute__((cold, noinline))
#else
#define MXERR_COLD_
#endif

namespace mxerr {

/* A place in the source; as a default argument, current() is that of the caller. Texts have static life. */
struct Location {
  const char *file;
  int line;
  const char *function;

  static constexpr Location current(const char *file = __builtin_FILE(), int line = __builtin_LINE(),
                                    const char *function = __builtin_FUNCTION()) noexcept {
    return {file, line, function};
  }
};

/* A value under the name that the frame shows it by. */
struct Named {
  std::string name;
  std::string text;
};

/* A function that the failure left. */
struct Frame {
  std::string file;
  int line = 0;
  std::string function;
  std::vector<Named> values;
};

/* The condition that did not hold, and both operands; all empty where the failure was no check. */
struct Condition {
  std::string text;
  std::string left;
  std::string right;
};

namespace detail {

/* "Kind" of "Kind: message", else empty; the rule of mxerr.h. */
inline std::string_view kind_of(std::string_view text) noexcept {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  std::size_t size = 0;
  if (text.empty() || !is_letter(text[0])) return {};
  while (size < text.size() &&
         (is_letter(text[size]) || (text[size] >= '0' && text[size] <= '9') || text[size] == '.'))
    size++;
  return text.substr(size, 2) == ": " ? text.substr(0, size) : std::string_view();
}

}  // namespace detail

/*
 * An error of this library: what mxerr_record holds, as an exception. Copies share their content until one of
 * them is changed, so copying does not throw. Derive from it to give a kind its own C++ type.
 */
class Error : public std::exception {
 public:
  /* An error from "Kind: message"; without a kind, the library's default class is raised in Python. */
  explicit Error(std::string_view text, Location where = Location::current())
      : Error(detail::kind_of(text), text.substr(kind_prefix(text)), where) {}

  Error(std::string_view kind, std::string_view message, Location where = Location::current())
      : Error(kind, message, Condition()) {
    add_frame(where);
  }

  /* "Kind: Check failed: condition (left vs. right) : message" */
  const char *what() const noexcept override { return content_->text.c_str(); }

  const std::string &kind() const noexcept { return content_->kind; }
  const std::string &message() const noexcept { return content_->message; }
  const Condition &condition() const noexcept { return content_->condition; }
  std::optional<std::int64_t> code() const noexcept { return content_->code; }
  const std::vector<Named> &attributes() const noexcept { return content_->attributes; }

  /* How many attributes were lost, for lack of room in the record that the error was made of. */
  std::uint32_t attributes_omitted() const noexcept { return content_->attributes_omitted; }

  /* From the function that failed outwards. */
  const std::vector<Frame> &frames() const noexcept { return content_->frames; }

  void set_code(std::int64_t code) { edit().code = code; }

  /* Attaches bytes under a name; under the same name they replace what was there. */
  void set_attribute(std::string_view name, std::string_view data) {
    for (Named &attribute : edit().attributes)
      if (attribute.name == name) {
        attribute.text = data;
        return;
      }
    edit().attributes.push_back({std::string(name), std::string(data)});
  }

  /* Adds a frame. Where there is no memory for it, the frame is lost and not the error. */
  void add_frame(Frame frame) noexcept {
    try {
      edit().frames.push_back(std::move(frame));
    } catch (const std::bad_alloc &) {
    }
  }
  void add_frame(Location where, std::vector<Named> values = {}) noexcept {
    try {
      edit().frames.push_back({where.file, where.line, where.function, std::move(values)});
    } catch (const std::bad_alloc &) {
    }
  }

 protected:
  friend struct Access;

  /* Without a frame. */
  Error(std::string_view kind, std::string_view message, Condition condition)
      : content_(std::make_shared<Content>()) {
    content_->kind = kind;
    content_->message = message;
    content_->condition = std::move(condition);
    set_text(default_text());
  }

  void set_message(std::string_view message) {
    edit().message = message;
    set_text(default_text());
  }

  void omit_attributes(std::uint32_t count) { edit().attributes_omitted = count; }

  /* What what() says. */
  void set_text(std::string text) { edit().text = std::move(text); }

 private:
  struct Content {
    std::string kind, message, text;
    Condition condition;
    std::optional<std::int64_t> code;
    std::vector<Named> attributes;
    std::uint32_t attributes_omitted = 0;
    std::vector<Frame> frames;
  };

  static std::size_t kind_prefix(std::string_view text) noexcept {
    const std::size_t size = detail::kind_of(text).size();
    return size > 0 ? size + 2 : 0;
  }

  std::string default_text() const {
    const Condition &check = content_->condition;
    std::string text = content_->kind.empty() ? "" : content_->kind + ": ";
    if (!check.text.empty()) {
      const bool compared = !check.left.empty() || !check.right.empty(); /* one may be an empty text */
      text += "Check failed: " + check.text;
      text += !compared ? ": " : " (" + check.left + " vs. " + check.right + ") : ";
    }
    return text + content_->message;
  }

  Content &edit() {
    if (content_.use_count() > 1) content_ = std::make_shared<Content>(*content_);
    return *content_;
  }

  std::shared_ptr<Content> content_;
};

/* Makes errors of parts, for the functions behind the macros. */
struct Access {
  static void omit_attributes(Error &error, std::uint32_t count) { error.omit_attributes(count); }
  static Error make(std::string_view kind, std::string_view message, Condition condition) {
    return Error(kind, message, std::move(condition));
  }
};

}  // namespace mxerr

#endif  // MXERR_CPP_ERROR_HPP
