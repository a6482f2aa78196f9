// Occupancy of launches as text, JSON and a picture.
//
//   occupancy of gemm_tiled on NVIDIA H200 SXM
//   1024 threads (32 warps), 32 registers per thread, 8192 bytes of shared memory per CTA
//
//   limit           CTAs   of the SM's warps
//   threads            2   ####################  100 %  binds
//   registers          2   ####################  100 %  binds
//   shared memory     25   ####################  100 %
//   CTA slots         32   ####################  100 %
//   an SM holds 2 CTAs, 64 of its 64 warps: 100 %; ...
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/results/occupancy_report.h"

namespace tilescope {

struct LabelledOccupancy {
  std::string label;
  OccupancyReport report;
};

struct OccupancyView {
  std::string gpu;
  std::int64_t max_warps = 0;  // of an SM
  std::vector<LabelledOccupancy> kernels;
};

std::string occupancy_text(const OccupancyView& view);
// "schema": "tilescope.occupancy/1"; docs/views.md.
nlohmann::ordered_json occupancy_json(const OccupancyView& view);
std::string occupancy_svg(const OccupancyView& view);

}  // namespace tilescope
