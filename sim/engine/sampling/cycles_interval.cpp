#include "sim/engine/sampling/cycles_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

constexpr int kWindows = 6;         // of the sample
constexpr int kWindowsOfRest = 20;  // in which paces are compared
// By what share of each part the end is off in nine of ten launches: from the design launches of
// tools/accuracy-sampling, as is what is left where no part says anything.
constexpr double kOtherPace = 0.67;
constexpr double kUnseenWave = 0.67;
constexpr double kUnseenEnds = 0.09;
constexpr double kLeast = 0.01;
constexpr double kSigmas = 1.645;  // half of a normal distribution's central 90 %
constexpr double kWide = 0.1;      // an interval that is told in words

}  // namespace

double CyclesInterval::half_width() const {
  double squares = 0;
  for (const double part : {kSigmas * windows, kOtherPace * other_pace, kUnseenWave * unseen_wave,
                            kUnseenEnds * unseen_ends, kLeast * extrapolated})
    squares += part * part;
  return std::sqrt(squares);
}

double CyclesInterval::standard_error() const { return half_width() / kSigmas; }

CyclesInterval cycles_interval(const WorkCurve& detailed, const WorkCurve& coarse, const SampledStretch& sample) {
  const auto [from, to, waves] = sample;
  const auto total = static_cast<double>(coarse.back().instructions);
  const double ratio = factor(detailed, coarse, from, to);
  const double scaled = ratio * (value_at(coarse, total) - value_at(coarse, to));
  const double end = value_at(detailed, to) + scaled;
  CyclesInterval parts;
  if (end <= 0 || scaled <= 0) return parts;
  parts.extrapolated = scaled / end;

  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kWindows; ++i) {
    const double step = (to - from) / kWindows;
    const double one = factor(detailed, coarse, from + i * step, from + (i + 1) * step);
    sum += one;
    squares += one * one;
  }
  const double variance = std::max(0.0, squares - sum * sum / kWindows) / (kWindows - 1);
  parts.windows = std::sqrt(variance / kWindows) / ratio * parts.extrapolated;

  const double pace = (value_at(coarse, to) - value_at(coarse, from)) / (to - from);
  const double width = (total - to) / kWindowsOfRest;
  for (int i = 0; i < kWindowsOfRest; ++i) {
    const double begin = to + i * width;
    const double takes = value_at(coarse, begin + width) - value_at(coarse, begin);
    parts.other_pace += std::abs(takes - pace * width) * ratio / end;
  }

  const double unseen = std::max(0.0, 1 - waves * to / total) * parts.extrapolated;
  if (waves > 1)
    parts.unseen_wave = unseen * std::abs(std::log(ratio));
  else
    parts.unseen_ends = unseen;
  return parts;
}

std::optional<std::string> doubt(const CyclesInterval& interval) {
  const double half_width = interval.half_width();
  if (half_width <= kWide) return std::nullopt;
  const double windows = kSigmas * interval.windows;
  const double other_pace = kOtherPace * interval.other_pace;
  const double unseen_wave = kUnseenWave * interval.unseen_wave;
  const char* why = "the sample varies";
  if (other_pace >= std::max(windows, unseen_wave))
    why = "the rest runs at another pace than the sample, as where SMs run out of CTAs";
  else if (unseen_wave >= windows)
    why = "the sample ended before the CTAs of the first wave had";
  return fmt::format("{:.0f} % of the cycles are extrapolated and known to ± {:.0f} % of all only, because {}",
                     100 * interval.extrapolated, 100 * half_width, why);
}

}  // namespace tilescope
