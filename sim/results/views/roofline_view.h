// Kernels under the roofs of a GPU, as text, JSON and a picture.
//
//   roofline on NVIDIA H200 SXM
//
//   ceiling         nominal        measured       ridge
//   shared memory   33.45 TB/s     33.26 TB/s     1.96 FLOP/byte
//   ...
//
//   gemm_tiled: 2.147 GFLOP in 236.6 us: 9.076 TFLOP/s, 14 % of FP32
//     level           bytes     FLOP/byte   allows          reached
//     shared memory   9.13 GB   0.235       7.82 TFLOP/s    #######################...   89 %
//   roof: shared memory, ...
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/results/roofline.h"

namespace tilescope {

struct LabelledPoint {
  std::string label;                   // the kernel as the user wrote it
  std::optional<RooflinePoint> point;  // nullopt: it has no work that is known
};

struct RooflineView {
  std::string gpu;
  Ceilings ceilings;
  std::vector<LabelledPoint> kernels;
};

std::string roofline_text(const RooflineView& view);
// "schema": "tilescope.roofline/1"; docs/views.md.
nlohmann::ordered_json roofline_json(const RooflineView& view);
std::string roofline_svg(const RooflineView& view);

}  // namespace tilescope
