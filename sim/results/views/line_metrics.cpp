#include "sim/results/views/line_view.h"

namespace tilescope {

const std::vector<LineMetric>& line_metrics() {
  using Row = const LineRow&;
  static const std::string requests = "l1tex__t_requests_pipe_lsu_mem_global_op_";
  static const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
  static const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts";
  static const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  static const std::vector<LineMetric> all = {
      {"smsp__inst_executed.sum", [](Row r) { return r.counters.executed; }},
      {requests + "ld.sum", [](Row r) { return r.counters.global_load_requests; }},
      {requests + "st.sum", [](Row r) { return r.counters.global_store_requests; }},
      {sectors + "ld.sum", [](Row r) { return r.counters.global_load_sectors; }},
      {sectors + "st.sum", [](Row r) { return r.counters.global_store_sectors; }},
      {sectors + "ld_lookup_hit.sum", [](Row r) { return r.counters.global_load_hit_sectors; }},
      {"l1tex__m_xbar2l1tex_read_sectors.sum", [](Row r) { return r.counters.fill_sectors; }},
      {"l1tex__m_l1tex2xbar_write_sectors.sum", [](Row r) { return r.counters.global_store_sectors; }},
      {wavefronts + ".sum", [](Row r) { return r.counters.data_wavefronts; }},
      {wavefronts + "_mem_shared_op_ld.sum", [](Row r) { return r.counters.shared_load_wavefronts; }},
      {wavefronts + "_mem_shared_op_st.sum", [](Row r) { return r.counters.shared_store_wavefronts; }},
      {conflicts + "ld.sum", [](Row r) { return r.counters.shared_load_wavefronts - r.counters.shared_load_ideal; }},
      {conflicts + "st.sum", [](Row r) { return r.counters.shared_store_wavefronts - r.counters.shared_store_ideal; }},
  };
  return all;
}

}  // namespace tilescope
