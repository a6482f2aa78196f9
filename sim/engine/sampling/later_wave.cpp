#include "sim/engine/sampling/later_wave.h"

#include <algorithm>

#include "sim/engine/window_engine.h"

namespace tilescope {
namespace {

constexpr double kSpreadOfCta = 0.01;  // of the time that a CTA takes, in which those of a wave begin
// Warp instructions of the piece, and how much of it has gone by when the CTAs have found their pace. Assumed.
constexpr std::uint64_t kLaterPiece = 24'000'000;
constexpr double kUntilSettled = 0.5;

}  // namespace

LaterWaves later_waves(const GpuSpec& gpu, const Kernel& kernel, int threads, Cycle cta_cycles,
                       const MemorySystem& before, const std::function<void(const Progress&)>& on_progress) {
  const Occupancy fit = occupancy(gpu, cta_resources(kernel.launch()));
  const std::int64_t wave = fit.ctas_per_sm * gpu.sm.count();
  if (kernel.launch().clustered() || kernel.launch().grid.count() < 2 * wave) return {};
  const auto spread = static_cast<Cycle>(kSpreadOfCta * static_cast<double>(cta_cycles));
  TimingEngine engine(gpu, kernel, threads, {}, {wave, spread});
  engine.begin_as_left_by(before);
  struct Seen {
    std::uint64_t instructions = 0, missed = 0, asked = 0;
    Cycle cycles = 0;
  };
  const auto look = [](const TimingEngine& one) {
    Seen seen{one.instructions(), 0, one.memory_counters().l2.read_sectors, one.now()};
    for (int sm = 0; sm < one.sms(); ++sm) seen.missed += one.sm(sm).fill_sectors();
    return seen;
  };
  Seen settled;
  engine.on_progress = [&](const TimingEngine& one) {
    const auto done = static_cast<double>(one.instructions()) / static_cast<double>(kLaterPiece);
    if (settled.instructions == 0 && done >= kUntilSettled) settled = look(one);
    if (on_progress) on_progress({std::min(1.0, done)});
    if (done >= 1) engine.stop();
  };
  engine.run();
  const Seen end = look(engine);
  if (end.missed == settled.missed) return {};
  return {
      static_cast<double>(end.asked - settled.asked) / static_cast<double>(end.missed - settled.missed),
      static_cast<double>(end.instructions - settled.instructions) / static_cast<double>(end.cycles - settled.cycles)};
}

double asked_by_waves(const WorkCurve& missed, const WorkCurve& asked, double waves, double first, double later) {
  if (later < 0 || missed.empty() || asked.back().value == 0) return first;
  const double end_of_first = static_cast<double>(missed.back().instructions) / waves;
  const double behind = static_cast<double>(missed.back().value) - value_at(missed, end_of_first);
  return (first * value_at(asked, end_of_first) + later * behind) / static_cast<double>(asked.back().value);
}

double at_later_rate(const WorkCurve& coarse, double waves, double timed, double rate, double first) {
  const auto all = static_cast<double>(coarse.back().instructions);
  const double wave = all / waves, from = std::max(timed, wave), to = std::min(all, 2 * wave);
  const double second = value_at(coarse, to) - value_at(coarse, wave);
  if (from >= all || second <= 0) return 0;
  return (value_at(coarse, all) - value_at(coarse, from)) * ((to - wave) / rate / second - first);
}

}  // namespace tilescope
