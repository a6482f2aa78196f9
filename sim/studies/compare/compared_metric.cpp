#include "sim/studies/compare/compared_metric.h"

#include <algorithm>

namespace tilescope {
namespace {

ComparedMetric plain(const Metric& metric) {
  const std::string& name = metric.name;
  return {name,
          metric.unit,
          metric.needs_time,
          metric.whole,
          [name](const Result& result) { return result.metric(name); },
          [name](const Measurement& row, const Result&) { return row.metric(name); }};
}

std::string wavefronts(const std::string& op) { return "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum"; }
std::string conflicts(const std::string& op) {
  return "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum";
}

std::optional<double> difference(std::optional<double> whole, std::optional<double> part) {
  if (!whole || !part) return std::nullopt;
  return *whole - *part;
}

ComparedMetric less_conflicts(const std::string& op) {
  return {"derived.shared_" + op + "_wavefronts_less_conflicts",
          "wavefront",
          false,
          true,
          [op](const Result& r) { return difference(r.metric(wavefronts(op)), r.metric(conflicts(op))); },
          [op](const Measurement& m, const Result&) {
            return difference(m.metric(wavefronts(op)), m.metric(conflicts(op)));
          }};
}

ComparedMetric arbitration(const std::string& op) {
  return {"derived.shared_" + op + "_arbitration_pct",
          "%",
          false,
          false,
          [](const Result&) { return 0.0; },
          [op](const Measurement& m, const Result& r) -> std::optional<double> {
            const auto excess = difference(m.metric(conflicts(op)), r.metric(conflicts(op)));
            const auto all = m.metric(wavefronts(op));
            if (!excess || !all) return std::nullopt;
            return percent(*excess, *all);
          }};
}

}  // namespace

const std::vector<ComparedMetric>& compared_metrics() {
  static const std::vector<ComparedMetric> all = [] {
    std::vector<ComparedMetric> made;
    for (const Metric& metric : metrics()) made.push_back(plain(metric));
    for (const char* op : {"ld", "st"}) {
      made.push_back(less_conflicts(op));
      made.push_back(arbitration(op));
    }
    return made;
  }();
  return all;
}

const ComparedMetric* find_compared_metric(std::string_view name) {
  const auto& all = compared_metrics();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ComparedMetric& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const std::vector<std::string>& default_compared_metrics() {
  static const std::vector<std::string> names = {
      "gpc__cycles_elapsed.max",
      "gpu__time_duration.sum",
      "smsp__inst_executed.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
      wavefronts("ld"),
      "derived.shared_ld_wavefronts_less_conflicts",
      "derived.shared_ld_arbitration_pct",
      wavefronts("st"),
      "derived.shared_st_wavefronts_less_conflicts",
      "derived.shared_st_arbitration_pct",
      "lts__t_sectors_srcunit_tex_op_read.sum",
      "dram__bytes_read.sum",
  };
  return names;
}

}  // namespace tilescope
