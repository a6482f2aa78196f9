#include "sim/engine/sampling/sm_sharing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

namespace tilescope {
namespace {

// Of an SM's first CTAs, until one of them ends, mean of the SMs that hold several.
struct Ages {
  double mean = 0;  // of the work: between 0, when the oldest has done all of it, and 1, when the youngest has
  double lag = 0;   // instructions by which the youngest is behind the oldest
};

template <class Engine>
std::optional<Ages> ages(const Engine& engine) {
  Ages sum;
  int shared = 0;
  for (int sm = 0; sm < engine.sms(); ++sm) {
    const auto& done = engine.sm(sm).first_ctas().instructions();
    double all = 0, by_age = 0;
    std::size_t youngest = 0;
    for (std::size_t i = 0; i < done.size(); ++i) {
      all += static_cast<double>(done[i]);
      by_age += static_cast<double>(done[i]) * static_cast<double>(i);
      if (done[i] > 0) youngest = i;
    }
    if (done.size() < 2 || done[1] == 0) continue;
    sum.mean += by_age / all / static_cast<double>(done.size() - 1);
    sum.lag += static_cast<double>(done[0]) - static_cast<double>(done[youngest]);
    ++shared;
  }
  if (shared == 0) return {};
  return Ages{sum.mean / shared, sum.lag / shared};
}

// Steps. Assumed: CTAs of 128 x 128 register tiles are up to one and a half apart in the timed beginning (3072x3072xK
// by rows and in groups, H200 and H100).
constexpr double kNear = 2;

// Do the warps of a CTA wait for each other, so that it advances as one?
bool meets(std::span<const Instruction> code) {
  return std::any_of(code.begin(), code.end(), [](const Instruction& one) {
    return one.op == OpClass::barrier || one.op == OpClass::partial_barrier;
  });
}

// A beginning that was counted.
struct Beginning {
  Ages ages;
  double step = 0;  // instructions
};

}  // namespace

CountingSm::Grain sharing_like(const TimingEngine& timed, const GpuSpec& gpu, const Kernel& kernel, int threads,
                               const CountingSm::Grain& grain, LaunchBefore& before) {
  const std::optional<Ages> wanted = ages(timed);
  if (!wanted) return grain;
  const std::uint64_t instructions = timed.instructions();
  const auto begin = [&](const CountingSm::Grain& one) {
    CountingEngine counted(gpu, kernel, threads, one);
    before.leave_to(counted, one.thin_shift);
    counted.on_progress = [&](const CountingEngine& engine) {
      if (engine.instructions() >= instructions) counted.stop();
    };
    counted.run();
    std::uint64_t steps = 0;
    for (int sm = 0; sm < counted.sms(); ++sm) steps += counted.sm(sm).steps();
    return Beginning{ages(counted).value_or(Ages{}),
                     static_cast<double>(counted.instructions()) / static_cast<double>(steps)};
  };
  CountingSm::Grain best = grain;
  if (meets(kernel.code())) {
    best.evenly = true;
    const Beginning even = begin(best);
    if (std::abs(wanted->lag - even.ages.lag) <= kNear * even.step) return best;
    best = grain;
  }
  double least = 1;
  // The more places, the more the younger ones do.
  const auto younger_by = [&](double places) {
    CountingSm::Grain one = grain;
    one.places = places;
    const double later = begin(one).ages.mean - wanted->mean;
    if (std::abs(later) < least) {
      least = std::abs(later);
      best = one;
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
