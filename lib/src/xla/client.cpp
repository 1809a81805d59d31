/* client.cpp: who may use which platform, and how memory is counted. */
#include "client.h"

#include <algorithm>
#include <cstring>

namespace xla::runtime {
namespace {

std::atomic<bool> device_is_taken{false};

Status CheckCredential(const char *credential) {
  if (credential == nullptr) return XlaUnauthenticatedError("platform proxy needs a credential");
  if (std::strcmp(credential, "admin") != 0)
    return XlaPermissionDeniedError("'%s' may not use platform proxy", credential);
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<Client>> Client::Create(const std::string &platform, const char *credential,
                                                 std::uint64_t memory_limit, bool exclusive) {
  if (platform != "host" && platform != "proxy")
    return XlaNotFoundError(
        "could not find registered platform with name: \"%s\". Available platform names are: host, proxy",
        platform.c_str());
  if (platform == "proxy") XLA_RETURN_IF_ERROR(CheckCredential(credential));
  if (exclusive && device_is_taken.exchange(true))
    return XlaUnavailableError("device 0 of platform %s is in use by another client", platform.c_str());
  return std::shared_ptr<Client>(new Client(memory_limit, exclusive));
}

void Client::Shutdown() {
  if (!shut_down_.exchange(true) && exclusive_) device_is_taken = false;
}

Status Client::CheckRunning() const {
  if (shut_down_) return XlaFailedPreconditionError("the client was shut down");
  return OkStatus();
}

Status Client::RegisterCustomCall(const std::string &target, CustomCall call) {
  if (!IsName(target))
    return XlaInvalidArgumentError("custom call target: expected letters, digits or any of _ - . +, got '%s'",
                                   target.c_str());
  const std::lock_guard<std::mutex> guard(lock_);
  if (!custom_calls_.emplace(target, std::move(call)).second)
    return XlaAlreadyExistsError("duplicate custom call target '%s' on platform host", target.c_str());
  return OkStatus();
}

StatusOr<CustomCall> Client::FindCustomCall(const std::string &target) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = custom_calls_.find(target);
  if (found == custom_calls_.end())
    return XlaUnimplementedError("no registered implementation for custom call to '%s' on platform host",
                                 target.c_str());
  return found->second;
}

StatusOr<std::shared_ptr<Elements>> Client::Allocate(const Shape &shape, int device, float value) {
  XLA_ASSIGN_OR_RETURN(const std::int64_t count, CountElements(shape));
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * sizeof(float);
  std::unique_lock<std::mutex> guard(lock_);
  if (memory_limit_ > 0 && bytes > memory_limit_ - used_) {
    const std::string text = StrFormat(
        "out of memory while trying to allocate %llu bytes on device %d; %llu of %llu bytes are in use",
        static_cast<unsigned long long>(bytes), device, static_cast<unsigned long long>(used_),
        static_cast<unsigned long long>(memory_limit_));
    Status status = XlaResourceExhaustedError(text);
    status.SetPayload("mxerr.xla/requested_bytes", std::to_string(bytes));
    status.SetPayload("mxerr.xla/free_bytes", std::to_string(memory_limit_ - used_));
    return status;
  }
  used_ += bytes;
  guard.unlock();
  const std::shared_ptr<Elements> elements(new Elements(shared_from_this(), bytes));
  try {
    elements->values.assign(static_cast<std::size_t>(count), value);
  } catch (const std::bad_alloc &) {
    return XlaResourceExhaustedError("the host has no memory for %lld elements",
                                     static_cast<long long>(count));
  }
  return elements;
}

void Client::Release(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> guard(lock_);
  used_ -= bytes;
}

std::string DescribeDevice(int index) {
  if (index < 0 || index >= kDevices)
    throw XlaIndexError(StrCat("device index ", index, " is out of range [0, ", kDevices, ")"));
  return StrCat("host:", index);
}

StatusOr<std::shared_ptr<Buffer>> Buffer::Create(std::shared_ptr<Client> client, int device, Shape shape,
                                                 const float *data) {
  MXERR_CALL(DescribeDevice(device));
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<Elements> elements, client->Allocate(shape, device));
  std::copy(data, data + elements->values.size(), elements->values.begin());
  return std::shared_ptr<Buffer>(new Buffer(std::move(client), std::move(shape), elements, false));
}

void Buffer::Delete() {
  const std::lock_guard<std::mutex> guard(lock_);
  elements_.reset();
}

StatusOr<std::shared_ptr<const Elements>> Buffer::Data() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (elements_ == nullptr) return XlaFailedPreconditionError("buffer has been deleted or donated");
  return elements_;
}

}  // namespace xla::runtime
