#include "models/pipes.h"

#include "models/isa/lane_pattern.h"

namespace tilescope {
namespace {

// Cycles between two instructions of a pipe.
std::int64_t interval_of(Pipe pipe, const GpuSpec& gpu) {
  const PipesSpec& spec = gpu.pipes;
  const auto cycles = [](std::int64_t lanes) { return (kLanes + lanes - 1) / lanes; };
  switch (pipe) {
    case Pipe::fma:
      return cycles(spec.fma_lanes);
    case Pipe::imad:
      return cycles(spec.imad_lanes);
    case Pipe::alu:
      return cycles(spec.alu_lanes);
    case Pipe::half:
      return cycles(spec.half_lanes);
    case Pipe::fp64:
      return cycles(spec.fp64_lanes);
    case Pipe::xu:
      return cycles(spec.xu_lanes);
    case Pipe::uniform:
      return spec.uniform_issue_cycles;
    case Pipe::mio:
    case Pipe::lg:
      return gpu.lsu.issue_cycles;
    case Pipe::none:
    case Pipe::tensor:  // PipeTable::tensor_interval
      break;
  }
  return 1;
}

}  // namespace

PipeTable::PipeTable(const GpuSpec& gpu) : tensor_cores_(gpu.pipes) {
  const PipesSpec& spec = gpu.pipes;
  for (const OperationTraits& row : kOperations) {
    PipeUse& use = use_[static_cast<std::size_t>(row.op)];
    use.pipe = row.pipe;
    use.interval = static_cast<std::uint16_t>(interval_of(row.pipe, gpu));
    use.holds_up = row.pipe == Pipe::mio || row.pipe == Pipe::lg || row.pipe == Pipe::tensor || use.interval > 1;
    use.waits = row.op == OpClass::exit || row.order == Order::copy_group || row.order == Order::copies ||
                row.order == Order::products;
    use.arithmetic = row.pipe == Pipe::fma || row.pipe == Pipe::imad || row.pipe == Pipe::alu ||
                     row.pipe == Pipe::half || row.pipe == Pipe::fp64;
    use.passes_barrier = use.arithmetic || row.op == OpClass::tensor;
    use.goes_on = row.order == Order::none && row.op != OpClass::branch && row.op != OpClass::convergence &&
                  row.op != OpClass::exit;
  }
  const auto of = [this](OpClass op) -> PipeUse& { return use_[static_cast<std::size_t>(op)]; };
  const auto latency = [&](OpClass op, std::int64_t cycles) { of(op).latency = static_cast<std::uint16_t>(cycles); };
  of(OpClass::imad_wide).dispatch = static_cast<std::uint16_t>(spec.wide_issue_cycles);
  of(OpClass::imad_wide).interval = static_cast<std::uint16_t>(spec.wide_imad_cycles);
  of(OpClass::half_tensor).interval = of(OpClass::half).interval;
  if (spec.fma_lanes >= 2 * spec.imad_lanes) {
    const auto share = [&of](OpClass op, FmaHalf half, std::uint16_t cycles) {
      of(op).half = half;
      of(op).half_cycles = cycles;
    };
    const std::uint16_t cycles = of(OpClass::imad).interval;
    share(OpClass::fma, FmaHalf::either, cycles);
    share(OpClass::imad, FmaHalf::heavy, cycles);
    share(OpClass::imad_wide, FmaHalf::heavy, of(OpClass::imad_wide).interval);
    share(OpClass::half, FmaHalf::both, of(OpClass::half).interval);
  }
  latency(OpClass::fp64, spec.fp64_latency_cycles);
  latency(OpClass::xu, spec.xu_latency_cycles);
  latency(OpClass::tensor, spec.tensor_latency_cycles);
  latency(OpClass::group_tensor, spec.tensor_latency_cycles);
  latency(OpClass::uniform, spec.special_latency_cycles);
  latency(OpClass::warp_special, spec.special_latency_cycles);
  latency(OpClass::constant_load, spec.constant_latency_cycles);
  latency(OpClass::fence, gpu.fences.async_cycles);
  for (const OperationTraits& row : kOperations)
    if (is_asynchronous(row.op)) latency(row.op, gpu.asynchronous.mbarrier_wait_cycles);
}

}  // namespace tilescope
