// How fast the simulator is: warp instructions per second in both modes on one thread, and the look-ups they are made
// of.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "models/access_cost.h"
#include "models/coalescer.h"
#include "models/isa/pattern_table.h"
#include "models/shared_banks.h"
#include "models/support/spec_reader.h"
#include "sim/engine/window_engine.h"
#include "traces/kernels/registry.h"

namespace tilescope {
namespace {

const GpuSpec& h200() {
  static const GpuSpec spec = read_spec<GpuSpec>(TILESCOPE_SOURCE_DIR "/configs/gpus/h200.yaml").value();
  return spec;
}

template <class Engine>
void simulate_kernel(benchmark::State& state, const std::string& name, const ParameterTexts& parameters) {
  const auto kernel = make_kernel(name, parameters).value();
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    Engine engine(h200(), *kernel, 1);
    engine.run();
    instructions += engine.instructions();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
}

void timing(benchmark::State& state, const std::string& name, const ParameterTexts& parameters) {
  simulate_kernel<TimingEngine>(state, name, parameters);
}
void counts(benchmark::State& state, const std::string& name, const ParameterTexts& parameters) {
  simulate_kernel<CountingEngine>(state, name, parameters);
}
const ParameterTexts k512{{"M", "512"}, {"N", "512"}, {"K", "512"}};
const ParameterTexts k256{{"M", "256"}, {"N", "256"}, {"K", "256"}};
BENCHMARK_CAPTURE(timing, gemm_tiled, "gemm_tiled", k512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing, gemm_register, "gemm_register", k512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing, gemm_naive, "gemm_naive", k256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(counts, gemm_tiled, "gemm_tiled", k512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(counts, gemm_register, "gemm_register", k512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(counts, gemm_naive, "gemm_naive", k256)->Unit(benchmark::kMillisecond);

// Lane i at i * pitch, for pitches of 1 to 64 words: every degree of bank conflict.
std::vector<LanePattern> strided_patterns() {
  std::vector<LanePattern> patterns;
  for (std::uint64_t pitch = 1; pitch <= 64; ++pitch) {
    std::array<std::uint64_t, kLanes> address{};
    for (std::size_t lane = 0; lane < address.size(); ++lane) address[lane] = 4096 + lane * pitch * 4;
    patterns.push_back(make_pattern(address, ~0U, 4).pattern);
  }
  return patterns;
}

struct Interned {
  PatternTable table;
  std::vector<PatternId> ids;
  Interned() {
    for (const LanePattern& pattern : strided_patterns()) ids.push_back(table.intern(pattern));
  }
};

void bank_lookup_interned(benchmark::State& state) {
  const Interned interned;
  const AccessCosts costs(h200(), interned.table);
  for (auto _ : state)
    for (const PatternId id : interned.ids) benchmark::DoNotOptimize(costs.shared({0, id}, SharedOp::load).wavefronts);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * interned.ids.size()));
}
BENCHMARK(bank_lookup_interned);

void bank_cost_computed(benchmark::State& state) {
  const std::vector<LanePattern> patterns = strided_patterns();
  for (auto _ : state)
    for (const LanePattern& pattern : patterns) benchmark::DoNotOptimize(SharedBanks().cost(pattern, SharedOp::load));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * patterns.size()));
}
BENCHMARK(bank_cost_computed);

void footprint_lookup_interned(benchmark::State& state) {
  const Interned interned;
  const AccessCosts costs(h200(), interned.table);
  std::uint64_t base = 1 << 20;
  for (auto _ : state) {
    for (const PatternId id : interned.ids) benchmark::DoNotOptimize(&costs.footprint({base, id}));
    base += 4;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * interned.ids.size()));
}
BENCHMARK(footprint_lookup_interned);

void footprint_computed(benchmark::State& state) {
  const std::vector<LanePattern> patterns = strided_patterns();
  for (auto _ : state)
    for (const LanePattern& pattern : patterns) benchmark::DoNotOptimize(global_footprint(pattern, 32, SharedBanks()));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * patterns.size()));
}
BENCHMARK(footprint_computed);

}  // namespace
}  // namespace tilescope
