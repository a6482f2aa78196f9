#include "sim/results/occupancy_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {
namespace {

bool fits(const GpuSpec& gpu, const CtaResources& cta) { return launch_problems(gpu, cta).empty(); }

CtaResources with_registers(CtaResources cta, std::int64_t registers) {
  cta.registers_per_thread = registers;
  return cta;
}

CtaResources with_shared(CtaResources cta, std::int64_t bytes) {
  cta.shared_bytes = bytes;
  return cta;
}

// The largest of low, low + step, ..., high for which `holds`, where it holds up to some value.
template <class Holds>
std::optional<std::int64_t> largest(std::int64_t low, std::int64_t high, std::int64_t step, const Holds& holds) {
  std::optional<std::int64_t> found;
  for (std::int64_t value = low; value <= high && holds(value); value += step) found = value;
  return found;
}

void add_limits(const GpuSpec& gpu, OccupancyReport& report) {
  const Occupancy& now = report.now;
  for (const auto& [name, ctas] : {std::pair{"threads", now.by_threads}, std::pair{"registers", now.by_registers},
                                   std::pair{"shared memory", now.by_shared}, std::pair{"CTA slots", now.by_slots}})
    report.limits.push_back({name, ctas, std::min<std::int64_t>(100, 100 * ctas * now.warps_per_cta / gpu.sm.max_warps),
                             ctas == now.ctas_per_sm});
}

void add_what_more_takes(const GpuSpec& gpu, OccupancyReport& report) {
  const CtaResources& cta = report.cta;
  const std::int64_t unit = gpu.shared.allocation_unit_bytes, now = report.now.ctas_per_sm;
  const auto ctas_with = [&](const CtaResources& other) {
    return fits(gpu, other) ? occupancy(gpu, other).ctas_per_sm : 0;
  };
  report.one_register_less =
      occupancy(gpu, with_registers(cta, std::max<std::int64_t>(1, cta.registers_per_thread - 1)));
  report.one_kib_less = occupancy(gpu, with_shared(cta, std::max<std::int64_t>(0, cta.shared_bytes - 1024)));

  const auto registers_until = [&](std::int64_t wanted) {
    return largest(1, gpu.sm.max_registers_per_thread, 1,
                   [&](std::int64_t count) { return ctas_with(with_registers(cta, count)) >= wanted; });
  };
  const auto shared_until = [&](std::int64_t wanted) {
    return largest(0, gpu.shared.max_per_cta_kib * 1024, unit,
                   [&](std::int64_t bytes) { return ctas_with(with_shared(cta, bytes)) >= wanted; });
  };
  report.registers_for_more = registers_until(now + 1);
  report.shared_for_more = shared_until(now + 1);
  if (report.registers_for_more)
    report.with_those_registers = occupancy(gpu, with_registers(cta, *report.registers_for_more));
  if (report.shared_for_more) report.with_that_shared = occupancy(gpu, with_shared(cta, *report.shared_for_more));
  report.registers_for_same = registers_until(now).value_or(cta.registers_per_thread);
  report.shared_for_same = shared_until(now).value_or(cta.shared_bytes);
}

}  // namespace

OccupancyCase occupancy_case(const GpuSpec& gpu, std::string label, const CtaResources& cta) {
  OccupancyCase made{std::move(label), cta, fits(gpu, cta), {}};
  if (made.launchable) made.occupancy = occupancy(gpu, cta);
  return made;
}

OccupancyReport occupancy_report(const GpuSpec& gpu, const CtaResources& cta) {
  OccupancyReport report;
  report.cta = cta;
  report.now = occupancy(gpu, cta);
  add_limits(gpu, report);
  add_what_more_takes(gpu, report);
  for (const std::int64_t threads : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
    CtaResources other = cta;
    other.threads = threads;
    report.by_block.push_back(occupancy_case(gpu, fmt::format("{}", threads), other));
  }
  for (const std::int64_t registers : {16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255})
    report.by_registers.push_back(occupancy_case(gpu, fmt::format("{}", registers), with_registers(cta, registers)));
  return report;
}

}  // namespace tilescope
