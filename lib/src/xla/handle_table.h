/* handle_table.h: the objects of the small XLA by the numbers that name them on the other side of its C API. */
#ifndef MXERR_SRC_XLA_HANDLE_TABLE_H
#define MXERR_SRC_XLA_HANDLE_TABLE_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "mxerr/xla.hpp"
#include "mxerr/xla_c_api.h"

namespace xla::runtime {

/* Objects by handle; a handle is never used twice, so one that was freed is known as such. */
template <typename T>
class Table {
 public:
  explicit Table(const char *what) : what_(what) {}

  XlaHandle Add(std::shared_ptr<T> object) {
    const std::lock_guard<std::mutex> guard(lock_);
    objects_.emplace(++last_, std::move(object));
    return last_;
  }

  StatusOr<std::shared_ptr<T>> Find(XlaHandle handle) {
    const std::lock_guard<std::mutex> guard(lock_);
    const auto found = objects_.find(handle);
    if (found == objects_.end())
      return XlaInvalidArgumentError("there is no %s with handle %llu; was it freed?", what_,
                                     static_cast<unsigned long long>(handle));
    return found->second;
  }

  Status Free(XlaHandle handle) {
    if (handle == 0) return OkStatus();
    XLA_ASSIGN_OR_RETURN(const std::shared_ptr<T> object, Find(handle));  // ends after the lock is free again
    const std::lock_guard<std::mutex> guard(lock_);
    objects_.erase(handle);
    return OkStatus();
  }

 private:
  const char *const what_;
  std::mutex lock_;
  XlaHandle last_ = 0;
  std::unordered_map<XlaHandle, std::shared_ptr<T>> objects_;
};

}  // namespace xla::runtime

#endif  // MXERR_SRC_XLA_HANDLE_TABLE_H
