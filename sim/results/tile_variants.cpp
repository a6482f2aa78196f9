#include "sim/results/tile_variants.h"

#include <map>

#include "sim/simulate.h"
#include "traces/kernels/registry.h"

namespace tilescope {
namespace {

// What tutorials vary, kernel by kernel: the parameters that make a tile, and their values.
const std::map<std::string, std::vector<ParameterTexts>>& tiles() {
  static const std::map<std::string, std::vector<ParameterTexts>> all = {
      {"gemm_tiled", {{{"tile", "4"}}, {{"tile", "8"}}, {{"tile", "16"}}, {{"tile", "32"}}}},
      {"gemm_naive",
       {{{"block_x", "8"}, {"block_y", "8"}},
        {{"block_x", "16"}, {"block_y", "16"}},
        {{"block_x", "32"}, {"block_y", "8"}},
        {{"block_x", "32"}, {"block_y", "32"}}}},
      {"gemm_register",
       {{{"bm", "32"}, {"bn", "32"}, {"tm", "4"}, {"tn", "4"}},
        {{"bm", "64"}, {"bn", "64"}, {"tm", "4"}, {"tn", "4"}},
        {{"bm", "64"}, {"bn", "64"}, {"tm", "8"}, {"tn", "8"}},
        {{"bm", "128"}, {"bn", "64"}, {"tm", "8"}, {"tn", "4"}},
        {{"bm", "128"}, {"bn", "128"}, {"tm", "8"}, {"tn", "8"}}}},
  };
  return all;
}

}  // namespace

std::vector<OccupancyCase> tile_variants(const GpuSpec& gpu, const Launch& launch) {
  std::vector<OccupancyCase> variants;
  const auto known = tiles().find(launch.kernel);
  if (known == tiles().end()) return variants;
  for (const ParameterTexts& tile : known->second) {
    ParameterTexts parameters(launch.parameters.begin(), launch.parameters.end());
    std::string label;
    for (const auto& [name, value] : tile) {
      if (!parameters.contains(name)) return {};  // a trace that only has the name
      parameters[name] = value;
      label += (label.empty() ? "" : " ") + name + "=" + value;
    }
    const auto kernel = make_kernel(launch.kernel, parameters);
    if (kernel) variants.push_back(occupancy_case(gpu, label, cta_resources((*kernel)->launch())));
  }
  return variants;
}

}  // namespace tilescope
