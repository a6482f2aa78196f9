#include "sim/results/views/table_rows.h"

#include <fmt/format.h>

#include <utility>

namespace tilescope {
namespace {

TableRow metric(std::string label, const std::string& name, Notation notation = Notation::count) {
  const Metric* known = find_metric(name);
  return {std::move(label),
          known == nullptr ? "" : known->unit,
          notation,
          [name](const Result& r) { return r.metric(name); },
          {}};
}

TableRow derived(std::string label, std::optional<double> Derived::*field, std::string unit) {
  return {std::move(label), std::move(unit), Notation::real, [field](const Result& r) { return r.derived.*field; }, {}};
}

TableRow text(std::string label, std::string unit, std::function<std::string(const Result&)> value) {
  return {std::move(label), std::move(unit), Notation::real, {}, std::move(value)};
}

TableRow with_unit(TableRow row, std::string unit) {
  row.unit = std::move(unit);
  return row;
}

TableRow with_notation(TableRow row, Notation notation) {
  row.notation = notation;
  return row;
}

std::string size(const Dim3& d) {
  return d.z == 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

TableGroup launch() {
  return {"launch and occupancy",
          {text("grid", "CTA", [](const Result& r) { return size(r.launch.grid); }),
           text("block", "thread", [](const Result& r) { return size(r.launch.block); }),
           with_unit(metric("registers", "launch__registers_per_thread"), "per thread"),
           text("shared memory", "byte per CTA",
                [](const Result& r) {
                  return fmt::format("{}", r.launch.static_smem_bytes + r.launch.dynamic_smem_bytes);
                }),
           with_notation(derived("CTAs per SM", &Derived::ctas_per_sm, ""), Notation::count),
           text("limited by", "", [](const Result& r) { return r.occupancy_limiter; }),
           derived("waves", &Derived::waves, ""), derived("occupancy", &Derived::occupancy_pct, "%"),
           derived("occupancy, achieved", &Derived::achieved_occupancy_pct, "%")},
          true};
}

TableGroup throughput() {
  TableRow time = metric("time", "gpu__time_duration.sum", Notation::scaled);
  time.unit = "s";
  time.value = [](const Result& r) -> std::optional<double> {
    const auto ns = r.metric("gpu__time_duration.sum");
    if (!ns) return std::nullopt;
    return *ns * 1e-9;
  };
  return {"throughput",
          {metric("cycles", "gpc__cycles_elapsed.max"), std::move(time),
           derived("performance", &Derived::tflops, "TFLOP/s"), derived("of peak", &Derived::pct_of_peak, "%"),
           metric("warp instructions", "smsp__inst_executed.sum"),
           derived("arithmetic intensity", &Derived::arithmetic_intensity, "FLOP/byte")},
          true};
}

TableGroup shared() {
  return {"shared memory",
          {metric("load instructions", "smsp__inst_executed_op_shared_ld.sum"),
           metric("load wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
           metric("load bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
           metric("store wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
           metric("store bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
           derived("wavefronts over ideal", &Derived::shared_conflict_factor, "x")}};
}

TableGroup l1() {
  return {"L1, global memory",
          {metric("load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
           metric("load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
           metric("store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
           derived("load hit rate", &Derived::l1_hit_rate_pct, "%")}};
}

TableGroup l2() {
  return {"L2",
          {metric("sectors read by SMs", "lts__t_sectors_srcunit_tex_op_read.sum"),
           metric("sectors across the fabric", "lts__t_sectors_srcunit_ltcfabric.sum"),
           metric("sectors written", "lts__t_sectors_op_write.sum"),
           derived("read hit rate, either partition", &Derived::l2_hit_rate_pct, "%"),
           metric("hit rate as counted", "lts__t_sector_hit_rate.pct", Notation::real)}};
}

TableGroup hbm() {
  TableRow read = with_unit(metric("read", "dram__bytes_read.sum", Notation::scaled), "B");
  TableRow written = with_unit(metric("written", "dram__bytes_write.sum", Notation::scaled), "B");
  return {"HBM",
          {std::move(read), std::move(written), derived("read rate", &Derived::dram_read_gbs, "GB/s"),
           derived("bandwidth used", &Derived::dram_bandwidth_pct, "%")}};
}

TableGroup utilisation() {
  TableGroup group{"utilisation", {}, false, true};
  const std::vector<std::pair<const char*, const char*>> shown = {{"L1/shared data stage", "lsu_data_stage"},
                                                                  {"L1 tag stage", "lsu_tag_stage"},
                                                                  {"issue slots", "issue_slots"},
                                                                  {"FP32 pipe", "fma_pipe"},
                                                                  {"ALU pipe", "alu_pipe"},
                                                                  {"tensor cores", "tensor_pipe"},
                                                                  {"L2 slices", "l2_bandwidth"},
                                                                  {"fabric", "l2_fabric"},
                                                                  {"HBM", "hbm_bandwidth"}};
  for (const auto& [label, name] : shown)
    group.rows.push_back({label,
                          "%",
                          Notation::real,
                          [wanted = std::string(name)](const Result& r) -> std::optional<double> {
                            for (const Utilisation& one : r.utilisation)
                              if (one.name == wanted) return one.percent;
                            return std::nullopt;
                          },
                          {}});
  return group;
}

TableGroup stalls() {
  TableGroup group{"warps per issue", {}, false, true};
  for (int i = 0; i < kStalls; ++i) {
    const std::string stall(name(static_cast<Stall>(i)));
    group.rows.push_back(with_unit(
        metric(stall, "smsp__average_warps_issue_stalled_" + stall + "_per_issue_active.ratio", Notation::real),
        "warp"));
  }
  return group;
}

}  // namespace

const std::vector<TableGroup>& table_groups() {
  static const std::vector<TableGroup> groups = {launch(), throughput(), utilisation(), shared(),
                                                 l1(),     l2(),         hbm(),         stalls()};
  return groups;
}

}  // namespace tilescope
