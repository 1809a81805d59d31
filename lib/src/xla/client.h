/* client.h: a client of the small XLA: its platform and devices, their memory, buffers, custom calls. */
#ifndef MXERR_XLA_CLIENT_H
#define MXERR_XLA_CLIENT_H

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "program.h"

namespace xla::runtime {

constexpr int kDevices = 2;

/* Computes `size` elements; anything but 0 is a failure. */
using CustomCall = std::function<int(const float *in, float *out, std::size_t size)>;

class Client {
 public:
  /* `exclusive`: no other exclusive client gets device 0 while this one lives. */
  static StatusOr<std::shared_ptr<Client>> Create(const std::string &platform, const char *credential,
                                                  std::uint64_t memory_limit, bool exclusive);
  ~Client() { Shutdown(); }

  /*
   * Executions that run are aborted, and nothing that was made by the client is of use any more; a second
   * time does nothing.
   */
  void Shutdown();
  bool is_shut_down() const { return shut_down_.load(); }

  /* INVALID_ARGUMENT for a target that no program can name. */
  Status RegisterCustomCall(const std::string &target, CustomCall call);
  StatusOr<CustomCall> FindCustomCall(const std::string &target);

  Status Allocate(std::uint64_t bytes, int device);
  void Release(std::uint64_t bytes);

  /* FAILED_PRECONDITION once the client was shut down. */
  Status CheckRunning() const;

 private:
  Client(std::uint64_t memory_limit, bool exclusive) : memory_limit_(memory_limit), exclusive_(exclusive) {}

  const std::uint64_t memory_limit_; /* bytes; 0 for none */
  const bool exclusive_;
  std::atomic<bool> shut_down_{false};
  std::mutex lock_;
  std::uint64_t used_ = 0;
  std::map<std::string, CustomCall> custom_calls_;
};

/* Throws XlaIndexError for a device that there is not. */
std::string DescribeDevice(int index);

/* An array on a device. Its memory is given back when it is deleted, or with the buffer. */
class Buffer {
 public:
  static StatusOr<std::shared_ptr<Buffer>> Create(std::shared_ptr<Client> client, int device, Shape shape,
                                                  const float *data);
  ~Buffer() { Delete(); }

  void Delete();
  StatusOr<std::shared_ptr<const std::vector<float>>> Data();
  const Shape &shape() const { return shape_; }
  const std::shared_ptr<Client> &client() const { return client_; }
  Status CheckRunning() const { return client_->CheckRunning(); }

 private:
  Buffer(std::shared_ptr<Client> client, Shape shape)
      : client_(std::move(client)), shape_(std::move(shape)) {}

  const std::shared_ptr<Client> client_;
  const Shape shape_;
  std::mutex lock_;
  std::shared_ptr<const std::vector<float>> data_;
};

}  // namespace xla::runtime

#endif  // MXERR_XLA_CLIENT_H
