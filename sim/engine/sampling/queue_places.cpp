#include "sim/engine/sampling/queue_places.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilescope {
namespace {

// How differently the work of each SM is spread over its first CTAs: 0 to 2, summed up over SMs.
double apart(const TimingEngine& timed, const CountingEngine& counted) {
  double sum = 0;
  for (int sm = 0; sm < timed.sms(); ++sm) {
    const auto& a = timed.sm(sm).first_ctas().instructions();
    const auto& b = counted.sm(sm).first_ctas().instructions();
    const auto all_a = static_cast<double>(std::accumulate(a.begin(), a.end(), std::uint64_t{0}));
    const auto all_b = static_cast<double>(std::accumulate(b.begin(), b.end(), std::uint64_t{0}));
    if (all_a == 0 || all_b == 0) continue;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += std::abs(static_cast<double>(a[i]) / all_a - static_cast<double>(b[i]) / all_b);
  }
  return sum;
}

bool shared(const TimingEngine& timed) {
  for (int sm = 0; sm < timed.sms(); ++sm) {
    const auto& ctas = timed.sm(sm).first_ctas().instructions();
    if (ctas.size() > 1 && ctas[1] > 0) return true;
  }
  return false;
}

}  // namespace

double queue_places_like(const TimingEngine& timed, const GpuSpec& gpu, const Kernel& kernel, int threads,
                         const CountingSm::Grain& grain) {
  if (!shared(timed)) return grain.places;
  // Beyond 32 CTAs that advance together would do so for ever: in the counting engine nothing else parts them.
  constexpr std::array<double, 6> kPlaces{8, 10, 12, 16, 24, 32};
  const std::uint64_t instructions = timed.instructions();
  double best = grain.places, least = std::numeric_limits<double>::max();
  int worse = 0;
  for (const double places : kPlaces) {
    CountingSm::Grain one = grain;
    one.places = places;
    CountingEngine counted(gpu, kernel, threads, one);
    counted.on_progress = [&](const CountingEngine& engine) {
      if (engine.instructions() >= instructions) counted.stop();
    };
    counted.run();
    const double distance = apart(timed, counted);
    worse = distance > least ? worse + 1 : 0;
    if (worse == 2) break;  // it has one minimum
    if (distance < least) {
      least = distance;
      best = places;
    }
  }
  return best;
}

}  // namespace tilescope
