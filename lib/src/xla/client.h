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

class Elements;

class Client : public std::enable_shared_from_this<Client> {
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

  /* RESOURCE_EXHAUSTED where the limit, or the host, has no room for an array. */
  StatusOr<std::shared_ptr<Elements>> Allocate(const Shape &shape, int device, float value = 0);
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

/* Elements on a device. The client counts their memory until nobody holds them any more. */
class Elements {
 public:
  ~Elements() { client_->Release(bytes_); }
  Elements(const Elements &) = delete;
  Elements &operator=(const Elements &) = delete;

  std::vector<float> values;

 private:
  friend class Client;

  Elements(std::shared_ptr<Client> client, std::uint64_t bytes) : client_(std::move(client)), bytes_(bytes) {}

  const std::shared_ptr<Client> client_;
  const std::uint64_t bytes_;
};

/* An array on a device: elements that can be deleted before the buffer is. */
class Buffer {
 public:
  static StatusOr<std::shared_ptr<Buffer>> Create(std::shared_ptr<Client> client, int device, Shape shape,
                                                  const float *data);

  /* What an execution gave. It can be read also when its client was shut down meanwhile. */
  static std::shared_ptr<Buffer> OfResult(std::shared_ptr<Client> client, Shape shape,
                                          std::shared_ptr<const Elements> elements) {
    return std::shared_ptr<Buffer>(
        new Buffer(std::move(client), std::move(shape), std::move(elements), true));
  }

  void Delete();
  StatusOr<std::shared_ptr<const Elements>> Data();
  const Shape &shape() const { return shape_; }
  const std::shared_ptr<Client> &client() const { return client_; }
  Status CheckRunning() const { return is_result_ ? OkStatus() : client_->CheckRunning(); }

 private:
  Buffer(std::shared_ptr<Client> client, Shape shape, std::shared_ptr<const Elements> elements,
         bool is_result)
      : client_(std::move(client)),
        shape_(std::move(shape)),
        is_result_(is_result),
        elements_(std::move(elements)) {}

  const std::shared_ptr<Client> client_;
  const Shape shape_;
  const bool is_result_;
  std::mutex lock_;
  std::shared_ptr<const Elements> elements_;
};

}  // namespace xla::runtime

#endif  // MXERR_XLA_CLIENT_H
