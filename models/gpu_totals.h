// What a GPU's configuration adds up to: capacities, peak arithmetic and peak bandwidth of each level.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/gpu_spec.h"

namespace tilescope {

struct GpuTotals {
  double sms = 0;
  double registers_bytes = 0;
  double l1_and_shared_bytes = 0;
  double l2_bytes = 0;
  double fp32_flops = 0;         // FLOP/s, two per multiply-add
  double fp64_flops = 0;         // FLOP/s, tensor cores apart
  double tensor_fp16_flops = 0;  // FLOP/s, dense, at the clock of the SMs; products of warpgroups where there are such
  double tensor_mma_flops = 0;   // FLOP/s, the same by products of single warps (mma.sync)
  double shared_gbs = 0;         // GB/s: one wavefront of 128 B per SM and cycle; L1 hits use the same stage
  double l2_to_sm_gbs = 0;       // the SMs' read ports together
  double l2_gbs = 0;             // out of all slices
  double fabric_gbs = 0;         // both directions; 0 with one partition
  double hbm_gbs = 0;
  double ridge_flop_per_byte = 0;  // FP32 peak over HBM bandwidth
};

GpuTotals gpu_totals(const GpuSpec& gpu);

struct GpuTotal {
  std::string_view key;  // as in GpuTotals
  std::string_view label;
  std::string_view unit;
  double GpuTotals::*value;
};

// Every total with its label and unit, for views.
const std::vector<GpuTotal>& gpu_total_fields();

}  // namespace tilescope
