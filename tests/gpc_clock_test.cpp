// The clock of a GPC beside tensor cores, against gpu/measured/h100/tensor_clock.csv (work=one, op=wgmma).
#include "models/gpc_clock.h"

#include <doctest/doctest.h>

#include <vector>

#include "engine_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// MHz of an SM that multiplies for `busy` of its cycles, pauses for `pause`, and so on.
double mean_mhz(const ClockSpec& spec, Cycle busy, Cycle pause) {
  GpcClock clock(spec);
  const auto own = [&clock](Cycle now) { return now - clock.behind(); };
  Cycle now = 0, from = 0, own_from = 0;
  constexpr int kBursts = 24, kSkipped = 8;
  for (int burst = 0; burst < kBursts; ++burst) {
    if (burst == kSkipped) from = now, own_from = own(now);
    for (const Cycle end = own(now) + busy; own(now) < end; clock.advance(now += 16)) clock.work(now, now + 16);
    for (const Cycle end = own(now) + pause; own(now) < end;) clock.advance(now += 16);
  }
  return spec.sm_mhz * static_cast<double>(own(now) - own_from) / static_cast<double>(now - from);
}

}  // namespace

TEST_CASE("bursts and pauses of tensor cores give a GPC the clock that was measured") {
  ClockSpec spec = gpu("h100").clock;
  spec.sm_mhz = 1972;  // of this SM without them
  const struct {
    int burst;  // wgmma m64n64k16
    Cycle pause;
    double measured;
  } rows[] = {{64, 0, 1793},    {1, 400, 1794},    {16, 400, 1794},  {64, 400, 1793}, {1, 1100, 1567},
              {16, 1100, 1566}, {1, 2000, 1637},   {64, 2400, 1716}, {1, 6400, 1844}, {64, 6400, 1827},
              {1, 20000, 1929}, {64, 20000, 1914}, {1, 100000, 1965}};
  for (const auto& row : rows) {
    CAPTURE(row.burst);
    CAPTURE(row.pause);
    // 64 cycles until the last product is seen, some 70 of the loop.
    CHECK(mean_mhz(spec, 32 * row.burst + 64, row.pause + 70) == doctest::Approx(row.measured).epsilon(0.012));
  }
}

TEST_CASE("a clock without tensor work, or of a GPU that does not slow down, loses nothing") {
  GpcClock idle(gpu("h200").clock);
  idle.advance(100000);
  CHECK(idle.behind() == 0);
  CHECK(!GpcClock::varies(gpu("a100").clock));
  GpcClock steady(gpu("a100").clock);
  steady.work(10, 5000);
  steady.advance(100000);
  CHECK(steady.behind() == 0);
}
