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

}  // namespace

SampledTiming time_by_sample(const GpuSpec& gpu, const Kernel& kernel, int threads, const WorkCurve& coarse,
                             const std::function<void(const Progress&)>& on_progress) {
  const std::uint64_t total = coarse.back().instructions;
  const std::uint64_t timed = total <= 2 * kTimed ? total : kTimed;

  TimingEngine engine(gpu, kernel, threads);
  WorkCurve detailed;
  engine.on_progress = [&](const TimingEngine& e) {
    detailed.push_back({e.now(), e.instructions()});
    if (on_progress) on_progress({static_cast<double>(detailed.back().instructions) / static_cast<double>(timed)});
    if (timed < total && detailed.back().instructions >= timed) engine.stop();
  };
  engine.run();

  SampledTiming result{engine.cycles(), 0, 1, 1, engine.sm_counters(), engine.memory_counters(), engine.timeline()};
  if (engine.done()) return result;
  const auto to = static_cast<double>(detailed.back().instructions);
  const double from = kWarmUp * to;
  const double rest = static_cast<double>(coarse.back().when) - time_at(coarse, to);
  const auto done = static_cast<double>(detailed.back().when);
  const double scaled = rest * factor(detailed, coarse, from, to);
  result.cycles = static_cast<Cycle>(std::llround(done + scaled));
  result.error_pct = factor_error_pct(detailed, coarse, from, to) * scaled / (done + scaled);
  result.fraction = to / static_cast<double>(total);
  result.time_fraction = done / (done + scaled);
  return result;
}

}  // namespace tilescope
