#include "sim/results/roofline.h"

#include <algorithm>

#include "models/gpu_totals.h"
#include "models/isa/lane_pattern.h"

namespace tilescope {
namespace {

Ceiling ceiling_of(const char* name, const char* label, double nominal, double measured, double unit) {
  Ceiling made{name, label, nominal, std::nullopt};
  if (measured > 0) made.measured = measured * unit;
  return made;
}

double sum_of(const Result& result, const std::vector<const char*>& names) {
  double sum = 0;
  for (const char* name : names) sum += result.metric(name).value_or(0);
  return sum;
}

double bytes_at(const std::string& level, const Result& result) {
  if (level == "shared")
    return sum_of(result, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}) * static_cast<double>(kLineBytes);
  if (level == "l1")
    return sum_of(result,
                  {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                   "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}) *
           static_cast<double>(kSectorBytes);
  if (level == "l2")
    return sum_of(result, {"lts__t_sectors_srcunit_tex_op_read.sum", "l1tex__m_l1tex2xbar_write_sectors.sum"}) *
           static_cast<double>(kSectorBytes);
  return sum_of(result, {"dram__bytes_read.sum", "dram__bytes_write.sum"});
}

std::size_t arithmetic_of(const Ceilings& ceilings, const Result& result, bool warpgroups) {
  const auto index = [&](const std::string& name) {
    const auto found = std::find_if(ceilings.arithmetic.begin(), ceilings.arithmetic.end(),
                                    [&](const Ceiling& one) { return one.name == name; });
    return static_cast<std::size_t>(found - ceilings.arithmetic.begin());
  };
  const auto executed_in = [&](const std::string& pipe) {
    return result.metric("smsp__inst_executed_pipe_" + pipe + ".sum").value_or(0);
  };
  if (executed_in("tensor") > executed_in("tensor_op_hmma_type_hfma2"))
    return !warpgroups && index("tensor_mma") < ceilings.arithmetic.size() ? index("tensor_mma") : index("tensor");
  return executed_in("fp64") > executed_in("fma") ? index("fp64") : index("fp32");
}

}  // namespace

Ceilings ceilings(const GpuSpec& gpu) {
  const GpuTotals totals = gpu_totals(gpu);
  const MeasuredSpec& measured = gpu.measured;
  Ceilings all;
  all.memory = {ceiling_of("shared", "shared memory", totals.shared_gbs * 1e9, measured.shared_gbs, 1e9),
                ceiling_of("l1", "L1", totals.shared_gbs * 1e9, measured.l1_gbs, 1e9),
                ceiling_of("l2", "L2", totals.l2_gbs * 1e9, measured.l2_gbs, 1e9),
                ceiling_of("hbm", "HBM", totals.hbm_gbs * 1e9, measured.hbm_gbs, 1e9)};
  all.arithmetic = {ceiling_of("fp64", "FP64", totals.fp64_flops, measured.fp64_tflops, 1e12),
                    ceiling_of("fp32", "FP32", totals.fp32_flops, measured.fp32_tflops, 1e12)};
  if (totals.tensor_mma_flops < totals.tensor_fp16_flops)
    all.arithmetic.push_back(ceiling_of("tensor_mma", "FP16 tensor, mma.sync", totals.tensor_mma_flops, 0, 1));
  all.arithmetic.push_back(
      ceiling_of("tensor", "FP16 tensor", totals.tensor_fp16_flops, measured.tensor_fp16_tflops, 1e12));
  return all;
}

std::optional<RooflinePoint> roofline_point(const Ceilings& ceilings, const Result& result, double flop) {
  const auto ns = result.metric("gpu__time_duration.sum");
  if (!ns || *ns <= 0 || flop <= 0) return std::nullopt;
  RooflinePoint point;
  point.flop = flop;
  point.seconds = *ns * 1e-9;
  point.reached = flop / point.seconds;
  point.arithmetic = arithmetic_of(ceilings, result, result.uses_warpgroups);
  point.allows = ceilings.arithmetic[point.arithmetic].value();
  const double most = point.allows;
  for (std::size_t i = 0; i < ceilings.memory.size(); ++i) {
    LevelPoint level{i, bytes_at(ceilings.memory[i].name, result)};
    if (level.bytes <= 0) continue;
    level.intensity = flop / level.bytes;
    level.allows = std::min(most, ceilings.memory[i].value() * level.intensity);
    if (level.allows < point.allows) {
      point.allows = level.allows;
      point.roof = point.levels.size();
    }
    point.levels.push_back(level);
  }
  return point;
}

}  // namespace tilescope
