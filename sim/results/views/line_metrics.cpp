#include "sim/results/views/line_view.h"

namespace tilescope {
namespace {

template <AccessKind Kind>
std::uint64_t requests_of(const LineRow& row) {
  return row.counters.of(Kind).requests;
}
template <AccessKind Kind>
std::uint64_t sectors_of(const LineRow& row) {
  return row.counters.of(Kind).sectors;
}
template <AccessKind Kind>
std::uint64_t hits_of(const LineRow& row) {
  return row.counters.of(Kind).hit_sectors;
}
template <AccessKind Kind>
std::uint64_t wavefronts_of(const LineRow& row) {
  return row.counters.of(Kind).wavefronts;
}
template <AccessKind Kind>
std::uint64_t conflicts_of(const LineRow& row) {
  return row.counters.of(Kind).wavefronts - row.counters.of(Kind).ideal;
}

}  // namespace

const std::vector<LineMetric>& line_metrics() {
  using Row = const LineRow&;
  static const std::string requests = "l1tex__t_requests_pipe_lsu_mem_";
  static const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_";
  static const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts";
  static const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  static const std::vector<LineMetric> all = {
      {"smsp__inst_executed.sum", [](Row r) { return r.counters.executed; }},
      {requests + "global_op_ld.sum", requests_of<AccessKind::global_load>},
      {requests + "global_op_st.sum", requests_of<AccessKind::global_store>},
      {requests + "global_op_atom.sum", requests_of<AccessKind::global_atomic>},
      {requests + "global_op_red.sum", requests_of<AccessKind::global_reduction>},
      {requests + "local_op_ld.sum", requests_of<AccessKind::local_load>},
      {requests + "local_op_st.sum", requests_of<AccessKind::local_store>},
      {sectors + "global_op_ld.sum", sectors_of<AccessKind::global_load>},
      {sectors + "global_op_st.sum", sectors_of<AccessKind::global_store>},
      {sectors + "global_op_atom.sum", sectors_of<AccessKind::global_atomic>},
      {sectors + "global_op_red.sum", sectors_of<AccessKind::global_reduction>},
      {sectors + "local_op_ld.sum", sectors_of<AccessKind::local_load>},
      {sectors + "local_op_st.sum", sectors_of<AccessKind::local_store>},
      {sectors + "global_op_ld_lookup_hit.sum", hits_of<AccessKind::global_load>},
      {sectors + "local_op_ld_lookup_hit.sum", hits_of<AccessKind::local_load>},
      {"l1tex__m_xbar2l1tex_read_sectors.sum", [](Row r) { return r.counters.fill_sectors; }},
      {"l1tex__m_l1tex2xbar_write_sectors.sum", [](Row r) { return r.counters.sent_sectors(); }},
      {wavefronts + ".sum", [](Row r) { return r.counters.data_wavefronts; }},
      {wavefronts + "_mem_shared_op_ld.sum", wavefronts_of<AccessKind::shared_load>},
      {wavefronts + "_mem_shared_op_st.sum", wavefronts_of<AccessKind::shared_store>},
      {wavefronts + "_mem_shared_op_atom.sum", wavefronts_of<AccessKind::shared_atomic>},
      {conflicts + "ld.sum", conflicts_of<AccessKind::shared_load>},
      {conflicts + "st.sum", conflicts_of<AccessKind::shared_store>},
      {conflicts + "atom.sum", conflicts_of<AccessKind::shared_atomic>},
  };
  return all;
}

}  // namespace tilescope
