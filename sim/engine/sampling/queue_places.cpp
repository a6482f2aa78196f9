#include "sim/engine/sampling/queue_places.h"

#include <array>
#include <cmath>
#include <optional>

namespace tilescope {
namespace {

// Between 0, when the oldest of an SM's first CTAs has done all of the SM's work, and 1, when the youngest has; mean of
// the SMs that hold several, if there are any.
template <class Engine>
std::optional<double> mean_age(const Engine& engine) {
  double sum = 0;
  int shared = 0;
  for (int sm = 0; sm < engine.sms(); ++sm) {
    const auto& done = engine.sm(sm).first_ctas().instructions();
    double all = 0, by_age = 0;
    for (std::size_t i = 0; i < done.size(); ++i) {
      all += static_cast<double>(done[i]);
      by_age += static_cast<double>(done[i]) * static_cast<double>(i);
    }
    if (done.size() < 2 || done[1] == 0) continue;
    sum += by_age / all / static_cast<double>(done.size() - 1);
    ++shared;
  }
  if (shared == 0) return {};
  return sum / shared;
}

}  // namespace

double queue_places_like(const TimingEngine& timed, const GpuSpec& gpu, const Kernel& kernel, int threads,
                         const CountingSm::Grain& grain) {
  const std::optional<double> wanted = mean_age(timed);
  if (!wanted) return grain.places;
  const std::uint64_t instructions = timed.instructions();
  double best = grain.places, least = 1;
  // The more places, the more the younger ones do.
  const auto younger_by = [&](double places) {
    CountingSm::Grain one = grain;
    one.places = places;
    CountingEngine counted(gpu, kernel, threads, one);
    counted.on_progress = [&](const CountingEngine& engine) {
      if (engine.instructions() >= instructions) counted.stop();
    };
    counted.run();
    const double later = mean_age(counted).value_or(0) - *wanted;
    if (std::abs(later) < least) {
      least = std::abs(later);
      best = places;
    }
    return later;
  };
  // Beyond 32 CTAs that advance together would do so for ever: in the counting engine nothing else parts them.
  constexpr std::array<double, 6> kPlaces{8, 10, 12, 16, 24, 32};
  double fewer = kPlaces.front(), more = 0;
  for (const double places : kPlaces) {
    if (younger_by(places) >= 0) {
      more = places;
      break;
    }
    fewer = places;
  }
  constexpr double kCloseEnough = 0.001;
  for (int halving = 0; halving < 5 && more > fewer && least > kCloseEnough; ++halving) {
    const double middle = (fewer + more) / 2;
    (younger_by(middle) < 0 ? fewer : more) = middle;
  }
  return best;
}

}  // namespace tilescope
