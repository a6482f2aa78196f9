// Running kernels on the shipped configurations, for tests, and comparing what came out.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/spec_reader.h"
#include "sim/engine/window_engine.h"
#include "sim/simulate.h"
#include "traces/kernels/registry.h"

namespace tilescope::test {

// configs/gpus/NAME.yaml, with "section.key=value" changes. Code is there from the start, as in the second launch of a
// microbenchmark, unless a change says otherwise.
inline GpuSpec gpu(const std::string& name = "h200", const std::vector<std::string>& changes = {}) {
  std::vector<Override> overrides{parse_override("instruction_cache.miss_cycles=0").value()};
  for (const std::string& change : changes) overrides.push_back(parse_override(change).value());
  auto read = read_spec<GpuSpec>(TILESCOPE_SOURCE_DIR "/configs/gpus/" + name + ".yaml", overrides);
  if (!read) FAIL(read.error().front().message);
  return *read;
}

// The same with code as cold as a launch finds it.
inline GpuSpec cold_gpu(const std::string& name, const std::vector<std::string>& changes = {}) {
  std::vector<Override> overrides;
  overrides.reserve(changes.size());
  for (const std::string& change : changes) overrides.push_back(parse_override(change).value());
  auto read = read_spec<GpuSpec>(TILESCOPE_SOURCE_DIR "/configs/gpus/" + name + ".yaml", overrides);
  if (!read) FAIL(read.error().front().message);
  return *read;
}

inline const GpuSpec& h200() {
  static const GpuSpec spec = gpu("h200");
  return spec;
}

inline RunOutcome run(const GpuSpec& spec, const Kernel& kernel, Mode mode, Sample sample = Sample::off,
                      int threads = 1) {
  RunOptions options;
  options.mode = mode;
  options.sample = sample;
  options.threads = threads;
  return simulate(spec, kernel, options);
}

// Every number of an outcome, in one list: two runs are the same when these are.
inline std::vector<double> numbers(const RunOutcome& outcome) {
  std::vector<double> all;
  const auto add = [&](auto value) { all.push_back(static_cast<double>(value)); };
  const SmCounters& sm = outcome.sm;
  for (const auto n : sm.instructions) add(n);
  for (const auto n : sm.stall_cycles) add(n);
  for (const auto n : {sm.of(AccessKind::shared_load).wavefronts, sm.of(AccessKind::shared_load).ideal,
                       sm.of(AccessKind::shared_store).wavefronts, sm.of(AccessKind::shared_store).ideal,
                       sm.of(AccessKind::global_load).requests, sm.of(AccessKind::global_load).sectors,
                       sm.of(AccessKind::global_load).hit_sectors, sm.of(AccessKind::global_store).requests,
                       sm.of(AccessKind::global_store).sectors, sm.fill_sectors, sm.tag_cycles, sm.data_wavefronts,
                       sm.warp_cycles, sm.active_cycles, sm.ctas})
    add(n);
  const L2Counters& l2 = outcome.memory.l2;
  for (const auto n : {l2.read_sectors, l2.read_hit_sectors, l2.write_sectors, l2.fabric_sectors, l2.fabric_hit_sectors,
                       l2.evicted_dirty_sectors})
    add(n);
  const HbmCounters& hbm = outcome.memory.hbm;
  for (const auto n : {hbm.read_bytes, hbm.write_bytes, hbm.row_hits, hbm.row_misses}) add(n);
  add(outcome.cycles);
  add(outcome.sampled_fraction);
  for (const auto n : {outcome.cycles_low, outcome.cycles_high}) add(n);
  add(outcome.cycles_error_pct);
  add(outcome.traffic_error_pct);
  for (const FinishedCta& cta : outcome.timeline)
    for (const std::int64_t n : {cta.cta, std::int64_t{cta.sm}, std::int64_t{cta.start}, std::int64_t{cta.end}}) add(n);
  return all;
}

// The value in the middle.
template <class Value>
double median(std::vector<Value> values) {
  REQUIRE(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

}  // namespace tilescope::test
