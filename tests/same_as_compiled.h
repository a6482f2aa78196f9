// Generators that take their code from compiled samples, held against the compiled kernel, or against their own code.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "compiled_shapes.h"
#include "engine_runs.h"
#include "sim/results/result.h"
#include "stream_summary.h"

namespace tilescope::test {

// What one warp executes: every instruction's control codes, and every operand lane by lane.
inline std::vector<std::string> executed(const Kernel& kernel, std::int64_t cta, int warp, std::uint64_t first_shared) {
  std::vector<std::string> all;
  const auto stream = kernel.make_stream();
  stream->start(cta, warp, Operands::all);
  for (Segment segment; stream->next(segment);) {
    const MemoryOperand* operand = segment.operands;
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      const Instruction& one = segment.code[i];
      std::string text = fmt::format("{} {} {} {} {} {} {} {} {} {} {}", name(one.op), one.stall, one.write_scoreboard,
                                     one.read_scoreboard, one.wait_mask, unsigned{one.yield},
                                     unsigned{one.uniform_rows}, one.register_reads, one.cached, one.work, one.detail);
      for (int n = 0; n < memory_operands(one.op); ++n, ++operand) {
        const LanePattern& pattern = kernel.patterns().pattern(operand->pattern);
        if (pattern.active == 0) continue;
        const bool shared = is_shared(access_of(one.op, n));
        text +=
            fmt::format(" {:#x} {} {:x}", operand->base - (shared ? first_shared : 0), pattern.bytes, pattern.active);
        for (int lane = 0; lane < kLanes; ++lane)
          if (pattern.is_active(lane)) text += fmt::format(" {}", pattern.offset[static_cast<std::size_t>(lane)]);
      }
      all.push_back(std::move(text));
    }
  }
  return all;
}

inline void check_same(const Kernel& generated, const Kernel& compiled, int architecture = 90) {
  const std::uint64_t first_shared = architecture >= 90 ? 1024 : 0;  // sm_90 keeps the first KiB
  const Launch &a = generated.launch(), &b = compiled.launch();
  CHECK(a.registers_per_thread == b.registers_per_thread);
  CHECK(a.static_smem_bytes == b.static_smem_bytes);
  CHECK(a.dynamic_smem_bytes == b.dynamic_smem_bytes);
  for (const std::int64_t cta : {std::int64_t{0}, a.grid.count() - 1})
    for (int warp = 0; warp < static_cast<int>(a.warps_per_cta()); ++warp) {
      CAPTURE(cta);
      CAPTURE(warp);
      const auto here = executed(generated, cta, warp, 0), there = executed(compiled, cta, warp, first_shared);
      REQUIRE(here.size() == there.size());
      for (std::size_t i = 0; i < here.size(); ++i)
        if (here[i] != there[i]) FAIL(i << ": " << here[i] << "\n" << there[i]);
    }
}

// Of a launch simulated in full that reads nothing before its CTAs, as generators have no code.
inline std::vector<std::string> metrics_of(const GpuSpec& gpu, const Kernel& kernel, Mode mode = Mode::timing) {
  GpuSpec spec = gpu;
  spec.launch.read_bytes = 0;
  RunOptions options;
  options.mode = mode;
  options.sample = Sample::off;
  std::vector<std::string> all;
  for (const MetricValue& one : make_result(spec, kernel.launch(), options, simulate(spec, kernel, options)).metrics)
    all.push_back(fmt::format("{} {}", one.metric->name, one.value));
  return all;
}

// What counting alone sees.
inline std::vector<std::int64_t> asked_in_counts(const Kernel& kernel) {
  const SmCounters sm = run(h200(), kernel, Mode::counts).sm;
  std::vector<std::int64_t> all(sm.instructions.begin(), sm.instructions.end());
  for (const AccessKind kind : {AccessKind::global_load, AccessKind::global_store, AccessKind::shared_load,
                                AccessKind::shared_store, AccessKind::async_store}) {
    const auto& of = sm.of(kind);
    for (const auto n : {of.requests, of.sectors, of.wavefronts, of.ideal}) all.push_back(n);
  }
  return all;
}

// The code of one shape from that of the nearest other one: exactly its requests, sectors, wavefronts and products; its
// instructions within `tolerance`.
template <class Gemm, class Spec>
void check_without_itself(const Spec& spec, const std::string& function, double tolerance) {
  const Gemm itself(spec, function), from_other(spec, Gemm::nearest_sample(spec, function));
  StreamCounter a(itself), b(from_other);
  a.add_ctas(0, 1);
  b.add_ctas(0, 1);
  const StreamSummary compiled = a.total(), reshaped = b.total();
  for (const OpClass op : {OpClass::fma, OpClass::tensor, OpClass::matrix_load, OpClass::async_copy,
                           OpClass::async_commit, OpClass::async_wait, OpClass::global_load, OpClass::global_store,
                           OpClass::shared_load, OpClass::shared_store, OpClass::barrier, OpClass::exit})
    CHECK_MESSAGE(reshaped.count(op) == compiled.count(op), name(op));
  CHECK(reshaped.global_load_requests == compiled.global_load_requests);
  CHECK(reshaped.global_load_sectors == compiled.global_load_sectors);
  CHECK(reshaped.global_store_sectors == compiled.global_store_sectors);
  CHECK(reshaped.shared_load_wavefronts == compiled.shared_load_wavefronts);
  CHECK(reshaped.shared_load_ideal == compiled.shared_load_ideal);
  CHECK(reshaped.shared_store_wavefronts == compiled.shared_store_wavefronts);
  const double ratio = static_cast<double>(reshaped.instructions()) / static_cast<double>(compiled.instructions());
  CHECK_MESSAGE(std::abs(ratio - 1) < tolerance, ratio);
}

}  // namespace tilescope::test
