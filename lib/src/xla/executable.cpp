/* executable.cpp: compiling, storing, and asking; running is execution.cpp. */
#include "executable.h"

#include <cstring>

#include "execution.h"

namespace xla::runtime {
namespace {

constexpr char kMagic[] = "mxerr-xla 1\n";

/* FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
std::uint64_t Checksum(std::string_view data) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : data) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

double Flops(const Function &function, const Instruction &instruction) {
  double elements = 1;
  for (const std::int64_t size : instruction.shape) elements *= static_cast<double>(size);
  switch (instruction.operation) {
    case Operation::kAdd:
    case Operation::kMultiply: return elements;
    case Operation::kDot:
      return 2 * elements * static_cast<double>(function.instructions[instruction.operands[0]].shape[1]);
    default: return 0;
  }
}

double Bytes(const Instruction &instruction) {
  double bytes = sizeof(float);
  for (const std::int64_t size : instruction.shape) bytes *= static_cast<double>(size);
  return bytes;
}

const char *TypeName(const Attribute &value) {
  if (const OtherType *other = std::get_if<OtherType>(&value)) return other->name.c_str();
  return std::holds_alternative<std::string>(value) ? "str" : "int";
}

template <typename T>
const T &ValueOf(const std::string &attribute, const Attribute &value, const char *expected) {
  const T *typed = std::get_if<T>(&value);
  if (typed == nullptr)
    throw XlaTypeError(StrCat(attribute, ": expected ", expected, ", got ", TypeName(value)));
  return *typed;
}

}  // namespace

StatusOr<std::shared_ptr<Executable>> Executable::Compile(std::shared_ptr<Client> client,
                                                          const std::string &text) {
  XLA_RETURN_IF_ERROR(client->CheckRunning());
  XLA_ASSIGN_OR_RETURN(Program program, Parse(text));
  return std::shared_ptr<Executable>(new Executable(std::move(client), text, std::move(program)));
}

std::string Executable::Serialize() const {
  const std::uint64_t checksum = Checksum(text_);
  return kMagic + std::string(reinterpret_cast<const char *>(&checksum), sizeof checksum) + text_;
}

StatusOr<std::shared_ptr<Executable>> Executable::Deserialize(std::shared_ptr<Client> client,
                                                              const std::string &data) {
  const std::size_t magic_size = sizeof kMagic - 1;
  std::uint64_t checksum = 0;
  if (data.compare(0, magic_size, kMagic) != 0)
    return XlaInvalidArgumentError("this is no serialized executable");
  if (data.size() < magic_size + sizeof checksum)
    return XlaDataLossError("serialized executable is damaged: it ends within its head");
  std::memcpy(&checksum, data.data() + magic_size, sizeof checksum);
  const std::string text = data.substr(magic_size + sizeof checksum);
  if (Checksum(text) != checksum)
    return XlaDataLossError("serialized executable is damaged: its checksum does not match");
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<Executable> executable, Compile(std::move(client), text));
  return executable;
}

StatusOr<std::shared_ptr<Buffer>> Executable::Execute(const std::string &function,
                                                      const std::vector<std::shared_ptr<Buffer>> &arguments,
                                                      std::int64_t timeout_us, bool donate) {
  const auto found = program_.find(function);
  if (found == program_.end()) return XlaInternalError("exported function not found: %s", function.c_str());
  Execution execution(*this, function, timeout_us);
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> result, execution.Run(found->second, arguments));
  if (donate)
    for (const std::shared_ptr<Buffer> &argument : arguments) argument->Delete();
  return result;
}

std::vector<std::string> Executable::AttributeNames() {
  return {"fingerprint", "name", "optimization_level"};
}

Attribute Executable::GetAttribute(const std::string &name) const {
  const std::lock_guard<std::mutex> guard(lock_);
  if (name == "fingerprint") return static_cast<std::int64_t>(Checksum(text_) >> 1);
  if (name == "name") return name_;
  if (name == "optimization_level") return optimization_level_;
  throw XlaAttributeError(StrCat("Unknown attribute ", name));
}

void Executable::SetAttribute(const std::string &name, const Attribute &value) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (name == "optimization_level") {
    const std::int64_t level = ValueOf<std::int64_t>(name, value, "int");
    if (level < 0 || level > 3)
      throw XlaInvalidValueError(StrCat("optimization_level: expected 0 to 3, got ", level));
    optimization_level_ = level;
  } else if (name == "name") {
    name_ = ValueOf<std::string>(name, value, "str");
  } else if (name == "fingerprint") {
    throw XlaPermissionDeniedError(StrCat("attribute fingerprint is read-only"));
  } else {
    throw XlaAttributeError(StrCat("Unknown attribute ", name));
  }
}

double Executable::Cost(const std::string &key) const {
  double cost = 0;
  if (key != "bytes" && key != "flops")
    throw XlaKeyError(StrCat("no cost named '", key, "'; there are: bytes, flops"));
  for (const auto &[name, function] : program_)
    for (const Instruction &instruction : function.instructions)
      cost += key == "bytes" ? Bytes(instruction) : Flops(function, instruction);
  return cost;
}

}  // namespace xla::runtime
