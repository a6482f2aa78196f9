#include "sim/results/derived.h"

#include "models/gpu_totals.h"
#include "sim/results/real.h"

namespace tilescope {
namespace {

std::optional<double> quotient(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}

std::optional<double> share(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return percent(part, whole);
}

void derive_time(const MetricSource& source, Derived& derived) {
  const RunOutcome& outcome = source.outcome;
  const GpuTotals totals = gpu_totals(source.gpu);
  const double ns = static_cast<double>(outcome.cycles) * 1000.0 / source.sm_mhz();
  if (ns <= 0) return;
  if (source.launch.flop > 0) {
    derived.tflops = source.launch.flop / ns / 1000.0;
    const bool on_tensor_cores = executed(source, OpClass::tensor) + executed(source, OpClass::group_tensor) > 0;
    derived.pct_of_peak =
        percent(*derived.tflops * 1e12, on_tensor_cores ? totals.tensor_fp16_flops : totals.fp32_flops);
  }
  derived.achieved_occupancy_pct = share(real(outcome.sm.warp_cycles),
                                         real(outcome.sm.active_cycles) * static_cast<double>(source.gpu.sm.max_warps));
  const HbmCounters& hbm = outcome.memory.hbm;
  derived.dram_read_gbs = real(hbm.read_bytes) / ns;
  derived.dram_write_gbs = real(hbm.write_bytes) / ns;
  derived.dram_bandwidth_pct = percent(real(hbm.read_bytes + hbm.write_bytes) / ns, totals.hbm_gbs);
}

}  // namespace

Derived derive(const MetricSource& source, Mode mode) {
  const SmCounters& sm = source.outcome.sm;
  const L2Counters& l2 = source.outcome.memory.l2;
  const HbmCounters& hbm = source.outcome.memory.hbm;
  const Occupancy& occupancy = source.outcome.occupancy;
  Derived derived;
  if (source.launch.flop > 0)
    derived.arithmetic_intensity = quotient(source.launch.flop, real(hbm.read_bytes + hbm.write_bytes));
  derived.ctas_per_sm = static_cast<double>(occupancy.ctas_per_sm);
  derived.waves = quotient(static_cast<double>(source.launch.grid.count()),
                           static_cast<double>(occupancy.ctas_per_sm * source.gpu.sm.count()));
  derived.occupancy_pct = occupancy.percent;
  derived.shared_conflict_factor = quotient(real(sm.shared_wavefronts()), real(sm.shared_ideal()));
  derived.l1_hit_rate_pct =
      share(real(sm.of(AccessKind::global_load).hit_sectors), real(sm.of(AccessKind::global_load).sectors));
  derived.l2_hit_rate_pct =
      share(real(l2.read_hit_sectors + l2.fabric_hit_sectors - l2.fabric_write_sectors), real(l2.read_sectors));
  if (mode == Mode::timing) derive_time(source, derived);
  return derived;
}

const std::vector<DerivedField>& derived_fields() {
  static const std::vector<DerivedField> fields = {
      {"tflops", "TFLOP/s", "useful floating-point operations over time", &Derived::tflops},
      {"pct_of_peak", "%", "tflops of the FP32 peak, or of the FP16 tensor peak where tensor cores are used",
       &Derived::pct_of_peak},
      {"arithmetic_intensity", "FLOP/byte", "useful operations per byte moved to or from HBM",
       &Derived::arithmetic_intensity},
      {"ctas_per_sm", "CTA", "resident at once", &Derived::ctas_per_sm},
      {"waves", "ratio", "CTAs of the grid over the CTAs resident at once", &Derived::waves},
      {"occupancy_pct", "%", "resident warps of an SM's maximum, as the limits allow", &Derived::occupancy_pct},
      {"achieved_occupancy_pct", "%", "the same as it was, mean over active cycles", &Derived::achieved_occupancy_pct},
      {"shared_conflict_factor", "ratio", "shared-memory wavefronts over the conflict-free ones; 1: no conflict",
       &Derived::shared_conflict_factor},
      {"l1_hit_rate_pct", "%", "sectors of global loads found in L1", &Derived::l1_hit_rate_pct},
      {"l2_hit_rate_pct", "%", "sectors that SMs asked L2 for and either partition had", &Derived::l2_hit_rate_pct},
      {"dram_read_gbs", "GB/s", "read from HBM", &Derived::dram_read_gbs},
      {"dram_write_gbs", "GB/s", "written to HBM", &Derived::dram_write_gbs},
      {"dram_bandwidth_pct", "%", "both of the peak", &Derived::dram_bandwidth_pct},
  };
  return fields;
}

}  // namespace tilescope
