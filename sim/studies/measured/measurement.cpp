#include "sim/studies/measured/measurement.h"

namespace tilescope {

std::optional<double> Measurement::metric(std::string_view name) const {
  const auto value = [this](std::string_view of) -> std::optional<double> {
    const auto found = metrics.find(of);
    return found == metrics.end() ? std::nullopt : std::optional<double>(found->second);
  };
  if (const auto measured = value(name)) return measured;
  if (name != "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct") return std::nullopt;
  const auto hits = value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum");
  const auto sectors = value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  if (!hits || !sectors || *sectors == 0) return std::nullopt;
  return 100 * *hits / *sectors;
}

std::optional<double> Measurement::sm_mhz() const {
  for (const char* clock : {"sm__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.avg.per_second"})
    if (const auto hz = metric(clock)) return *hz / 1e6;
  const auto cycles = metric("gpc__cycles_elapsed.max");
  const auto ns = metric("gpu__time_duration.sum");
  if (!cycles || !ns || *ns == 0) return std::nullopt;
  return *cycles / *ns * 1e3;
}

std::string Measurement::label() const {
  const auto column = [this](const char* name) {
    const auto found = columns.find(name);
    return found == columns.end() ? std::string() : found->second;
  };
  std::string text = kernel;
  if (!column("m").empty() && !column("n").empty() && !column("k").empty())
    text += " " + column("m") + "x" + column("n") + "x" + column("k");
  if (!column("group").empty() && column("group") != "1") text += " group=" + column("group");
  for (const auto& [key, value] : parameters) text.append(" ").append(key).append("=").append(value);
  return text;
}

}  // namespace tilescope
