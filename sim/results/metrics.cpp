#include "sim/results/metrics.h"

#include <algorithm>
#include <utility>

#include "sim/results/real.h"

namespace tilescope {
namespace {

using Source = const MetricSource&;
using Value = std::function<double(Source)>;

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
  void executed_op(const std::string& op, const std::string& meaning);
  void executed_pipe(const std::string& pipe, const std::string& meaning);
  void executed_classes(const std::string& what, const std::string& meaning, std::vector<OpClass> classes);

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
  timed("gpu__time_duration.sum", "ns", "the same as time, at the clock of the SMs", false,
        [](Source s) { return static_cast<double>(s.outcome.cycles) * 1000.0 / s.sm_mhz(); });
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
  executed_op("global_ld", "global loads");
  executed_op("global_st", "global stores");
  executed_op("global_atom", "global atomics with a result (ATOMG); sm_90 counts them in op_generic_atom alone");
  executed_op("global_red", "global atomics without a result");
  executed_op("local_ld", "local loads (spilled registers)");
  executed_op("local_st", "local stores (spilled registers)");
  executed_op("shared_ld", "shared loads");
  executed_op("shared_st", "shared stores");
  executed_op("shared_stsm", "shared stores of matrix fragments");
  executed_op("shared_atom", "shared atomics");
  executed_op("generic_ld", "loads through generic addresses");
  executed_op("generic_st", "stores through generic addresses");
  executed_op("generic_atom", "atomics with a result, through generic and global addresses");
  executed_op("generic_red", "atomics without a result, through generic addresses");
  executed_op("ldgsts", "asynchronous copies, global to shared");
  executed_op("ldsm", "shared loads of matrix fragments");
  executed_pipe("fma", "FP32 and integer multiply-adds");
  executed_pipe("alu", "integer, logic and comparisons");
  executed_pipe("fp16", "packed FP16");
  executed_pipe("fp64", "FP64");
  executed_pipe("xu", "special functions and conversions");
  executed_pipe("tensor", "tensor cores");
  executed_classes("pipe_tensor_op_hmma_type_hfma2", "HFMA2.MMA, which passes through the tensor pipe",
                   {OpClass::half_tensor});
  executed_pipe("uniform", "uniform datapath");
  executed_pipe("adu", "barriers, loads of constants, special registers of the warp");
  executed_pipe("cbu", "lanes that part and meet, exits");
  executed_pipe("lsu", "everything the load/store unit takes");
}

void Registry::executed_op(const std::string& op, const std::string& meaning) {
  std::vector<OpClass> classes;
  for (const OperationTraits& row : kOperations)
    if (row.op_counter == op) classes.push_back(row.op);
  if (op == "generic_atom") classes.push_back(OpClass::global_atomic);
  executed_classes("op_" + op, meaning, std::move(classes));
}

void Registry::executed_pipe(const std::string& pipe, const std::string& meaning) {
  std::vector<OpClass> classes;
  for (const OperationTraits& row : kOperations)
    if (row.pipe_counter == pipe) classes.push_back(row.op);
  executed_classes("pipe_" + pipe, meaning, std::move(classes));
}

void Registry::executed_classes(const std::string& what, const std::string& meaning, std::vector<OpClass> classes) {
  count("smsp__inst_executed_" + what + ".sum", "inst", "warp instructions: " + meaning,
        [list = std::move(classes)](Source s) {
          double total = 0;
          for (const OpClass one : list) total += executed(s, one);
          return total;
        });
}

void Registry::add_shared() {
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts";
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  count(wavefronts + ".sum", "wavefront", "passes of the L1 data stage, shared and global",
        [](Source s) { return real(s.outcome.sm.data_wavefronts); });
  count(wavefronts + "_mem_shared.sum", "wavefront",
        "passes for shared loads, stores and atomics, and for what wgmma reads",
        [](Source s) { return real(s.outcome.sm.shared_wavefronts() + s.outcome.sm.operand_wavefronts()); });
  struct Kind {
    const char *op, *what;
    AccessKind access;
  };
  static constexpr Kind kinds[] = {{"ld", "loads", AccessKind::shared_load},
                                   {"st", "stores", AccessKind::shared_store},
                                   {"atom", "atomics", AccessKind::shared_atomic}};
  for (const Kind& kind : kinds)
    count(wavefronts + "_mem_shared_op_" + kind.op + ".sum", "wavefront", std::string("passes for shared ") + kind.what,
          [&kind](Source s) { return real(s.outcome.sm.of(kind.access).wavefronts); });
  for (const Kind& kind : kinds)
    count(conflicts + kind.op + ".sum", "wavefront",
          std::string("passes of shared ") + kind.what + " beyond the conflict-free ones", [&kind](Source s) {
            return rest(s.outcome.sm.of(kind.access).wavefronts, s.outcome.sm.of(kind.access).ideal);
          });
}

void Registry::add_l1() {
  struct Kind {
    const char *op, *what;
    AccessKind access;
  };
  static constexpr Kind kinds[] = {{"global_op_ld", "global loads", AccessKind::global_load},
                                   {"global_op_st", "global stores", AccessKind::global_store},
                                   {"global_op_atom", "global atomics", AccessKind::global_atomic},
                                   {"global_op_red", "global reductions", AccessKind::global_reduction},
                                   {"local_op_ld", "local loads", AccessKind::local_load},
                                   {"local_op_st", "local stores", AccessKind::local_store}};
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_";
  for (const Kind& kind : kinds)
    count(std::string("l1tex__t_requests_pipe_lsu_mem_") + kind.op + ".sum", "request", kind.what,
          [&kind](Source s) { return real(s.outcome.sm.of(kind.access).requests); });
  for (const Kind& kind : kinds)
    count(sectors + kind.op + ".sum", "sector", std::string("sectors of ") + kind.what,
          [&kind](Source s) { return real(s.outcome.sm.of(kind.access).sectors); });
  for (const Kind& kind : kinds) {
    if (!is_load(kind.access)) continue;
    count(sectors + kind.op + "_lookup_hit.sum", "sector",
          std::string("sectors of ") + kind.what + " found in L1, or on their way to it",
          [&kind](Source s) { return real(s.outcome.sm.of(kind.access).hit_sectors); });
    count(sectors + kind.op + "_lookup_miss.sum", "sector",
          std::string("sectors of ") + kind.what + " that L1 had to ask for", [&kind](Source s) {
            return rest(s.outcome.sm.of(kind.access).sectors, s.outcome.sm.of(kind.access).hit_sectors);
          });
  }
  fraction("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%", "hits among the sectors of global loads",
           [](Source s) {
             const AccessCounters& loads = s.outcome.sm.of(AccessKind::global_load);
             return percent(real(loads.hit_sectors), real(loads.sectors));
           });
  fraction("l1tex__t_sector_hit_rate.pct", "%",
           "hits of loads among all sectors; what stores and atomics write passes through",
           [](Source s) { return percent(real(s.outcome.sm.hit_sectors()), real(s.outcome.sm.line_sectors())); });
  count("l1tex__m_xbar2l1tex_read_sectors.sum", "sector", "sectors that came from L2 into L1",
        [](Source s) { return real(s.outcome.sm.fill_sectors); });
  count("l1tex__m_l1tex2xbar_write_sectors.sum", "sector", "sectors that L1 sent to L2",
        [](Source s) { return real(s.outcome.sm.sent_sectors()); });
}

void Registry::add_l2() {
  const auto reads = [](Source s) {
    const L2Counters& l2 = s.outcome.memory.l2;
    return real(l2.read_sectors + l2.fabric_sectors - l2.fabric_write_sectors);
  };
  const auto writes = [](Source s) {
    return real(s.outcome.memory.l2.write_sectors + s.outcome.memory.l2.fabric_write_sectors);
  };
  const auto completed = [](Source s) { return real(s.outcome.memory.l2.completed_sectors); };
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
  count("lts__t_sectors_srcunit_tex_op_atom.sum", "sector", "sectors of atomics with a result",
        [](Source s) { return real(s.outcome.memory.l2.atomic_sectors); });
  count("lts__t_sectors_srcunit_tex_op_red.sum", "sector", "sectors of atomics without a result",
        [](Source s) { return real(s.outcome.memory.l2.reduction_sectors); });
  count(fabric + ".sum", "sector", "sectors asked for or written across the fabric, in their home partition",
        [](Source s) { return real(s.outcome.memory.l2.fabric_sectors); });
  count(fabric + "_lookup_hit.sum", "sector", "of these, found there",
        [](Source s) { return real(s.outcome.memory.l2.fabric_hit_sectors); });
  count(fabric + "_lookup_miss.sum", "sector", "of these, fetched from HBM",
        [](Source s) { return rest(s.outcome.memory.l2.fabric_sectors, s.outcome.memory.l2.fabric_hit_sectors); });
  count("lts__t_sectors_op_read.sum", "sector", "all read look-ups, near and across the fabric", reads);
  count("lts__t_sectors_op_write.sum", "sector",
        "all write look-ups, near and across the fabric, and sectors written in part that were completed",
        [=](Source s) { return writes(s) + completed(s); });
  fraction("lts__t_sector_hit_rate.pct", "%",
           "hits among all look-ups: near, across the fabric, and writes, of which those miss that complete a sector",
           [=](Source s) { return percent(hits(s) + writes(s), reads(s) + writes(s) + completed(s)); });
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
