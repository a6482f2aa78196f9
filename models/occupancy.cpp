#include "models/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/lane_pattern.h"

namespace tilescope {
namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }
std::int64_t round_up(std::int64_t value, std::int64_t to) { return divide_up(value, to) * to; }

std::int64_t registers_per_warp(const GpuSpec& gpu, const CtaResources& cta) {
  return round_up(std::max<std::int64_t>(cta.registers_per_thread, 1) * kLanes, gpu.sm.register_allocation_unit);
}

// An SM knows the warps of its CTAs until these have ended, four times as many as it runs at once: CTAs of 1,024, 512
// and 256 threads all of whose warps but one exit at once are 8, 16 and 32 at most (gpu/microbench/cta_turn.cu).
constexpr std::int64_t kWarpsOfCtas = 4;

// Warps whose registers fit, counted per sub-partition: a warp lives in one of them.
std::int64_t warps_by_registers(const GpuSpec& gpu, const CtaResources& cta) {
  return gpu.sm.registers / gpu.sm.sub_partitions / registers_per_warp(gpu, cta) * gpu.sm.sub_partitions;
}

std::int64_t shared_with_reserve(const GpuSpec& gpu, const CtaResources& cta) {
  return round_up(cta.shared_bytes, gpu.shared.allocation_unit_bytes) + gpu.shared.reserved_per_cta_bytes;
}

}  // namespace

std::vector<std::string> launch_problems(const GpuSpec& gpu, const CtaResources& cta) {
  std::vector<std::string> problems;
  if (cta.threads < 1) problems.emplace_back("a CTA needs at least one thread");
  if (cta.threads > gpu.sm.max_threads_per_cta)
    problems.push_back(fmt::format("a CTA of {} threads exceeds the limit of {} by {}", cta.threads,
                                   gpu.sm.max_threads_per_cta, cta.threads - gpu.sm.max_threads_per_cta));
  const std::int64_t limit = gpu.shared.max_per_cta_kib * 1024;
  if (cta.shared_bytes > limit)
    problems.push_back(fmt::format("a CTA's {} bytes of shared memory exceed the limit of {} by {}", cta.shared_bytes,
                                   limit, cta.shared_bytes - limit));
  if (cta.registers_per_thread > gpu.sm.max_registers_per_thread)
    problems.push_back(fmt::format("{} registers per thread exceed the limit of {} by {}", cta.registers_per_thread,
                                   gpu.sm.max_registers_per_thread,
                                   cta.registers_per_thread - gpu.sm.max_registers_per_thread));
  const std::int64_t warps = divide_up(std::max<std::int64_t>(cta.threads, 1), kLanes);
  if (warps > gpu.sm.max_warps)
    problems.push_back(
        fmt::format("a CTA of {} warps does not fit into an SM of {} (sm.max_warps)", warps, gpu.sm.max_warps));
  if (warps * kLanes > gpu.sm.max_threads)
    problems.push_back(fmt::format("a CTA of {} warps does not fit into an SM of {} threads (sm.max_threads)", warps,
                                   gpu.sm.max_threads));
  const std::int64_t shared = shared_with_reserve(gpu, cta);
  if (cta.shared_bytes <= limit && shared > gpu.shared.max_per_sm_kib * 1024)
    problems.push_back(
        fmt::format("a CTA's {} bytes of shared memory, {} with what is reserved and rounded, do not fit into an SM's "
                    "{} KiB (shared.max_per_sm_kib)",
                    cta.shared_bytes, shared, gpu.shared.max_per_sm_kib));
  const std::int64_t held = warps_by_registers(gpu, cta);
  if (problems.empty() && round_up(warps, gpu.sm.sub_partitions) > held)
    problems.push_back(fmt::format("{} warps of {} registers per thread need {} registers, {} more than the SM's {}",
                                   warps, cta.registers_per_thread, warps * registers_per_warp(gpu, cta),
                                   std::max<std::int64_t>(1, warps * registers_per_warp(gpu, cta) - gpu.sm.registers),
                                   gpu.sm.registers));
  return problems;
}

Occupancy occupancy(const GpuSpec& gpu, const CtaResources& cta) {
  Occupancy result;
  result.warps_per_cta = divide_up(cta.threads, kLanes);
  result.by_threads =
      std::min(gpu.sm.max_warps / result.warps_per_cta, gpu.sm.max_threads / (result.warps_per_cta * kLanes));
  result.by_registers = warps_by_registers(gpu, cta) / result.warps_per_cta;
  const std::int64_t shared = shared_with_reserve(gpu, cta);
  result.by_shared = shared == 0 ? gpu.sm.max_ctas : gpu.shared.max_per_sm_kib * 1024 / shared;
  result.by_slots = gpu.sm.max_ctas;

  result.ctas_per_sm = std::min({result.by_threads, result.by_registers, result.by_shared, result.by_slots});
  result.warps_per_sub_partition = std::min(divide_up(gpu.sm.max_warps, gpu.sm.sub_partitions),
                                            warps_by_registers(gpu, cta) / gpu.sm.sub_partitions);
  result.ctas_that_run_out =
      std::max(result.ctas_per_sm,
               std::min({kWarpsOfCtas * gpu.sm.max_warps / result.warps_per_cta, result.by_shared, result.by_slots}));
  if (result.ctas_per_sm == result.by_threads)
    result.limiter = "threads";
  else if (result.ctas_per_sm == result.by_registers)
    result.limiter = "registers";
  else if (result.ctas_per_sm == result.by_shared)
    result.limiter = "shared memory";
  else
    result.limiter = "CTA slots";

  // Shared memory that is set aside only to be left empty would cost L1: the smallest choice wins. What the system
  // reserves for each CTA counts: with 32 small CTAs a pointer chase falls out of 224 KiB on an H100, not of 256.
  const std::int64_t needed = result.ctas_per_sm * shared;
  result.carveout_kib = gpu.shared.max_per_sm_kib;
  for (const std::int64_t choice : gpu.l1.carveouts_kib)
    if (choice * 1024 >= needed) result.carveout_kib = std::min(result.carveout_kib, choice);
  result.l1_kib = gpu.l1.size_kib - result.carveout_kib;
  result.percent =
      100.0 * static_cast<double>(result.ctas_per_sm * result.warps_per_cta) / static_cast<double>(gpu.sm.max_warps);
  return result;
}

}  // namespace tilescope
