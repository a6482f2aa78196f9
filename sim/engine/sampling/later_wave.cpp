#include "sim/engine/sampling/later_wave.h"

#include <algorithm>

#include "sim/engine/window_engine.h"

namespace tilescope {
namespace {

constexpr double kSpreadOfCta = 0.01;  // of the time that a CTA takes, in which those of a wave begin
// Warp instructions of the piece, and how much of it has gone by when the CTAs have found their pace.
constexpr std::uint64_t kLaterPiece = 24'000'000;
constexpr double kUntilSettled = 0.5;

}  // namespace

double asked_in_later_waves(const GpuSpec& gpu, const Kernel& kernel, int threads, Cycle cta_cycles,
                            const MemorySystem& before, const std::function<void(const Progress&)>& on_progress) {
  const Occupancy fit = occupancy(gpu, cta_resources(kernel.launch()));
  const std::int64_t wave = fit.ctas_per_sm * gpu.sm.count();
  if (kernel.launch().clustered() || kernel.launch().grid.count() < 2 * wave) return -1;
  const auto spread = static_cast<Cycle>(kSpreadOfCta * static_cast<double>(cta_cycles));
  TimingEngine engine(gpu, kernel, threads, {}, {wave, spread});
  engine.begin_as_left_by(before);
  std::uint64_t missed = 0, asked = 0;  // when the piece has warmed up
  const auto look = [&] {
    std::uint64_t now = 0;
    for (int sm = 0; sm < engine.sms(); ++sm) now += engine.sm(sm).fill_sectors();
    return now;
  };
  engine.on_progress = [&](const TimingEngine& one) {
    const std::uint64_t instructions = one.instructions();
    if (missed == 0 && static_cast<double>(instructions) >= kUntilSettled * static_cast<double>(kLaterPiece)) {
      missed = look();
      asked = one.memory_counters().l2.read_sectors;
    }
    if (on_progress)
      on_progress({std::min(1.0, static_cast<double>(instructions) / static_cast<double>(kLaterPiece))});
    if (instructions >= kLaterPiece) engine.stop();
  };
  engine.run();
  const std::uint64_t rest = look() - missed;
  return rest == 0 ? -1 : static_cast<double>(engine.memory_counters().l2.read_sectors - asked) / static_cast<double>(rest);
}

double asked_by_waves(const WorkCurve& missed, const WorkCurve& asked, double waves, double first, double later) {
  if (later < 0 || missed.empty() || asked.back().value == 0) return first;
  const double end_of_first = static_cast<double>(missed.back().instructions) / waves;
  const double behind = static_cast<double>(missed.back().value) - value_at(missed, end_of_first);
  return (first * value_at(asked, end_of_first) + later * behind) / static_cast<double>(asked.back().value);
}

}  // namespace tilescope
