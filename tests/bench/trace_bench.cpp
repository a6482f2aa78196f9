// Recording and reading traces: warp instructions per second, MB/s of plain addresses, bytes per warp instruction.
#include <benchmark/benchmark.h>

#include "tests/trace_sample_kernel.h"
#include "traces/file/trace_info.h"
#include "traces/file/trace_reader.h"

namespace tilescope {
namespace {

// 256 CTAs of three warps, each a loop of 128 steps with four operands in six instructions.
const test::SampleKernel& kernel() {
  static const test::SampleKernel made({256, 1, 1}, 128);
  return made;
}

void report(benchmark::State& state, const TraceInfo& info) {
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(info.instructions));
  state.SetBytesProcessed(rounds * static_cast<std::int64_t>(info.operands) * kLanes * 8);
  state.counters["bytes_per_warp_instruction"] = info.bytes_per_instruction();
}

std::uint64_t walk(const Kernel& read) {
  const auto stream = read.make_stream();
  std::uint64_t instructions = 0;
  Segment segment;
  for (std::int64_t cta = 0; cta < read.launch().grid.count(); ++cta)
    for (int warp = 0; warp < read.launch().warps_per_cta(); ++warp) {
      stream->start(cta, warp, Operands::all);
      while (stream->next(segment)) instructions += segment.length;
    }
  return instructions;
}

// From an opened trace, which gives segments faster than any generator: what is timed is the recording.
void record(benchmark::State& state) {
  const test::TemporaryFile file(test::recorded(kernel()));
  const auto source = open_trace(file.path());
  for (auto _ : state) benchmark::DoNotOptimize(test::recorded(*source));
  report(state, read_trace_info(file.path()));
}
BENCHMARK(record)->Unit(benchmark::kMillisecond);

void open_and_decode(benchmark::State& state) {
  const test::TemporaryFile file(test::recorded(kernel()));
  for (auto _ : state) benchmark::DoNotOptimize(walk(*open_trace(file.path())));
  report(state, read_trace_info(file.path()));
}
BENCHMARK(open_and_decode)->Unit(benchmark::kMillisecond);

void open_only(benchmark::State& state) {
  const test::TemporaryFile file(test::recorded(kernel()));
  for (auto _ : state) benchmark::DoNotOptimize(open_trace(file.path()));
}
BENCHMARK(open_only)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilescope
