#include "sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/engine/cta_activity.h"
#include "sim/engine/launch_before.h"
#include "sim/engine/launch_history.h"
#include "sim/engine/sampling/later_wave.h"
#include "sim/engine/sampling/sampled_timing.h"
#include "sim/engine/sampling/sm_sharing.h"
#include "sim/engine/traffic_memo.h"
#include "sim/engine/window_engine.h"

namespace tilescope {
namespace {

// Line look-ups that counting affords; beyond them it looks at one line in 2, 4, 8, ...
constexpr std::uint64_t kLookups = 8'000'000;
constexpr std::uint64_t kLookupsFast = 2'000'000;
constexpr unsigned kMostThinning = 6;

// The GPU as the counting engine, which has no clocks that change, sees it: with tensor instructions in the kernel all
// SMs run at the clock of those whose tensor cores work.
GpuSpec gpu_counting(const GpuSpec& gpu, const Kernel& kernel) {
  GpuSpec slower = gpu;
  if (uses_tensor_cores(kernel.code())) slower.clock.sm_mhz *= slower.clock.tensor_pct / 100;
  return slower;
}

void refuse_impossible_launch(const GpuSpec& gpu, const Kernel& kernel) {
  const auto problems = launch_problems(gpu, cta_resources(kernel.launch()));
  if (problems.empty()) return;
  std::string text = fmt::format("'{}' can not be launched on {}:", kernel.launch().kernel, gpu.name);
  for (std::size_t i = 0; i < problems.size(); ++i) text += (i == 0 ? " " : "; ") + problems[i];
  throw std::invalid_argument(text);
}

// Lines the first CTA looks up, times the CTAs.
std::uint64_t estimated_lookups(const GpuSpec& gpu, const Kernel& kernel) {
  const AccessCosts costs(gpu, kernel.patterns());
  std::uint64_t lines = 0;
  const auto stream = kernel.make_stream();
  for (std::int64_t warp = 0; warp < kernel.launch().warps_per_cta(); ++warp) {
    stream->start(0, static_cast<int>(warp), Operands::global);
    for (Segment segment; stream->next(segment);) {
      const MemoryOperand* operand = segment.operands;
      for (std::uint32_t i = 0; i < segment.length; ++i) {
        const OpClass op = segment.code[i].op;
        for (int n = 0; n < memory_operands(op); ++n, ++operand)
          if (is_lines(access_of(op, n))) lines += costs.footprint(*operand).lines.size();
      }
    }
  }
  return lines * static_cast<std::uint64_t>(kernel.launch().grid.count());
}

unsigned thinning_for(const GpuSpec& gpu, const Kernel& kernel, Sample sample) {
  if (sample == Sample::off) return 0;
  const std::uint64_t budget = sample == Sample::fast ? kLookupsFast : kLookups;
  const std::uint64_t lookups = estimated_lookups(gpu, kernel);
  unsigned shift = 0;
  while (shift < kMostThinning && lookups >> shift > budget) ++shift;
  return shift;
}

MemoryCounters scaled(MemoryCounters counters, unsigned shift) {
  for (std::uint64_t* value :
       {&counters.l2.read_sectors, &counters.l2.read_hit_sectors, &counters.l2.write_sectors,
        &counters.l2.fabric_write_sectors, &counters.l2.fabric_sectors, &counters.l2.fabric_hit_sectors,
        &counters.l2.atomic_sectors, &counters.l2.reduction_sectors, &counters.l2.evicted_dirty_sectors,
        &counters.l2.completed_sectors, &counters.hbm.read_bytes, &counters.hbm.write_bytes, &counters.hbm.row_hits,
        &counters.hbm.row_misses})
    *value <<= shift;
  return counters;
}

// `curves`: of the coarse clock, where they are asked for.
RunOutcome count(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options, const CountingSm::Grain& grain,
                 LaunchBefore& before, const std::function<void(const Progress&)>& on_progress,
                 WorkCurves* curves = nullptr) {
  const unsigned shift = grain.thin_shift;
  CountingEngine engine(gpu, kernel, options.threads, grain);
  before.leave_to(engine, shift);
  if (options.by_instruction) engine.attribute();
  const auto ctas = static_cast<double>(kernel.launch().grid.count());
  engine.on_progress = [&](const CountingEngine& e) {
    if (curves != nullptr) curves->add(e, shift);
    if (on_progress) on_progress({static_cast<double>(e.ctas_ended()) / ctas});
  };
  engine.run();

  RunOutcome outcome;
  outcome.occupancy = engine.occupancy();
  outcome.sm = engine.sm_counters();
  outcome.instructions = engine.instruction_counters();
  const MemoryCounters seen = engine.memory_counters();
  outcome.memory = scaled(seen, shift);
  outcome.sampled_fraction = 1.0 / static_cast<double>(1U << shift);
  const double lines_seen = static_cast<double>(seen.hbm.read_bytes) / static_cast<double>(kLineBytes);
  if (shift > 0) outcome.traffic_error_pct = 100.0 / std::sqrt(lines_seen + 1);
  outcome.coarse_cycles = engine.cycles() + gpu.launch.overhead_cycles;
  return outcome;
}

// As count(), from what another launch of the same traffic has counted. REQUIRES: both begin with an empty L2.
RunOutcome count_with_memo(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options, LaunchBefore& before) {
  const unsigned shift = thinning_for(gpu, kernel, options.sample);
  const auto check = [&] {
    if (options.on_progress) options.on_progress({0});
  };
  const Occupancy fit = occupancy(gpu, cta_resources(kernel.launch()));
  const auto survey = survey_launch(gpu, kernel, fit, shift, check);
  if (!survey) return count(gpu, kernel, options, {.thin_shift = shift}, before, options.on_progress);
  if (const auto known = options.memo->find(survey->key)) {
    RunOutcome outcome;
    outcome.occupancy = fit;
    outcome.sm = known->caches;
    outcome.sm += survey->segments;
    outcome.memory = known->memory;
    outcome.sampled_fraction = known->sampled_fraction;
    outcome.traffic_error_pct = known->traffic_error_pct;
    outcome.coarse_cycles = known->coarse_cycles;
    return outcome;
  }
  RunOutcome outcome = count(gpu, kernel, options, {.thin_shift = shift}, before, options.on_progress);
  TrafficMemo::Traffic traffic{outcome.sm, outcome.memory, outcome.sampled_fraction, outcome.traffic_error_pct,
                               outcome.coarse_cycles};
  static_cast<WorkCounters&>(traffic.caches) -= survey->segments;
  traffic.caches.instructions = {};
  options.memo->add(survey->key, traffic);
  return outcome;
}

// Cycles that the GPC counts whose clock has slowed down least, as gpc__cycles_elapsed.max does, and its mean clock.
// `all`: of the full clock, without the launch itself.
struct AllCycles {
  Cycle cycles, low, high;
};
void take_cycles(const GpuSpec& gpu, double share, const AllCycles& all, RunOutcome& outcome) {
  const auto counted = [&](Cycle full) {
    return (share == 1 ? full : std::llround(static_cast<double>(full) * share)) + gpu.launch.overhead_cycles;
  };
  outcome.cycles = counted(all.cycles);
  outcome.cycles_low = counted(all.low);
  outcome.cycles_high = counted(all.high);
  outcome.sm_mhz = gpu.clock.sm_mhz * static_cast<double>(outcome.cycles) /
                   static_cast<double>(all.cycles + gpu.launch.overhead_cycles);
}

// Whether SMs stay in step in the counting engine alone. Where warps wait for what they have just loaded, answers that
// SMs share bring them into step, there as in time. Where asynchronous copies run ahead nothing does; where CTAs share
// their SM evenly, it is in time too little.
bool counted_in_step(const CountingSm::Grain& grain, std::span<const Instruction> code) {
  return grain.evenly ||
         std::any_of(code.begin(), code.end(), [](const Instruction& one) { return one.op == OpClass::async_copy; });
}

// What L2 was asked for, corrected: what more or fewer requests share is found there.
void take_asked(double factor, RunOutcome& outcome) {
  L2Counters& l2 = outcome.memory.l2;
  const std::uint64_t absent = l2.read_sectors - l2.read_hit_sectors;
  const auto asked = static_cast<std::uint64_t>(std::llround(factor * static_cast<double>(l2.read_sectors)));
  l2.read_sectors = std::max(absent, std::min(asked, std::max(l2.read_sectors, outcome.sm.fill_sectors)));
  l2.read_hit_sectors = l2.read_sectors - absent;
}

RunOutcome time_in_full(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options, LaunchBefore& before) {
  TimingEngine engine(gpu, kernel, options.threads);
  before.leave_to(engine);
  if (options.by_instruction) engine.attribute();
  if (options.activity != nullptr) engine.tell(*options.activity);
  if (options.history != nullptr) engine.keep(*options.history);
  const auto ctas = static_cast<double>(kernel.launch().grid.count());
  engine.on_progress = [&](const TimingEngine& e) {
    if (options.on_progress) options.on_progress({static_cast<double>(e.ctas_ended()) / ctas});
  };
  engine.run();
  if (options.history != nullptr) options.history->end(engine.cycles());
  RunOutcome outcome;
  outcome.occupancy = engine.occupancy();
  outcome.sm = engine.sm_counters();
  outcome.memory = engine.memory_counters();
  outcome.timeline = engine.timeline();
  outcome.instructions = engine.instruction_counters();
  take_cycles(gpu, engine.clock_share(), {engine.cycles(), engine.cycles(), engine.cycles()}, outcome);
  return outcome;
}

// What does not depend on time is counted exactly; time and its reasons come from the launch's beginning.
struct Sampled {
  RunOutcome counted;  // nothing where the launch was timed to its end
  SampledTiming timed;
};

Sampled sample(const GpuSpec& gpu, const GpuSpec& counting, const Kernel& kernel, const RunOptions& options,
               LaunchBefore& before) {
  const auto part = [&options](double from, double to) -> std::function<void(const Progress&)> {
    if (!options.on_progress) return {};
    return [&options, from, to](const Progress& p) { options.on_progress({from + (to - from) * p.fraction}); };
  };
  CountingSm::Grain grain{.thin_shift = thinning_for(gpu, kernel, options.sample)};
  TimedBeginning beginning(gpu, kernel, options);
  before.leave_to(beginning);
  RunOutcome counted;
  WorkCurves curves;
  if (options.sample == Sample::fast) {
    counted = count(counting, kernel, options, grain, before, part(0, 0.4), &curves);
    beginning.run_to_ratio(curves, part(0.4, 1));
  } else {
    beginning.run(TimedBeginning::kMost, part(0, 0.5));
    if (!beginning.done()) {
      grain = sharing_like(beginning.engine(), counting, kernel, options.threads, grain, before);
      counted = count(counting, kernel, options, grain, before, part(0.5, 0.8), &curves);
      beginning.run_to_ratio(curves, part(0.8, 0.8));
    }
  }
  LaterWaves later;
  const bool in_step = !beginning.done() && counted_in_step(grain, kernel.code());
  if (in_step && options.sample == Sample::automatic) {
    const auto all = static_cast<double>(curves.by_load().front().back().value);
    later = later_waves(gpu, kernel, options.threads, static_cast<Cycle>(all / beginning.waves()),
                        beginning.engine().memory(), part(0.8, 1));
  }
  SampledTiming timed = beginning.timing(curves, later);
  if (!in_step) timed.asked_factor = 1;
  if (beginning.done()) counted = {};
  if (options.history != nullptr)
    options.history->end(beginning.done() ? beginning.engine().cycles() : beginning.engine().now());
  counted.occupancy = beginning.engine().occupancy();
  return {std::move(counted), std::move(timed)};
}

// What a launch reads from HBM before its CTAs do: its constants, its description, and its code, as far as it brings
// that. Source: dram__bytes_read of launches with cold caches, less what they load, is in steps of 256 B
// (gpu/measured/h100/programs; docs/cold-start.md).
std::uint64_t bytes_before_ctas(const GpuSpec& gpu, const Kernel& kernel) {
  constexpr std::int64_t kStep = 256;
  if (kernel.code_bytes() == 0 || gpu.launch.read_bytes == 0) return 0;
  const std::int64_t code = std::min(kernel.code_bytes(), gpu.instruction_cache.launch_kib * 1024);
  return static_cast<std::uint64_t>(gpu.launch.read_bytes + (code + kStep - 1) / kStep * kStep);
}

RunOutcome run(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options) {
  const GpuSpec counting = gpu_counting(gpu, kernel);
  LaunchBefore before(counting, kernel, options);
  if (options.mode == Mode::counts) {
    const CountingSm::Grain grain{.thin_shift = thinning_for(gpu, kernel, options.sample)};
    RunOutcome outcome = options.memo != nullptr && !options.by_instruction && !before.any()
                             ? count_with_memo(counting, kernel, options, before)
                             : count(counting, kernel, options, grain, before, options.on_progress);
    outcome.sm_mhz = counting.clock.sm_mhz;
    return outcome;
  }
  if (options.sample == Sample::off) return time_in_full(gpu, kernel, options, before);

  auto [outcome, timed] = sample(gpu, counting, kernel, options, before);
  take_cycles(gpu, timed.clock_share, {timed.cycles, timed.low, timed.high}, outcome);
  outcome.coarse_cycles = 0;
  outcome.sampled_fraction = timed.fraction;
  outcome.cycles_error_pct = 100 * timed.interval.standard_error();
  if (const auto sentence = doubt(timed.interval)) outcome.approximations.push_back(*sentence);
  outcome.timeline = timed.timeline;
  if (timed.fraction == 1) {
    outcome.sm = timed.sm;
    outcome.memory = timed.memory;
    outcome.instructions = timed.instructions;
    outcome.traffic_error_pct = 0;
    return outcome;
  }
  take_asked(timed.asked_factor, outcome);
  // Residence grows with time, reasons for waiting with the work.
  outcome.sm.warp_cycles = grown(timed.sm.warp_cycles, timed.time_fraction);
  outcome.sm.active_cycles = grown(timed.sm.active_cycles, timed.time_fraction);
  for (std::size_t i = 0; i < outcome.sm.stall_cycles.size(); ++i)
    outcome.sm.stall_cycles[i] = grown(timed.sm.stall_cycles[i], timed.fraction);
  if (options.by_instruction) take_grown_stalls(outcome.instructions, timed.instructions, timed.fraction);
  return outcome;
}

}  // namespace

RunOutcome simulate(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options) {
  refuse_impossible_launch(gpu, kernel);
  const bool warm = options.cache_control == CacheControl::none;
  RunOutcome outcome = run(warm ? with_code_in_l2(gpu) : gpu, kernel, options);
  const std::uint64_t before_ctas = warm ? 0 : bytes_before_ctas(gpu, kernel);
  outcome.memory.hbm.read_bytes += before_ctas;
  if (options.history != nullptr) options.history->add_before(before_ctas);
  const std::vector<std::string> before = kernel.approximations();
  outcome.approximations.insert(outcome.approximations.begin(), before.begin(), before.end());
  if (outcome.sm.partial_sectors != 0)
    outcome.approximations.push_back(fmt::format(
        "stores were counted, not timed: none joins an earlier one to its sector that has not left the SM, so that L2 "
        "may be written less often than said, by up to {} sectors that are written in part; --sample off times all",
        outcome.sm.partial_sectors));
  // What was executed and is not modelled.
  for (const OperationTraits& row : kOperations) {
    const std::uint64_t executed = outcome.sm.instructions[static_cast<std::size_t>(row.op)];
    if (!row.not_modelled.empty() && executed != 0)
      outcome.approximations.push_back(fmt::format("{} ({} warp instructions)", row.not_modelled, executed));
  }
  return outcome;
}

}  // namespace tilescope
