/* execution.cpp: computes the instructions of a function in turn, and looks now and then whether it is to
 * stop. */
#include "execution.h"

#include <algorithm>
#include <thread>

namespace xla::runtime {
namespace {

/* Microseconds, some thirty years: the end of a longer wait could lie beyond what a clock can say. */
constexpr std::int64_t kLongest = 1000000000000000;

/* Elements that are computed between two looks at the clock. */
constexpr std::size_t kStride = 65536;

/* An operand of an element-wise operation, where a scalar goes with any shape. */
float At(const std::vector<float> &values, std::size_t i) {
  return values.size() == 1 ? values[0] : values[i];
}

/* Of each instruction, the one that needs its value last: itself where none does, past the end for the root. */
std::vector<std::size_t> LastUses(const Function &function) {
  std::vector<std::size_t> last_uses(function.instructions.size());
  for (std::size_t i = 0; i < last_uses.size(); i++) {
    last_uses[i] = i;
    for (const std::size_t operand : function.instructions[i].operands) last_uses[operand] = i;
  }
  last_uses[function.root] = last_uses.size();
  return last_uses;
}

}  // namespace

Execution::Execution(const Executable &executable, const std::string &function, std::int64_t timeout_us)
    : executable_(executable),
      function_(function),
      timeout_us_(timeout_us),
      deadline_(timeout_us < 0 ? std::optional<Clock::time_point>()
                               : Clock::now() + std::chrono::microseconds(std::min(timeout_us, kLongest))) {}

StatusOr<std::shared_ptr<Buffer>> Execution::Run(const Function &function,
                                                 const std::vector<std::shared_ptr<Buffer>> &arguments) {
  XLA_ASSIGN_OR_RETURN(Values inputs, BindArguments(function, arguments));
  const std::vector<std::size_t> last_uses = LastUses(function);
  Values values;
  for (std::size_t i = 0; i < function.instructions.size(); i++) {
    const Instruction &instruction = function.instructions[i];
    XLA_RETURN_IF_ERROR(CheckMayGoOn());
    if (instruction.operation == Operation::kParameter) {
      values.push_back(std::move(inputs[static_cast<std::size_t>(instruction.number)]));
    } else {
      XLA_ASSIGN_OR_RETURN(const std::shared_ptr<Elements> out,
                           executable_.client_->Allocate(instruction.shape, 0, instruction.constant));
      XLA_RETURN_IF_ERROR(Compute(function, instruction, values, &out->values));
      values.push_back(out);
    }
    for (const std::size_t operand : instruction.operands)
      if (last_uses[operand] == i) values[operand].reset();
    if (last_uses[i] == i) values[i].reset();
  }
  XLA_RETURN_IF_ERROR(CheckMayGoOn());  // a custom call may have shut the client down
  return Buffer::OfResult(executable_.client_, function.instructions[function.root].shape,
                          std::move(values[function.root]));
}

StatusOr<Execution::Values> Execution::BindArguments(
    const Function &function, const std::vector<std::shared_ptr<Buffer>> &arguments) const {
  Values values;
  if (arguments.size() != function.parameters.size())
    return XlaInvalidArgumentError("'%s' takes %zu arguments, got %zu", function_.c_str(),
                                   function.parameters.size(), arguments.size());
  for (std::size_t i = 0; i < arguments.size(); i++) {
    if (arguments[i]->client() != executable_.client_)
      return XlaInvalidArgumentError(
          "argument %zu of '%s': expected a buffer of the client that compiled it, got one of another client%s",
          i, function_.c_str(), arguments[i]->CheckRunning().ok() ? "" : ", which was shut down");
    if (arguments[i]->shape() != function.parameters[i])
      return XlaInvalidArgumentError("argument %zu of '%s': expected %s, got %s", i, function_.c_str(),
                                     ToString(function.parameters[i]).c_str(),
                                     ToString(arguments[i]->shape()).c_str());
    XLA_ASSIGN_OR_RETURN(auto data, arguments[i]->Data());
    values.push_back(std::move(data));
  }
  return values;
}

Status Execution::Compute(const Function &function, const Instruction &instruction, const Values &values,
                          std::vector<float> *out) const {
  if (instruction.operands.empty()) return OkStatus();  // a constant, which is there already
  const std::vector<float> &left = values[instruction.operands[0]]->values;
  switch (instruction.operation) {
    case Operation::kAdd:
    case Operation::kMultiply: {
      const std::vector<float> &right = values[instruction.operands[1]]->values;
      const bool adds = instruction.operation == Operation::kAdd;
      for (std::size_t i = 0; i < out->size(); i++) {
        if (i % kStride == 0) XLA_RETURN_IF_ERROR(CheckMayGoOn());
        (*out)[i] = adds ? At(left, i) + At(right, i) : At(left, i) * At(right, i);
      }
      break;
    }
    case Operation::kDot: XLA_RETURN_IF_ERROR(Dot(function, instruction, values, out)); break;
    case Operation::kWait:
      *out = left;
      XLA_RETURN_IF_ERROR(Wait(instruction.number));
      break;
    case Operation::kCustomCall: XLA_RETURN_IF_ERROR(CustomCallTo(instruction.target, left, out)); break;
    default: break;
  }
  return OkStatus();
}

Status Execution::Dot(const Function &function, const Instruction &instruction, const Values &values,
                      std::vector<float> *out) const {
  const std::vector<float> &left = values[instruction.operands[0]]->values,
                           &right = values[instruction.operands[1]]->values;
  const auto rows = static_cast<std::size_t>(instruction.shape[0]);
  const auto columns = static_cast<std::size_t>(instruction.shape[1]);
  const auto depth = static_cast<std::size_t>(function.instructions[instruction.operands[0]].shape[1]);
  std::size_t products = 0;
  for (std::size_t row = 0; row < rows; row++) {
    for (std::size_t column = 0; column < columns; column++, products += depth) {
      if (products >= kStride) {
        products = 0;
        XLA_RETURN_IF_ERROR(CheckMayGoOn());
      }
      double sum = 0;
      for (std::size_t k = 0; k < depth; k++)
        sum += static_cast<double>(left[row * depth + k]) * static_cast<double>(right[k * columns + column]);
      (*out)[row * columns + column] = static_cast<float>(sum);
    }
  }
  return OkStatus();
}

Status Execution::Wait(std::int64_t milliseconds) const {
  const Clock::time_point begin = Clock::now();
  while (std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count() < milliseconds) {
    XLA_RETURN_IF_ERROR(CheckMayGoOn());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return CheckMayGoOn();
}

Status Execution::CustomCallTo(const std::string &target, const std::vector<float> &in,
                               std::vector<float> *out) const {
  XLA_ASSIGN_OR_RETURN(const CustomCall call, executable_.client_->FindCustomCall(target));
  const int status = call(in.data(), out->data(), out->size());
  if (status != 0)
    return XlaUnknownError("custom call '%s' failed with status %d, and said no more", target.c_str(),
                           status);
  return OkStatus();
}

Status Execution::CheckMayGoOn() const {
  if (MXERR_UNLIKELY(mxerr_interrupted_ != 0))  // which becomes a KeyboardInterrupt
    return XlaCancelledError("execution of '%s' was interrupted", function_.c_str());
  if (executable_.cancelled_) return XlaCancelledError("execution of '%s' was cancelled", function_.c_str());
  if (executable_.client_->is_shut_down())
    return XlaAbortedError("execution of '%s' was aborted: the client was shut down", function_.c_str());
  if (deadline_ && Clock::now() >= *deadline_)
    return XlaDeadlineExceededError("execution of '%s' took longer than %lld ms", function_.c_str(),
                                    static_cast<long long>(timeout_us_ / 1000));
  return OkStatus();
}

}  // namespace xla::runtime
