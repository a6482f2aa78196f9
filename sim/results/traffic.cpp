#include "sim/results/traffic.h"

#include "models/support/units.h"

namespace tilescope {

Traffic traffic(const Result& result, const LaunchBytes& bytes) {
  const auto counted = [&](const char* metric) { return result.metric(metric).value_or(0); };
  const auto sector = static_cast<double>(kSectorBytes), line = static_cast<double>(kLineBytes);
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_";
  const auto of = [&](const char* kind) { return counted((sectors + kind + ".sum").c_str()) * sector; };
  const double shared = counted("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") * line;
  const double shared_stored = counted("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum") * line;
  Traffic all;
  all.levels = {
      {"lanes_global", "asked by lanes, global", bytes.global_read, bytes.global_written},
      {"lanes_shared", "asked by lanes, shared", bytes.shared_read, bytes.shared_written},
      {"shared", "shared memory", shared - shared_stored, shared_stored},
      {"l1", "L1", of("global_op_ld") + of("local_op_ld"),
       of("global_op_st") + of("local_op_st") + of("global_op_atom") + of("global_op_red")},
      {"l2", "L2", counted("lts__t_sectors_srcunit_tex_op_read.sum") * sector,
       counted("l1tex__m_l1tex2xbar_write_sectors.sum") * sector},
      {"hbm", "HBM", counted("dram__bytes_read.sum"), counted("dram__bytes_write.sum")},
  };
  all.least_read = bytes.least_read;
  all.least_written = bytes.least_written;
  all.every_cta = bytes.ctas_walked == result.launch.grid.count();
  return all;
}

}  // namespace tilescope
