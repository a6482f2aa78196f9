// The clock of a GPC beside tensor cores, against gpu/measured/<gpu>/tensor_clock.csv.
#include "models/gpc_clock.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <utility>

#include "engine_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// MHz of an SM that multiplies for `busy` of its cycles, pauses for `pause`, and so on.
double mean_mhz(const ClockSpec& spec, Cycle busy, Cycle pause) {
  GpcClock clock(spec);
  const auto own = [&clock](Cycle now) { return now - clock.behind(); };
  Cycle now = 0, from = 0, own_from = 0;
  constexpr int kBursts = 64, kSkipped = 32;  // the skipped ones are longer than a step
  for (int burst = 0; burst < kBursts; ++burst) {
    if (burst == kSkipped) from = now, own_from = own(now);
    for (const Cycle end = own(now) + busy; own(now) < end; clock.advance(now += 16)) clock.work(now, now + 16);
    for (const Cycle end = own(now) + pause; own(now) < end;) clock.advance(now += 16);
  }
  return spec.sm_mhz * static_cast<double>(own(now) - own_from) / static_cast<double>(now - from);
}

struct Measured {
  double working = 0, others = 0;  // MHz
};
// Of one SM that multiplies (wgmma m64n64k16, random numbers), by length of its bursts and pauses in cycles.
std::map<std::pair<int, int>, Measured> measured(const std::string& gpu_name) {
  std::map<std::pair<int, int>, Measured> rows;
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/tensor_clock.csv");
  const std::regex row(
      "tensor_clock,op=wgmma;data=random;burst=([0-9]+);pause=([0-9]+);work=one,(working|others),([0-9.]+),MHz");
  std::smatch found;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_match(line, found, row)) continue;
    Measured& of = rows[{std::stoi(found[1]), std::stoi(found[2])}];
    (found[3] == "working" ? of.working : of.others) = std::stod(found[4]);
  }
  return rows;
}

}  // namespace

TEST_CASE("bursts and pauses of tensor cores give a GPC the clock that was measured") {
  for (const char* name : {"h200", "h100"}) {
    const auto rows = measured(name);
    REQUIRE(rows.size() == 73);
    ClockSpec spec = gpu(name).clock;
    spec.sm_mhz = rows.at({1, 100000}).others;  // of this machine, without tensor work
    double mean = 0;
    int held = 0;
    for (const auto& one : rows) {
      const int burst = one.first.first, pause = one.first.second;
      const Measured& row = one.second;
      // A step that has begun holds on with pauses of 800 cycles here, of 900 on hardware.
      if (pause == 800 || pause == 900) continue;
      CAPTURE(std::string(name));
      CAPTURE(burst);
      CAPTURE(pause);
      // 64 cycles until the last product is seen, some 70 of the loop.
      const double mhz = mean_mhz(spec, 32 * burst + 64, pause + 70);
      CHECK(mhz == doctest::Approx(row.working).epsilon(0.035));
      mean += std::abs(mhz / row.working - 1);
      ++held;
    }
    CHECK(mean / held < 0.012);
    MESSAGE(std::string(name) << ": " << held << " means, off by " << 100 * mean / held << " % on average");
  }
}

TEST_CASE("what goes by the GPC's clock lasts longer while that is slow") {
  // tensor_clock, question=latency: of a near hit 141 and 143 cycles, 6.5 and 8.3 ns longer beside a tensor core.
  GpcClock clock(gpu("h200").clock);
  CHECK(clock.longer(130) == 0);
  clock.work(0, 100);
  clock.advance(100);
  CHECK(clock.longer(130) == 33);  // stepping down: one pulse in five
  for (Cycle now = 100; now < 20000; now += 100) clock.work(now, now + 100), clock.advance(now + 100);
  CHECK(clock.longer(130) == 13);
  clock.advance(100000);
  CHECK(clock.longer(130) == 0);
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
