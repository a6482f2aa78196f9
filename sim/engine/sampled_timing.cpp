#include "sim/engine/sampled_timing.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope {
namespace {

// Instructions that are timed one by one. Launches of up to twice as many are simulated to the end.
constexpr std::uint64_t kTimed = 48'000'000;
// The first part of them, in which the chip fills up, does not enter the factor between the clocks.
constexpr double kWarmUp = 0.3;
constexpr std::size_t kBatches = 4;  // of the rest, for the error

// When the curve reaches this much work, between its points.
double time_at(const WorkCurve& curve, double instructions) {
  const auto after = std::find_if(curve.begin(), curve.end(), [&](const WorkPoint& p) {
    return static_cast<double>(p.instructions) >= instructions;
  });
  if (after == curve.end()) return curve.empty() ? 0 : static_cast<double>(curve.back().when);
  const WorkPoint before = after == curve.begin() ? WorkPoint{} : *(after - 1);
  const auto step = static_cast<double>(after->instructions - before.instructions);
  const double share = step == 0 ? 1 : (instructions - static_cast<double>(before.instructions)) / step;
  return static_cast<double>(before.when) + share * static_cast<double>(after->when - before.when);
}

// Detailed time over coarse time for the work between `from` and `to`.
double factor(const WorkCurve& detailed, const WorkCurve& coarse, double from, double to) {
  const double coarse_time = time_at(coarse, to) - time_at(coarse, from);
  const double detailed_time = time_at(detailed, to) - time_at(detailed, from);
  return coarse_time <= 0 ? 1 : detailed_time / coarse_time;
}

// Standard error of the mean factor over batches of equal work, in percent.
double factor_error_pct(const WorkCurve& detailed, const WorkCurve& coarse, double from, double to) {
  std::array<double, kBatches> factors{};
  double mean = 0;
  for (std::size_t b = 0; b < kBatches; ++b) {
    const double step = (to - from) / kBatches;
    factors[b] =
        factor(detailed, coarse, from + step * static_cast<double>(b), from + step * static_cast<double>(b + 1));
    mean += factors[b] / kBatches;
  }
  double squares = 0;
  for (const double f : factors) squares += (f - mean) * (f - mean);
  return mean == 0 ? 0 : 100 * std::sqrt(squares / (kBatches - 1) / kBatches) / mean;
}

std::uint64_t sum_of_last(const std::vector<WorkCurve>& curves) {
  std::uint64_t sum = 0;
  for (const WorkCurve& curve : curves) sum += curve.back().instructions;
  return sum;
}

// When SMs of one load end, and by how much that may be off.
struct End {
  double when = 0;
  double error_pct = 0;
};

End extrapolated(const WorkCurve& detailed, const WorkCurve& coarse) {
  const auto to = static_cast<double>(detailed.back().instructions);
  const double from = kWarmUp * to;
  const double done = time_at(detailed, to);
  const double rest = time_at(coarse, static_cast<double>(coarse.back().instructions)) - time_at(coarse, to);
  const double scaled = rest * factor(detailed, coarse, from, to);
  const double end = done + scaled;
  return {end, end <= 0 ? 0 : factor_error_pct(detailed, coarse, from, to) * scaled / end};
}

}  // namespace

template <class Engine>
void WorkCurves::add(const Engine& engine) {
  if (curves_.empty()) {
    std::vector<std::int64_t> loads;
    loads.reserve(static_cast<std::size_t>(engine.sms()));
    const bool one_wave = engine.ctas_waiting() == 0;
    for (int sm = 0; sm < engine.sms(); ++sm) loads.push_back(one_wave ? engine.ctas_given(sm) : 0);
    std::vector<std::int64_t> different = loads;
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    for (const std::int64_t load : loads)
      curve_of_sm_.push_back(
          static_cast<std::size_t>(std::lower_bound(different.begin(), different.end(), load) - different.begin()));
    curves_.resize(different.size());
  }
  for (WorkCurve& curve : curves_) curve.push_back({engine.now(), 0});
  for (int sm = 0; sm < engine.sms(); ++sm)
    curves_[curve_of_sm_[static_cast<std::size_t>(sm)]].back().instructions += engine.sm(sm).instructions();
}

template void WorkCurves::add(const TimingEngine& engine);
template void WorkCurves::add(const CountingEngine& engine);

SampledTiming time_by_sample(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options,
                             const WorkCurves& coarse, const std::function<void(const Progress&)>& on_progress) {
  const std::uint64_t total = sum_of_last(coarse.by_load());
  const std::uint64_t timed = total <= 2 * kTimed ? total : kTimed;

  TimingEngine engine(gpu, kernel, options.threads);
  if (options.by_instruction) engine.attribute();
  WorkCurves detailed;
  engine.on_progress = [&](const TimingEngine& e) {
    detailed.add(e);
    const std::uint64_t now = sum_of_last(detailed.by_load());
    if (on_progress) on_progress({static_cast<double>(now) / static_cast<double>(timed)});
    if (timed < total && now >= timed) engine.stop();
  };
  engine.run();

  SampledTiming result{engine.cycles(),
                       0,
                       1,
                       1,
                       engine.sm_counters(),
                       engine.memory_counters(),
                       engine.timeline(),
                       engine.instruction_counters()};
  if (engine.done()) return result;
  End last;
  for (std::size_t load = 0; load < detailed.by_load().size(); ++load) {
    const End end = extrapolated(detailed.by_load()[load], coarse.by_load()[load]);
    if (end.when > last.when) last = end;
  }
  result.cycles = static_cast<Cycle>(std::llround(last.when));
  result.error_pct = last.error_pct;
  result.fraction = static_cast<double>(sum_of_last(detailed.by_load())) / static_cast<double>(total);
  result.time_fraction = static_cast<double>(engine.now()) / last.when;
  return result;
}

}  // namespace tilescope
