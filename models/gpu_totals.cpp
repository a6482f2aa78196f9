#include "models/gpu_totals.h"

#include "models/isa/lane_pattern.h"

namespace tilescope {

GpuTotals gpu_totals(const GpuSpec& gpu) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double sm_ghz = gpu.clock.sm_mhz / 1000.0;
  GpuTotals totals;
  totals.sms = real(gpu.sm.count());
  totals.registers_bytes = totals.sms * real(gpu.sm.registers) * 4;
  totals.l1_and_shared_bytes = totals.sms * real(gpu.l1.size_kib) * 1024;
  totals.l2_bytes = gpu.l2.size_mib * 1024 * 1024;
  const double sub_partitions = totals.sms * real(gpu.sm.sub_partitions);
  totals.fp32_flops = 2 * sub_partitions * real(gpu.pipes.fma_lanes) * sm_ghz * 1e9;
  totals.fp64_flops = 2 * sub_partitions * real(gpu.pipes.fp64_lanes) * sm_ghz * 1e9;
  totals.tensor_mma_flops = 2 * sub_partitions * real(gpu.pipes.tensor_fma_per_cycle) * sm_ghz * 1e9;
  totals.tensor_fp16_flops = 2 * sub_partitions *
                             real(std::max(gpu.pipes.tensor_fma_per_cycle, gpu.pipes.group_tensor_fma_per_cycle)) *
                             sm_ghz * 1e9;
  totals.shared_gbs = totals.sms * real(kLineBytes) * sm_ghz;
  totals.l2_to_sm_gbs = totals.sms * real(gpu.crossbar.sm_read_bytes_per_cycle) * sm_ghz;
  totals.l2_gbs = real(gpu.l2.slices * gpu.l2.slice_bytes_per_cycle) * gpu.clock.l2_mhz / 1000.0;
  totals.fabric_gbs = gpu.l2.partitions < 2 ? 0 : 2 * gpu.fabric.bytes_per_cycle * sm_ghz;
  totals.hbm_gbs = gpu.hbm.bandwidth_gbs;
  totals.ridge_flop_per_byte = totals.fp32_flops / (totals.hbm_gbs * 1e9);
  return totals;
}

const std::vector<GpuTotal>& gpu_total_fields() {
  static const std::vector<GpuTotal> fields = {
      {"sms", "SMs", "SM", &GpuTotals::sms},
      {"registers_bytes", "registers", "byte", &GpuTotals::registers_bytes},
      {"l1_and_shared_bytes", "L1 and shared memory", "byte", &GpuTotals::l1_and_shared_bytes},
      {"l2_bytes", "L2", "byte", &GpuTotals::l2_bytes},
      {"fp32_flops", "FP32 peak", "FLOP/s", &GpuTotals::fp32_flops},
      {"fp64_flops", "FP64 peak", "FLOP/s", &GpuTotals::fp64_flops},
      {"tensor_fp16_flops", "FP16 tensor peak, dense", "FLOP/s", &GpuTotals::tensor_fp16_flops},
      {"tensor_mma_flops", "FP16 tensor peak of mma.sync", "FLOP/s", &GpuTotals::tensor_mma_flops},
      {"shared_gbs", "shared memory, L1 hits", "GB/s", &GpuTotals::shared_gbs},
      {"l2_to_sm_gbs", "L2 into the SMs", "GB/s", &GpuTotals::l2_to_sm_gbs},
      {"l2_gbs", "L2 slices", "GB/s", &GpuTotals::l2_gbs},
      {"fabric_gbs", "fabric between L2 partitions", "GB/s", &GpuTotals::fabric_gbs},
      {"hbm_gbs", "HBM", "GB/s", &GpuTotals::hbm_gbs},
      {"ridge_flop_per_byte", "roofline ridge, FP32 and HBM", "FLOP/byte", &GpuTotals::ridge_flop_per_byte},
  };
  return fields;
}

}  // namespace tilescope
