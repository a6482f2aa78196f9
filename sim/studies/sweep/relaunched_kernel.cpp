#include "sim/studies/sweep/relaunched_kernel.h"

#include <utility>

#include "models/support/accepted.h"

namespace tilescope::sweep {

RelaunchedKernel::RelaunchedKernel(std::shared_ptr<const Kernel> kernel, const ParameterTexts& values)
    : kernel_(std::move(kernel)), launch_(kernel_->launch()) {
  const auto take = [&](const char* name, std::int64_t& target) {
    const auto found = values.find(name);
    if (found == values.end()) return;
    if (const auto number = parse_integer(found->second)) target = *number;
  };
  take("launch.dynamic_smem_bytes", launch_.dynamic_smem_bytes);
  take("launch.registers_per_thread", launch_.registers_per_thread);
}

}  // namespace tilescope::sweep
