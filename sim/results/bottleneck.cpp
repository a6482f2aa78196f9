#include "sim/results/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/results/real.h"

namespace tilescope {
namespace {

constexpr double kIdlePercent = 50;

// What is behind a busy resource, where the counters know more than its utilisation.
std::string detail(const std::string& name, const MetricSource& source) {
  const SmCounters& sm = source.outcome.sm;
  if (name == "lsu_data_stage") {
    const double ideal = real(sm.shared_ideal());
    const double shared = real(sm.shared_wavefronts());
    if (ideal == 0) return "no shared memory in it";
    return fmt::format("bank conflicts add {:.0f} %", percent(std::max(0.0, shared - ideal), real(sm.data_wavefronts)));
  }
  if (name == "lsu_tag_stage")
    return fmt::format("{:.1f} cycles per global request",
                       real(sm.tag_cycles) / std::max(1.0, real(sm.line_requests())));
  if (name == "issue_slots" && source.launch.flop > 0)
    return fmt::format("{:.0f} % of the instructions are FP32 multiply-adds",
                       percent(executed(source, OpClass::fma), real(sm.total_instructions())));
  if (name == "hbm_bandwidth")
    return fmt::format("{:.1f} MB read, {:.1f} MB written", real(source.outcome.memory.hbm.read_bytes) / 1e6,
                       real(source.outcome.memory.hbm.write_bytes) / 1e6);
  return "";
}

Bottleneck busy(const Utilisation& one, const MetricSource& source) {
  const std::string more = detail(one.name, source);
  return {one.name,
          fmt::format("{}: {:.0f} % {}{}{}", one.label, one.percent, one.measure, more.empty() ? "" : "; ", more)};
}

Bottleneck idle(const MetricSource& source, double active) {
  const auto sms = source.gpu.sm.count();
  const double waves =
      static_cast<double>(source.launch.grid.count()) / static_cast<double>(sms * source.outcome.occupancy.ctas_per_sm);
  return {"idle_sms",
          fmt::format(
              "SMs without work: {} CTAs on {} SMs ({:.2f} waves) keep an SM busy for {:.0f} % of the kernel's cycles",
              source.launch.grid.count(), sms, waves, active)};
}

Bottleneck latency(const MetricSource& source, const Utilisation& busiest) {
  const auto& stalls = source.outcome.sm.stall_cycles;
  int longest = static_cast<int>(Stall::wait);
  double total = 0;
  for (int i = 0; i < kStalls; ++i) {
    const auto stall = static_cast<Stall>(i);
    total += real(stalls[static_cast<std::size_t>(i)]);
    if (stall == Stall::selected || stall == Stall::not_selected) continue;
    if (stalls[static_cast<std::size_t>(i)] > stalls[static_cast<std::size_t>(longest)]) longest = i;
  }
  const auto stall = static_cast<Stall>(longest);
  const double share = percent(real(stalls[static_cast<std::size_t>(longest)]), total);
  return {"latency_" + std::string(name(stall)),
          fmt::format("latency: of their time, warps {} for {:.0f} %; no resource is busy ({}: {:.0f} %)",
                      meaning(stall), share, busiest.label, busiest.percent)};
}

}  // namespace

Bottleneck bottleneck(const MetricSource& source, const std::vector<Utilisation>& all) {
  const double active = sm_active_percent(source);
  if (active < kIdlePercent) return idle(source, active);
  const auto busiest = std::max_element(
      all.begin(), all.end(), [](const Utilisation& a, const Utilisation& b) { return a.percent < b.percent; });
  return busiest->percent >= kBusyPercent ? busy(*busiest, source) : latency(source, *busiest);
}

}  // namespace tilescope
