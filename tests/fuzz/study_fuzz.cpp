// The input is a study file. A study that is accepted and has few points is planned.
#include <cstddef>
#include <cstdint>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/study_reader.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/source_dir.h"

namespace {

double points_of(const tilescope::sweep::Study& study) {
  double sum = 0;
  for (const auto& kernel : study.kernels) {
    double points = static_cast<double>(study.gpus.size());
    for (const auto& axis : kernel.axes) points *= static_cast<double>(axis.values.size());
    sum += points;
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilescope;
  const fuzz::MemoryFile file({data, size});
  auto study = sweep::read_study(file.path(), [](const std::string& name) -> tl::expected<std::string, std::string> {
    if (name != "h100" && name != "h200") return tl::unexpected(std::string("unknown GPU"));
    return fuzz::source_file("configs/gpus/" + name + ".yaml");
  });
  if (!study || points_of(*study) > 100) return 0;
  (void)sweep::make_plan(std::move(*study));
  return 0;
}
