/* check.hpp: the comparisons behind MXERR_CHECK_EQ and its like, and what throws when one does not hold. */
#ifndef MXERR_CPP_CHECK_HPP
#define MXERR_CPP_CHECK_HPP

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../mxerr.h"
#include "error.hpp"
#include "message.hpp"

namespace mxerr {

namespace detail {

struct Operands {
  std::string left;
  std::string right;
};

/* True where a check failed; then it holds the operands. */
class Failed {
 public:
  Failed() = default;
  explicit Failed(std::unique_ptr<Operands> operands) : operands_(std::move(operands)) {}
  explicit operator bool() const { return operands_ != nullptr; }
  Operands &operator*() const { return *operands_; }

 private:
  std::unique_ptr<Operands> operands_;
};

/* Numbers go by value, so that a check need not put them into memory before it compares. */
template <typename T>
using Operand = std::conditional_t<std::is_scalar_v<T>, T, const T &>;

template <typename L, typename R>
MXERR_COLD_ Failed failed(Operand<L> left, Operand<R> right) {
  if constexpr (std::is_floating_point_v<L> && std::is_floating_point_v<R> && !std::is_same_v<L, R>) {
    using Wider = std::common_type_t<L, R>;  // as they were compared
    return failed<Wider, Wider>(static_cast<Wider>(left), static_cast<Wider>(right));
  }
  return Failed(std::make_unique<Operands>(Operands{printed(left), printed(right)}));
}

template <typename L, typename R>
inline constexpr bool are_integers = std::is_integral_v<L> &&std::is_integral_v<R>;

/* A pointer against NULL or 0, which a template sees as a number. */
template <typename L, typename R>
inline constexpr bool is_null_test = std::is_pointer_v<L> &&std::is_integral_v<R>;

/* Integers compare by value whatever their types: -1 is less than 1u. All else by its own operators. */
template <typename L, typename R>
constexpr bool equal(const L &left, const R &right) {
  if constexpr (are_integers<L, R> && std::is_signed_v<L> != std::is_signed_v<R>) {
    if constexpr (std::is_signed_v<L>)
      return left >= 0 && static_cast<std::make_unsigned_t<L>>(left) == right;
    else
      return right >= 0 && left == static_cast<std::make_unsigned_t<R>>(right);
  } else if constexpr (is_null_test<L, R>) {
    return (left == nullptr) == (right == 0);
  } else if constexpr (is_null_test<R, L>) {
    return (right == nullptr) == (left == 0);
  } else {
    return left == right;
  }
}

template <typename L, typename R>
constexpr bool less(const L &left, const R &right) {
  if constexpr (are_integers<L, R> && std::is_signed_v<L> != std::is_signed_v<R>) {
    if constexpr (std::is_signed_v<L>)
      return left < 0 || static_cast<std::make_unsigned_t<L>>(left) < right;
    else
      return right >= 0 && left < static_cast<std::make_unsigned_t<R>>(right);
  } else {
    return left < right;
  }
}

/* Of what is no number, the operator itself: !(b < a) is no a <= b where an operand is not comparable. */
#define MXERR_DEFINE_CHECK_(name, by_value, op)                                   \
  template <typename L, typename R>                                               \
  Failed check_##name(const L &left, const R &right) {                            \
    bool holds;                                                                   \
    if constexpr (are_integers<L, R> || is_null_test<L, R> || is_null_test<R, L>) \
      holds = by_value;                                                           \
    else                                                                          \
      holds = static_cast<bool>(left op right);                                   \
    return MXERR_UNLIKELY(!holds) ? failed<L, R>(left, right) : Failed();         \
  }
MXERR_DEFINE_CHECK_(eq, equal(left, right), ==)
MXERR_DEFINE_CHECK_(ne, !equal(left, right), !=)
MXERR_DEFINE_CHECK_(lt, less(left, right), <)
MXERR_DEFINE_CHECK_(le, !less(right, left), <=)
MXERR_DEFINE_CHECK_(gt, less(right, left), >)
MXERR_DEFINE_CHECK_(ge, !less(left, right), >=)
#undef MXERR_DEFINE_CHECK_

/* Whether the text of an operand names a value, as `axes.ndim()` does and `3` or `nullptr` does not. */
inline bool is_name(std::string_view text) {
  if (text.empty() ||
      !(text[0] == '_' || (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z')))
    return false;
  return text != "NULL" && text != "nullptr" && text != "true" && text != "false";
}

/*
 * The left side of `Raise(...) & Message() << "text"`, which throws when the message is complete. No
 * destructor throws, so a value that throws while it is printed does no harm.
 */
class Raise {
 public:
  explicit Raise(Location where) : where_(where) {}
  Raise(Location where, const char *condition) : where_(where) { condition_.text = condition; }
  Raise(Location where, const char *left, const char *relation, const char *right, Failed &failed)
      : where_(where) {
    condition_.text = std::string(left) + relation + right;
    condition_.left = std::move((*failed).left);
    condition_.right = std::move((*failed).right);
    if (is_name(left)) values_.push_back({left, condition_.left});
    if (is_name(right)) values_.push_back({right, condition_.right});
  }

  [[noreturn]] MXERR_COLD_ void operator&(const Message &message) {
    const std::string text = message.text();
    const std::string_view kind = kind_of(text);
    Error error = Access::make(kind, std::string_view(text).substr(kind.empty() ? 0 : kind.size() + 2),
                               std::move(condition_));
    values_.insert(values_.end(), message.values().begin(), message.values().end());
    error.add_frame(where_, std::move(values_));
    throw error;
  }

 private:
  Location where_;
  Condition condition_;
  std::vector<Named> values_;
};

}  // namespace detail
}  // namespace mxerr

#endif  // MXERR_CPP_CHECK_HPP
