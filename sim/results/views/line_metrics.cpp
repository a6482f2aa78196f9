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
      {requests + "ld.sum", [](Row r) { return r.counters.of(AccessKind::global_load).requests; }},
      {requests + "st.sum", [](Row r) { return r.counters.of(AccessKind::global_store).requests; }},
      {sectors + "ld.sum", [](Row r) { return r.counters.of(AccessKind::global_load).sectors; }},
      {sectors + "st.sum", [](Row r) { return r.counters.of(AccessKind::global_store).sectors; }},
      {sectors + "ld_lookup_hit.sum", [](Row r) { return r.counters.of(AccessKind::global_load).hit_sectors; }},
      {"l1tex__m_xbar2l1tex_read_sectors.sum", [](Row r) { return r.counters.fill_sectors; }},
      {"l1tex__m_l1tex2xbar_write_sectors.sum", [](Row r) { return r.counters.of(AccessKind::global_store).sectors; }},
      {wavefronts + ".sum", [](Row r) { return r.counters.data_wavefronts; }},
      {wavefronts + "_mem_shared_op_ld.sum", [](Row r) { return r.counters.of(AccessKind::shared_load).wavefronts; }},
      {wavefronts + "_mem_shared_op_st.sum", [](Row r) { return r.counters.of(AccessKind::shared_store).wavefronts; }},
      {conflicts + "ld.sum",
       [](Row r) {
         return r.counters.of(AccessKind::shared_load).wavefronts - r.counters.of(AccessKind::shared_load).ideal;
       }},
      {conflicts + "st.sum",
       [](Row r) {
         return r.counters.of(AccessKind::shared_store).wavefronts - r.counters.of(AccessKind::shared_store).ideal;
       }},
  };
  return all;
}

}  // namespace tilescope
