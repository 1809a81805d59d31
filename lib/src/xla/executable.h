/* executable.h: a compiled program of the small XLA: run it, stop it, store it, ask it. */
#ifndef MXERR_XLA_EXECUTABLE_H
#define MXERR_XLA_EXECUTABLE_H

#include <variant>

#include "client.h"

namespace xla::runtime {

/* A value of an attribute; a caller's value of any other type is given by the name of its type. */
struct OtherType {
  std::string name;
};
using Attribute = std::variant<std::int64_t, std::string, OtherType>;

class Executable {
 public:
  static StatusOr<std::shared_ptr<Executable>> Compile(std::shared_ptr<Client> client,
                                                       const std::string &text);
  static StatusOr<std::shared_ptr<Executable>> Deserialize(std::shared_ptr<Client> client,
                                                           const std::string &data);
  std::string Serialize() const;

  /* FAILED_PRECONDITION once the client was shut down. */
  Status CheckRunning() const { return client_->CheckRunning(); }

  /* Runs an exported function. A negative timeout is none. Arguments that are donated are deleted. */
  StatusOr<std::shared_ptr<Buffer>> Execute(const std::string &function,
                                            const std::vector<std::shared_ptr<Buffer>> &arguments,
                                            std::int64_t timeout_us, bool donate);
  /* Stops executions, those that run and those to come, until Reset. */
  void Cancel() { cancelled_ = true; }
  void Reset() { cancelled_ = false; }

  const Program &program() const { return program_; }

  /* These throw: XlaAttributeError, XlaTypeError, XlaInvalidValueError, XlaPermissionDeniedError. */
  Attribute GetAttribute(const std::string &name) const;
  void SetAttribute(const std::string &name, const Attribute &value);
  static std::vector<std::string> AttributeNames();

  /* Of all functions, once each: "flops" or "bytes"; throws XlaKeyError for any other key. */
  double Cost(const std::string &key) const;

 private:
  friend class Execution;

  Executable(std::shared_ptr<Client> client, std::string text, Program program)
      : client_(std::move(client)), text_(std::move(text)), program_(std::move(program)) {}

  const std::shared_ptr<Client> client_;
  const std::string text_;
  const Program program_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex lock_;
  std::int64_t optimization_level_ = 2;
  std::string name_ = "module";
};

}  // namespace xla::runtime

#endif  // MXERR_XLA_EXECUTABLE_H
