/* execution.h: one run of one function, with its deadline. */
#ifndef MXERR_XLA_EXECUTION_H
#define MXERR_XLA_EXECUTION_H

#include <chrono>
#include <optional>

#include "executable.h"

namespace xla::runtime {

class Execution {
 public:
  Execution(const Executable &executable, const std::string &function, std::int64_t timeout_us);

  StatusOr<std::shared_ptr<Buffer>> Run(const Function &function,
                                        const std::vector<std::shared_ptr<Buffer>> &arguments);

 private:
  using Values = std::vector<std::shared_ptr<const Elements>>;
  using Clock = std::chrono::steady_clock;

  StatusOr<Values> BindArguments(const Function &function,
                                 const std::vector<std::shared_ptr<Buffer>> &arguments) const;
  Status Compute(const Function &function, const Instruction &instruction, const Values &values,
                 std::vector<float> *out) const;
  Status Dot(const Function &function, const Instruction &instruction, const Values &values,
             std::vector<float> *out) const;
  Status Wait(std::int64_t milliseconds) const;
  Status CustomCallTo(const std::string &target, const std::vector<float> &in, std::vector<float> *out) const;

  /* CANCELLED, ABORTED or DEADLINE_EXCEEDED where the run is to end. */
  Status CheckMayGoOn() const;

  const Executable &executable_;
  const std::string &function_;
  const std::int64_t timeout_us_;
  const std::optional<Clock::time_point> deadline_;
};

}  // namespace xla::runtime

#endif  // MXERR_XLA_EXECUTION_H
