// Curves against the working set, as microbenchmarks measure them: the real kernels through simulate(), every access
// timed.
//
// What is reduced, and why it does not matter: hardware repeats a pass until the clock is fine enough; here two runs
// differ by a few passes and their difference is free of launch and of the cold first pass. A curve gets two or three
// points on a plateau and four to eight around a knee.
#pragma once

#include <fmt/core.h>

#include <fstream>
#include <map>
#include <sstream>

#include "microbench.h"
#include "traces/kernels/pointer_chase.h"
#include "traces/kernels/reread.h"

namespace tilescope::test {

inline constexpr double kKib = 1024;

inline Cycle cycles_of(const GpuSpec& spec, const Kernel& kernel) { return run(spec, kernel, Mode::timing).cycles; }

// GB/s of `bytes` that the longer of two runs moves and the shorter does not.
inline double gigabytes_per_second(const GpuSpec& spec, double bytes, const Kernel& shorter, const Kernel& longer) {
  return bytes * spec.clock.sm_mhz / 1000 / static_cast<double>(cycles_of(spec, longer) - cycles_of(spec, shorter));
}

inline double reread_rate(const GpuSpec& spec, RereadSpec reread, std::int64_t few, std::int64_t many) {
  const double readers = reread.form == RereadForm::cyclic ? 1 : static_cast<double>(reread.ctas);
  const double bytes = readers * static_cast<double>(reread.bytes * (many - few));
  reread.known_stride = true;
  reread.passes = few;
  const Reread shorter(reread);
  reread.passes = many;
  return gigabytes_per_second(spec, bytes, shorter, Reread(reread));
}

// Cycles of one load of a pointer chase, mean over the second and third round. One SM chases, so a chip of one SM
// beside each partition will do: the others would only idle.
inline GpuSpec with_two_sms(GpuSpec spec) {
  spec.sm.gpcs = {1, 1};
  return spec;
}

inline double chase_latency(const GpuSpec& spec, std::int64_t kib) {
  const std::int64_t elements = kib * 8;
  const auto rounds = [&](std::int64_t n) {
    return static_cast<double>(
        cycles_of(spec, PointerChase({.bytes = kib * 1024, .stride = 128, .steps = n * elements})));
  };
  return (rounds(3) - rounds(1)) / static_cast<double>(2 * elements);
}

using Curve = std::map<double, double>;  // working set in KiB -> value

// One curve of tests/data/published_curves.csv.
inline Curve published(const std::string& gpu_name, const std::string& benchmark) {
  std::ifstream file(TILESCOPE_TEST_DATA "/published_curves.csv");
  REQUIRE(file);
  Curve curve;
  for (std::string row; std::getline(file, row);) {
    const std::string prefix = fmt::format("{},{},", gpu_name, benchmark);
    if (row.compare(0, prefix.size(), prefix) != 0) continue;
    std::istringstream rest(row.substr(prefix.size()));
    double x = 0;
    double value = 0;
    std::string unit;
    rest >> x;
    rest.get();
    std::getline(rest, unit, ',');
    rest >> value;
    curve[x] = value;
  }
  REQUIRE(!curve.empty());
  return curve;
}

// Mean over the points from `low` to `high` KiB.
inline double plateau(const Curve& curve, double low, double high) {
  double sum = 0;
  double points = 0;
  for (auto at = curve.lower_bound(low); at != curve.upper_bound(high); ++at, ++points) sum += at->second;
  REQUIRE(points > 0);
  return sum / points;
}

// The working set between `low` and `high` KiB in which the curve crosses the middle of two plateaus, by interpolation.
inline double knee(const Curve& curve, double low, double high, double before, double after) {
  const double middle = (before + after) / 2;
  const bool rises = after > before;
  for (auto next = curve.upper_bound(low); next != curve.end() && next->first <= high; ++next) {
    if ((next->second >= middle) != rises) continue;
    const auto last = std::prev(next);
    return last->first + (next->first - last->first) * (middle - last->second) / (next->second - last->second);
  }
  FAIL("the curve does not cross " << middle << " between " << low << " and " << high << " KiB");
  return 0;
}

// Checks a figure and prints it as a row of docs/memory-system.md.
inline void compare(const std::string& what, double reference, double simulated, double tolerance_pct) {
  fmt::print("| {:<58} | {:>9.1f} | {:>9.1f} | {:>+6.1f} % |\n", what, reference, simulated,
             100 * (simulated / reference - 1));
  check_figure(what, reference, simulated, tolerance_pct);
}

}  // namespace tilescope::test
