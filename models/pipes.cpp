#include "models/pipes.h"

#include "models/isa/lane_pattern.h"

namespace tilescope {

PipeTable::PipeTable(const GpuSpec& gpu) : tensor_fma_per_cycle_(gpu.pipes.tensor_fma_per_cycle) {
  const PipesSpec& spec = gpu.pipes;
  const auto set = [this](OpClass op, Pipe pipe, std::int64_t interval, std::int64_t latency) {
    use_[static_cast<std::size_t>(op)] = {pipe, static_cast<std::uint8_t>(interval), 1,
                                          static_cast<std::uint8_t>(latency)};
  };
  const auto cycles = [](std::int64_t lanes) { return (kLanes + lanes - 1) / lanes; };

  set(OpClass::fma, Pipe::fma, cycles(spec.fma_lanes), 0);
  set(OpClass::imad, Pipe::imad, cycles(spec.imad_lanes), 0);
  set(OpClass::imad_wide, Pipe::imad, cycles(spec.imad_lanes), 0);
  use_[static_cast<std::size_t>(OpClass::imad_wide)].dispatch = static_cast<std::uint8_t>(spec.wide_issue_cycles);
  set(OpClass::alu, Pipe::alu, cycles(spec.alu_lanes), 0);
  set(OpClass::half, Pipe::half, cycles(spec.half_lanes), 0);
  set(OpClass::fp64, Pipe::fp64, cycles(spec.fp64_lanes), spec.fp64_latency_cycles);
  set(OpClass::xu, Pipe::xu, cycles(spec.xu_lanes), spec.xu_latency_cycles);
  set(OpClass::tensor, Pipe::tensor, 1, spec.tensor_latency_cycles);
  set(OpClass::uniform, Pipe::uniform, spec.uniform_issue_cycles, spec.special_latency_cycles);
  set(OpClass::special, Pipe::mio, gpu.lsu.issue_cycles, spec.special_latency_cycles);
  set(OpClass::constant_load, Pipe::mio, gpu.lsu.issue_cycles, spec.constant_latency_cycles);
  for (const OpClass op :
       {OpClass::shared_load, OpClass::shared_store, OpClass::shared_atomic, OpClass::matrix_load, OpClass::shuffle})
    set(op, Pipe::mio, gpu.lsu.issue_cycles, 0);
  for (const OpClass op : {OpClass::global_load, OpClass::global_store, OpClass::global_atomic, OpClass::async_copy,
                           OpClass::local_load, OpClass::local_store})
    set(op, Pipe::lg, gpu.lsu.issue_cycles, 0);
}

}  // namespace tilescope
