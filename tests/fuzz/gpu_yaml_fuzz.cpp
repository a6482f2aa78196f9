// The input is a GPU's YAML file. What is accepted must also be written, hashed and simulated with.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "models/gpu_spec.h"
#include "models/pipes.h"
#include "models/support/spec_hash.h"
#include "models/support/spec_reader.h"
#include "models/support/spec_writer.h"
#include "sim/simulate.h"
#include "tests/fuzz/source_dir.h"
#include "traces/kernels/registry.h"

namespace {

// A copy of 4 KiB, on two SMs and a small L2: what else the file says stays as it is.
void run(tilescope::GpuSpec gpu) {
  using namespace tilescope;
  gpu.sm.gpcs = {2};
  gpu.l2.size_mib = std::min(gpu.l2.size_mib, 8.0);
  static const auto kernel = make_kernel("copy", {{"bytes", "4096"}});
  try {
    RunOptions options;
    options.sample = Sample::off;
    (void)simulate(gpu, **kernel, options);
  } catch (const std::invalid_argument&) {  // limits that no CTA fits into
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilescope;
  const auto gpu = read_spec_text<GpuSpec>(std::string(reinterpret_cast<const char*>(data), size),
                                           fuzz::source_file("configs/gpus/input.yaml"));
  if (!gpu) return 0;
  const auto tree = spec_tree(*gpu);
  (void)to_yaml(tree);
  (void)to_json(tree).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  (void)config_hash(tree);
  (void)PipeTable(*gpu);
  run(*gpu);
  return 0;
}
