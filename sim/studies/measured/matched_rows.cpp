#include "sim/studies/measured/matched_rows.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace tilescope {
namespace {

std::string text_of(const Dim3& size) { return fmt::format("({}, {}, {})", size.x, size.y, size.z); }

std::optional<std::string> difference(const char* what, const std::optional<Dim3>& measured, const Dim3& mapped) {
  if (!measured || *measured == mapped) return std::nullopt;
  return fmt::format("its {} is {}, that of the kernel it is mapped to {}", what, text_of(*measured), text_of(mapped));
}

// Why the row is not the mapped launch, or nothing.
std::optional<std::string> mismatch(const Measurement& row, const MappedKernel& mapped) {
  const auto kernel = make_kernel(mapped);
  if (!kernel) return kernel.error();
  const Launch& launch = (*kernel)->launch();
  const auto grid = difference("grid", row.grid, launch.grid);
  return grid ? grid : difference("block", row.block, launch.block);
}

}  // namespace

MatchedRows match_rows(std::vector<Measurement> rows, const KernelMapping& mapping) {
  MatchedRows result;
  for (Measurement& row : rows) {
    auto mapped = mapping.map(row);
    const auto why = mapped ? mismatch(row, *mapped) : std::move(mapped.error());
    if (why)
      result.unmatched.push_back({std::move(row), *why});
    else
      result.matched.push_back({std::move(row), std::move(*mapped)});
  }
  return result;
}

}  // namespace tilescope
