#include "sim/engine/sampling/sampled_timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/engine/cta_activity.h"

namespace tilescope {
namespace {

// With Sample::fast, instructions that are timed one by one: at least so many, twice that when all CTAs start together
// and drift apart slowly, then more until the factor's error is small enough. Launches of twice as many are simulated
// to the end.
constexpr std::uint64_t kFewestTimedFast = 12'000'000;
constexpr std::uint64_t kCheckEvery = 2'000'000;
constexpr double kErrorWanted = 1;  // of the factor between the clocks, percent
// The first part of them, in which the chip fills up, does not enter the factor between the clocks.
constexpr double kWarmUp = 0.3;

// What the factor may be off, in percent: its standard deviation when the stretch of work begins later or ends sooner.
// The clocks are in step only on average; where the stretch begins and ends is what makes the difference.
double factor_error_pct(const WorkCurve& detailed, const WorkCurve& coarse, double from, double to) {
  constexpr std::array<double, 4> kCuts{0, 0.1, 0.2, 0.3};
  double sum = 0;
  double squares = 0;
  for (const double begin : kCuts)
    for (const double end : kCuts) {
      const double f = factor(detailed, coarse, from + begin * (to - from), to - end * (to - from));
      sum += f;
      squares += f * f;
    }
  constexpr double kTimes = kCuts.size() * kCuts.size();
  const double mean = sum / kTimes;
  return mean == 0 ? 0 : 100 * std::sqrt(std::max(0.0, squares / kTimes - mean * mean)) / mean;
}

// When the SMs of one load end.
struct End {
  double when = 0;
  double factor_error_pct = 0;
  std::size_t load = 0;
};

// By how much larger a share of what misses L1 the detailed run asks L2 for.
double asked_factor(const WorkCurves& detailed, const WorkCurves& coarse) {
  const auto to = static_cast<double>(detailed.instructions());
  const double from = kWarmUp * to;
  const double missed = factor(detailed.missed(), coarse.missed(), from, to);
  return missed <= 0 ? 1 : factor(detailed.asked(), coarse.asked(), from, to) / missed;
}

double warmed_up(const WorkCurve& detailed) { return kWarmUp * static_cast<double>(detailed.back().instructions); }

End extrapolated(const WorkCurve& detailed, const WorkCurve& coarse, std::size_t load) {
  const auto to = static_cast<double>(detailed.back().instructions);
  const double from = warmed_up(detailed);
  const double rest = value_at(coarse, static_cast<double>(coarse.back().instructions)) - value_at(coarse, to);
  return {value_at(detailed, to) + rest * factor(detailed, coarse, from, to),
          factor_error_pct(detailed, coarse, from, to), load};
}

End last_end(const WorkCurves& detailed, const WorkCurves& coarse) {
  End last;
  for (std::size_t load = 0; load < detailed.by_load().size(); ++load) {
    const End end = extrapolated(detailed.by_load()[load], coarse.by_load()[load], load);
    if (end.when > last.when) last = end;
  }
  return last;
}

}  // namespace

template <class Engine>
void WorkCurves::add(const Engine& engine, unsigned thin_shift) {
  if (by_load_.empty()) {
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
    by_load_.resize(different.size());
  }
  for (WorkCurve& curve : by_load_) curve.push_back({engine.now(), 0});
  std::uint64_t all = 0, missed = 0;
  for (int sm = 0; sm < engine.sms(); ++sm) {
    const std::uint64_t instructions = engine.sm(sm).instructions();
    by_load_[curve_of_sm_[static_cast<std::size_t>(sm)]].back().instructions += instructions;
    all += instructions;
    missed += engine.sm(sm).fill_sectors();
  }
  instructions_ = all;
  missed_.push_back({static_cast<std::int64_t>(missed), all});
  asked_.push_back({static_cast<std::int64_t>(engine.memory_counters().l2.read_sectors << thin_shift), all});
}

template void WorkCurves::add(const TimingEngine& engine, unsigned thin_shift);
template void WorkCurves::add(const CountingEngine& engine, unsigned thin_shift);

TimedBeginning::TimedBeginning(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options)
    : options_(options), engine_(gpu, kernel, options.threads) {
  const auto ctas = static_cast<double>(kernel.launch().grid.count());
  waves_ = ctas / (ctas - static_cast<double>(engine_.ctas_waiting()));
  if (options.by_instruction) engine_.attribute();
  if (options.activity != nullptr) engine_.tell(*options.activity);
  if (options.history != nullptr) engine_.keep(*options.history);
}

void TimedBeginning::run(std::uint64_t instructions, const std::function<void(const Progress&)>& on_progress) {
  run_on(instructions, instructions, on_progress);
}

// `of`: what the progress is a part of.
void TimedBeginning::run_on(std::uint64_t stop_at, std::uint64_t of,
                            const std::function<void(const Progress&)>& on_progress) {
  engine_.on_progress = [&](const TimingEngine& engine) {
    curves_.add(engine);
    const std::uint64_t now = curves_.instructions();
    if (on_progress) on_progress({std::min(1.0, static_cast<double>(now) / static_cast<double>(of))});
    if (now >= stop_at) engine_.stop();
  };
  engine_.run();
}

void TimedBeginning::run_to_ratio(const WorkCurves& coarse, const std::function<void(const Progress&)>& on_progress) {
  const std::uint64_t total = coarse.instructions();
  const std::uint64_t least = options_.sample != Sample::fast ? kMost
                              : engine_.ctas_waiting() == 0   ? 2 * kFewestTimedFast
                                                              : kFewestTimedFast;
  if (total <= 2 * least) {
    run_on(std::numeric_limits<std::uint64_t>::max(), total, on_progress);
    return;
  }
  for (std::uint64_t to = least;; to += kCheckEvery) {
    run_on(to, kMost, on_progress);
    if (done() || to >= kMost || last_end(curves_, coarse).factor_error_pct <= kErrorWanted) return;
  }
}

SampledTiming TimedBeginning::timing(const WorkCurves& coarse, const LaterWaves& later) const {
  SampledTiming result{engine_.cycles(),
                       {},
                       engine_.cycles(),
                       engine_.cycles(),
                       1,
                       1,
                       engine_.clock_share(),
                       1,
                       engine_.sm_counters(),
                       engine_.memory_counters(),
                       engine_.timeline(),
                       engine_.instruction_counters()};
  if (engine_.done()) return result;
  End last = last_end(curves_, coarse);
  const WorkCurve& of_last = curves_.by_load()[last.load];
  if (later.rate > 0) {
    const WorkCurve& coarse_of_last = coarse.by_load()[last.load];
    const auto timed = static_cast<double>(of_last.back().instructions);
    last.when += at_later_rate(coarse_of_last, waves_, timed, later.rate,
                               factor(of_last, coarse_of_last, warmed_up(of_last), timed));
  }
  result.interval = cycles_interval(of_last, coarse.by_load()[last.load],
                                    {warmed_up(of_last), static_cast<double>(of_last.back().instructions), waves_});
  const double half_width = result.interval.half_width();
  result.cycles = static_cast<Cycle>(std::llround(last.when));
  result.asked_factor =
      asked_by_waves(coarse.missed(), coarse.asked(), waves_, asked_factor(curves_, coarse), later.asked);
  // What has been simulated has passed.
  result.low =
      std::min(result.cycles, std::max(engine_.now(), static_cast<Cycle>(std::floor(last.when * (1 - half_width)))));
  result.high = static_cast<Cycle>(std::ceil(last.when * (1 + half_width)));
  result.fraction = static_cast<double>(curves_.instructions()) / static_cast<double>(coarse.instructions());
  result.time_fraction = static_cast<double>(engine_.now()) / last.when;
  return result;
}

}  // namespace tilescope
