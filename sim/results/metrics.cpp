#include "sim/results/metrics.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace tilescope {
namespace {

using Source = const MetricSource&;
using Value = std::function<double(Source)>;

double real(std::uint64_t count) { return static_cast<double>(count); }
// Sampled counts are estimates: a part may come out a little above its whole.
double rest(std::uint64_t whole, std::uint64_t part) { return real(whole > part ? whole - part : 0); }
double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }
double sms(Source s) { return static_cast<double>(s.gpu.sm.count()); }
double issued(Source s) { return real(s.outcome.sm.total_instructions()); }

class Registry {
 public:
  Registry() {
    add_time();
    add_launch();
    add_instructions();
    add_shared();
    add_l1();
    add_l2();
    add_stalls();
  }
  std::vector<Metric> take() { return std::move(all_); }

 private:
  void count(std::string name, std::string unit, std::string meaning, Value value) {
    all_.push_back({std::move(name), std::move(unit), std::move(meaning), false, true, std::move(value)});
  }
  void fraction(std::string name, std::string unit, std::string meaning, Value value) {
    all_.push_back({std::move(name), std::move(unit), std::move(meaning), false, false, std::move(value)});
  }
  void timed(std::string name, std::string unit, std::string meaning, bool whole, Value value) {
    all_.push_back({std::move(name), std::move(unit), std::move(meaning), true, whole, std::move(value)});
  }
  void executed_op(const std::string& op, const std::string& meaning, std::initializer_list<OpClass> classes) {
    count("smsp__inst_executed_" + op + ".sum", "inst", "warp instructions: " + meaning,
          [list = std::vector<OpClass>(classes)](Source s) {
            double total = 0;
            for (const OpClass one : list) total += executed(s, one);
            return total;
          });
  }

  void add_time();
  void add_launch();
  void add_instructions();
  void add_shared();
  void add_l1();
  void add_l2();
  void add_stalls();

  std::vector<Metric> all_;
};

void Registry::add_time() {
  timed("gpc__cycles_elapsed.max", "cycle", "SM clock cycles of the kernel, launch overhead included", true,
        [](Source s) { return static_cast<double>(s.outcome.cycles); });
  timed("gpu__time_duration.sum", "ns", "the same as time, at the configured SM clock", false,
        [](Source s) { return static_cast<double>(s.outcome.cycles) * 1000.0 / s.gpu.clock.sm_mhz; });
  timed("sm__cycles_active.avg", "cycle", "cycles with a resident CTA, mean over all SMs", false,
        [](Source s) { return real(s.outcome.sm.active_cycles) / sms(s); });
  timed("smsp__cycles_active.sum", "cycle", "the same over all sub-partitions: each is active while its SM is", true,
        [](Source s) { return real(s.outcome.sm.active_cycles) * static_cast<double>(s.gpu.sm.sub_partitions); });
  timed("smsp__issue_active.sum", "cycle", "cycles in which a sub-partition issued an instruction", true, issued);
  timed("sm__warps_active.avg.per_cycle_active", "warp", "resident warps of an active SM", false,
        [](Source s) { return ratio(real(s.outcome.sm.warp_cycles), real(s.outcome.sm.active_cycles)); });
}

void Registry::add_launch() {
  count("launch__registers_per_thread", "register", "registers of one thread",
        [](Source s) { return static_cast<double>(s.launch.registers_per_thread); });
  count("launch__shared_mem_config_size", "byte", "shared memory the driver sets aside per SM; the rest is L1",
        [](Source s) { return static_cast<double>(s.outcome.occupancy.carveout_kib * 1024); });
  count("launch__occupancy_limit_blocks", "CTA", "resident CTAs per SM that the CTA slots allow",
        [](Source s) { return static_cast<double>(s.outcome.occupancy.by_slots); });
  count("launch__occupancy_limit_registers", "CTA", "resident CTAs per SM that the registers allow",
        [](Source s) { return static_cast<double>(s.outcome.occupancy.by_registers); });
  count("launch__occupancy_limit_shared_mem", "CTA", "resident CTAs per SM that shared memory allows",
        [](Source s) { return static_cast<double>(s.outcome.occupancy.by_shared); });
  count("launch__occupancy_limit_warps", "CTA", "resident CTAs per SM that warps and threads allow",
        [](Source s) { return static_cast<double>(s.outcome.occupancy.by_threads); });
  fraction("launch__waves_per_multiprocessor", "ratio", "CTAs of the grid over the CTAs resident at once",
           [](Source s) {
             return ratio(static_cast<double>(s.launch.grid.count()),
                          sms(s) * static_cast<double>(s.outcome.occupancy.ctas_per_sm));
           });
  count("sm__ctas_launched.sum", "CTA", "CTAs of the grid",
        [](Source s) { return static_cast<double>(s.launch.grid.count()); });
}

void Registry::add_instructions() {
  count("smsp__inst_executed.sum", "inst", "warp instructions", issued);
  executed_op("op_global_ld", "global loads", {OpClass::global_load});
  executed_op("op_global_st", "global stores", {OpClass::global_store});
  executed_op("op_global_atom", "global atomics and reductions", {OpClass::global_atomic});
  executed_op("op_shared_ld", "shared loads", {OpClass::shared_load});
  executed_op("op_shared_st", "shared stores", {OpClass::shared_store});
  executed_op("op_shared_atom", "shared atomics", {OpClass::shared_atomic});
  executed_op("op_ldgsts", "asynchronous copies, global to shared", {OpClass::async_copy});
  executed_op("op_ldsm", "shared loads of matrix fragments", {OpClass::matrix_load});
  executed_op("op_local_ld", "local loads (spilled registers)", {OpClass::local_load});
  executed_op("op_local_st", "local stores (spilled registers)", {OpClass::local_store});
  executed_op("pipe_fma", "FP32 and integer multiply-adds", {OpClass::fma, OpClass::imad, OpClass::imad_wide});
  executed_op("pipe_alu", "integer, logic and comparisons", {OpClass::alu});
  executed_op("pipe_fp16", "packed FP16", {OpClass::half});
  executed_op("pipe_fp64", "FP64", {OpClass::fp64});
  executed_op("pipe_xu", "special functions and conversions", {OpClass::xu});
  executed_op("pipe_tensor", "tensor cores", {OpClass::tensor});
  executed_op("pipe_uniform", "uniform datapath", {OpClass::uniform});
  executed_op("pipe_cbu", "branches and exits", {OpClass::branch, OpClass::exit});
  executed_op("pipe_lsu", "everything the load/store unit takes",
              {OpClass::global_load, OpClass::global_store, OpClass::global_atomic, OpClass::shared_load,
               OpClass::shared_store, OpClass::shared_atomic, OpClass::matrix_load, OpClass::async_copy,
               OpClass::local_load, OpClass::local_store, OpClass::shuffle});
}

void Registry::add_shared() {
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts";
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  count(wavefronts + ".sum", "wavefront", "passes of the L1 data stage, shared and global",
        [](Source s) { return real(s.outcome.sm.data_wavefronts); });
  count(wavefronts + "_mem_shared.sum", "wavefront", "passes for shared memory", [](Source s) {
    return real(s.outcome.sm.of(AccessKind::shared_load).wavefronts +
                s.outcome.sm.of(AccessKind::shared_store).wavefronts);
  });
  count(wavefronts + "_mem_shared_op_ld.sum", "wavefront", "passes for shared loads",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::shared_load).wavefronts); });
  count(wavefronts + "_mem_shared_op_st.sum", "wavefront", "passes for shared stores",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::shared_store).wavefronts); });
  count(conflicts + "ld.sum", "wavefront", "passes of shared loads beyond the conflict-free ones", [](Source s) {
    return rest(s.outcome.sm.of(AccessKind::shared_load).wavefronts, s.outcome.sm.of(AccessKind::shared_load).ideal);
  });
  count(conflicts + "st.sum", "wavefront", "passes of shared stores beyond the conflict-free ones", [](Source s) {
    return rest(s.outcome.sm.of(AccessKind::shared_store).wavefronts, s.outcome.sm.of(AccessKind::shared_store).ideal);
  });
}

void Registry::add_l1() {
  const std::string requests = "l1tex__t_requests_pipe_lsu_mem_global_op_";
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
  count(requests + "ld.sum", "request", "global loads",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::global_load).requests); });
  count(requests + "st.sum", "request", "global stores",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::global_store).requests); });
  count(sectors + "ld.sum", "sector", "sectors of global loads",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::global_load).sectors); });
  count(sectors + "st.sum", "sector", "sectors of global stores",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::global_store).sectors); });
  count(sectors + "ld_lookup_hit.sum", "sector", "load sectors found in L1, or on their way to it",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::global_load).hit_sectors); });
  count(sectors + "ld_lookup_miss.sum", "sector", "load sectors that L1 had to ask for", [](Source s) {
    return rest(s.outcome.sm.of(AccessKind::global_load).sectors, s.outcome.sm.of(AccessKind::global_load).hit_sectors);
  });
  fraction("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%", "hits among the sectors of global loads",
           [](Source s) {
             return percent(real(s.outcome.sm.of(AccessKind::global_load).hit_sectors),
                            real(s.outcome.sm.of(AccessKind::global_load).sectors));
           });
  fraction("l1tex__t_sector_hit_rate.pct", "%", "the same among all sectors; stores pass through L1 and never hit",
           [](Source s) {
             return percent(real(s.outcome.sm.of(AccessKind::global_load).hit_sectors),
                            real(s.outcome.sm.of(AccessKind::global_load).sectors +
                                 s.outcome.sm.of(AccessKind::global_store).sectors));
           });
  count("l1tex__m_xbar2l1tex_read_sectors.sum", "sector", "sectors that came from L2 into L1",
        [](Source s) { return real(s.outcome.sm.fill_sectors); });
  count("l1tex__m_l1tex2xbar_write_sectors.sum", "sector", "sectors that L1 sent to L2",
        [](Source s) { return real(s.outcome.sm.of(AccessKind::global_store).sectors); });
}

void Registry::add_l2() {
  const auto reads = [](Source s) {
    const L2Counters& l2 = s.outcome.memory.l2;
    return real(l2.read_sectors + l2.fabric_sectors - l2.fabric_write_sectors);
  };
  const auto writes = [](Source s) {
    return real(s.outcome.memory.l2.write_sectors + s.outcome.memory.l2.fabric_write_sectors);
  };
  const auto hits = [](Source s) {
    const L2Counters& l2 = s.outcome.memory.l2;
    return real(l2.read_hit_sectors + l2.fabric_hit_sectors - l2.fabric_write_sectors);
  };
  const std::string tex = "lts__t_sectors_srcunit_tex_op_read";
  const std::string fabric = "lts__t_sectors_srcunit_ltcfabric";
  count(tex + ".sum", "sector", "sectors that SMs asked L2 for",
        [](Source s) { return real(s.outcome.memory.l2.read_sectors); });
  count(tex + "_lookup_hit.sum", "sector", "of these, found in the partition asked first",
        [](Source s) { return real(s.outcome.memory.l2.read_hit_sectors); });
  count(tex + "_lookup_miss.sum", "sector", "of these, not found there",
        [](Source s) { return rest(s.outcome.memory.l2.read_sectors, s.outcome.memory.l2.read_hit_sectors); });
  count(fabric + ".sum", "sector", "sectors asked for or written across the fabric, in their home partition",
        [](Source s) { return real(s.outcome.memory.l2.fabric_sectors); });
  count(fabric + "_lookup_hit.sum", "sector", "of these, found there",
        [](Source s) { return real(s.outcome.memory.l2.fabric_hit_sectors); });
  count(fabric + "_lookup_miss.sum", "sector", "of these, fetched from HBM",
        [](Source s) { return rest(s.outcome.memory.l2.fabric_sectors, s.outcome.memory.l2.fabric_hit_sectors); });
  count("lts__t_sectors_op_read.sum", "sector", "all read look-ups, near and across the fabric", reads);
  count("lts__t_sectors_op_write.sum", "sector", "all write look-ups, near and across the fabric", writes);
  fraction("lts__t_sector_hit_rate.pct", "%",
           "hits among all look-ups: near, across the fabric, and writes (whole sectors, always hits)",
           [=](Source s) { return percent(hits(s) + writes(s), reads(s) + writes(s)); });
  count("dram__bytes_read.sum", "byte", "read from HBM",
        [](Source s) { return real(s.outcome.memory.hbm.read_bytes); });
  count("dram__bytes_write.sum", "byte", "written to HBM while the kernel ran",
        [](Source s) { return real(s.outcome.memory.hbm.write_bytes); });
}

void Registry::add_stalls() {
  for (int i = 0; i < kStalls; ++i) {
    const auto stall = static_cast<Stall>(i);
    timed("smsp__average_warps_issue_stalled_" + std::string(tilescope::name(stall)) + "_per_issue_active.ratio",
          "ratio", "warps per issued instruction: " + std::string(meaning(stall)), false,
          [i](Source s) { return ratio(real(s.outcome.sm.stall_cycles[static_cast<std::size_t>(i)]), issued(s)); });
  }
}

}  // namespace

double percent(double part, double whole) { return whole == 0 ? 0 : 100.0 * part / whole; }

double executed(const MetricSource& source, OpClass op) {
  return static_cast<double>(source.outcome.sm.instructions[static_cast<std::size_t>(op)]);
}

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = Registry().take();
  return all;
}

const Metric* find_metric(std::string_view name) {
  const auto& all = metrics();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tilescope
