// Bytes asked for and moved, level by level, kernels beside one another, as text, JSON and a picture.
//
//   traffic on NVIDIA H200 SXM
//
//   HBM
//     gemm_naive    1.1 GB   ##############################   reads 88 x the least
//     gemm_tiled  272.6 MB   #######.......................   reads 22 x the least
//   ...
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/results/traffic.h"

namespace tilescope {

struct LabelledTraffic {
  std::string label;  // the kernel as the user wrote it
  Traffic traffic;
};

struct TrafficView {
  std::string gpu;
  std::vector<LabelledTraffic> kernels;
};

std::string traffic_text(const TrafficView& view);
// "schema": "tilescope.traffic/1"; docs/views.md.
nlohmann::ordered_json traffic_json(const TrafficView& view);
std::string traffic_svg(const TrafficView& view);

}  // namespace tilescope
