/* status.hpp: Status and StatusOr, for functions that return their error. */
#ifndef MXERR_XLA_STATUS_HPP
#define MXERR_XLA_STATUS_HPP

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../mxerr.h"
#include "error.hpp"

namespace xla {

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
#include "../xla_errors.inc"
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
#include "../xla_errors.inc"
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR
      default: return XlaError(code, message, where);
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

}  // namespace xla

#endif  // MXERR_XLA_STATUS_HPP
