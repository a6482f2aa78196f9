#include "sim/studies/measured/mapped_kernel.h"

#include <fmt/format.h>

#include "traces/open_kernel.h"

namespace tilescope {

tl::expected<std::unique_ptr<Kernel>, std::string> make_kernel(const MappedKernel& mapped) {
  if (!mapped.launch.empty()) {
    auto kernel = open_kernel_text(mapped.launch, mapped.launch_beside, mapped.launch_within);
    if (!kernel) return tl::unexpected(fmt::format("its launch: {}", kernel.error().front().message));
    return std::move(*kernel);
  }
  auto kernel = open_kernel(mapped.kernel, mapped.parameters);
  if (!kernel) return tl::unexpected(fmt::format("{}: {}", mapped.kernel, joined_messages(kernel.error())));
  return std::move(*kernel);
}

}  // namespace tilescope
