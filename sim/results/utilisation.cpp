#include "sim/results/utilisation.h"

#include "models/gpu_totals.h"
#include "models/pipes.h"
#include "sim/results/real.h"

namespace tilescope {
namespace {

struct PipeLabel {
  Pipe pipe;
  const char* name;
  const char* label;
};
constexpr PipeLabel kArithmetic[] = {
    {Pipe::fma, "fma_pipe", "FP32 pipe"},
    {Pipe::imad, "imad_pipe", "integer multiply-add pipe"},
    {Pipe::alu, "alu_pipe", "ALU pipe"},
    {Pipe::half, "fp16_pipe", "FP16 pipe"},
    {Pipe::fp64, "fp64_pipe", "FP64 and HFMA2.MMA pipe"},
    {Pipe::xu, "xu_pipe", "special-function pipe"},
};

// Cycles for which the instructions of a pipe keep it.
double pipe_cycles(const MetricSource& source, const PipeTable& pipes, Pipe pipe) {
  double cycles = 0;
  for (int i = 0; i < kOpClasses; ++i) {
    const auto op = static_cast<OpClass>(i);
    if (pipes[op].pipe == pipe) cycles += executed(source, op) * pipes[op].interval;
  }
  return cycles;
}

double shared_share(const SmCounters& sm) { return percent(real(sm.shared_wavefronts()), real(sm.data_wavefronts)); }

std::string data_stage_label(const SmCounters& sm) {
  const double share = shared_share(sm);
  if (share > 80) return "shared-memory data stage";
  return share < 20 ? "L1 data stage" : "L1 and shared-memory data stage";
}

}  // namespace

double sm_active_percent(const MetricSource& source) {
  return percent(real(source.outcome.sm.active_cycles),
                 static_cast<double>(source.gpu.sm.count()) * static_cast<double>(source.outcome.cycles));
}

std::vector<Utilisation> utilisations(const MetricSource& source) {
  const SmCounters& sm = source.outcome.sm;
  const MemoryCounters& memory = source.outcome.memory;
  const GpuTotals totals = gpu_totals(source.gpu);
  const PipeTable pipes(source.gpu);
  const double active = real(sm.active_cycles);
  const double slots = active * static_cast<double>(source.gpu.sm.sub_partitions);
  const double ns = static_cast<double>(source.outcome.cycles) * 1000.0 / source.sm_mhz();

  std::vector<Utilisation> all;
  all.push_back(
      {"lsu_data_stage", data_stage_label(sm), "of its wavefront peak", percent(real(sm.data_wavefronts), active)});
  all.push_back({"lsu_tag_stage", "L1 tag stage", "of its look-up peak", percent(real(sm.tag_cycles), active)});
  all.push_back({"lsu_issue", "load/store issue ports", "of their instruction peak",
                 percent(pipe_cycles(source, pipes, Pipe::mio) + pipe_cycles(source, pipes, Pipe::lg), slots)});
  all.push_back({"issue_slots", "issue slots", "of one instruction per scheduler and cycle",
                 percent(real(sm.total_instructions()), slots)});
  for (const PipeLabel& pipe : kArithmetic)
    all.push_back({pipe.name, pipe.label, "of its peak", percent(pipe_cycles(source, pipes, pipe.pipe), slots)});
  // How large each tensor instruction is, the counters do not say; the kernel's useful work does.
  const double tensor_ns = executed(source, OpClass::tensor) + executed(source, OpClass::group_tensor) == 0
                               ? 0
                               : source.launch.flop / totals.tensor_fp16_flops * 1e9;
  all.push_back(
      {"tensor_pipe", "tensor cores", "of their FP16 peak", percent(tensor_ns, ns * sm_active_percent(source) / 100)});
  const double fill_bytes = real(sm.fill_sectors) * static_cast<double>(kSectorBytes);
  all.push_back({"sm_fill_port", "read ports from L2 into the SMs", "of their bandwidth",
                 percent(fill_bytes, active * static_cast<double>(source.gpu.crossbar.sm_read_bytes_per_cycle))});
  const double l2_sectors = real(memory.l2.read_sectors + memory.l2.fabric_sectors + memory.l2.write_sectors);
  all.push_back({"l2_bandwidth", "L2 slices", "of their bandwidth",
                 percent(l2_sectors * static_cast<double>(kSectorBytes), ns * totals.l2_gbs)});
  all.push_back({"l2_fabric", "fabric between the L2 partitions", "of its bandwidth",
                 percent(real(memory.l2.fabric_sectors) * static_cast<double>(kSectorBytes), ns * totals.fabric_gbs)});
  all.push_back({"hbm_bandwidth", "HBM", "of its peak bandwidth",
                 percent(real(memory.hbm.read_bytes + memory.hbm.write_bytes), ns * totals.hbm_gbs)});
  return all;
}

}  // namespace tilescope
