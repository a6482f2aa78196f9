// When a CTA takes another's place, against gpu/measured/h200/cta_turn.csv: its warps' starts, and how many CTAs an SM
// holds when some of their warps have exited.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "hand_made_kernel.h"
#include "models/occupancy.h"
#include "sim/engine/issue_listener.h"
#include "sim/engine/timing/warp_places.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Case {
  std::int64_t threads = 0, resident = 0, registers = 0, stays = 0;
  auto operator<=>(const Case&) const = default;
  std::int64_t warps() const { return threads / kLanes; }
};

std::map<Case, std::map<std::string, double>> measured() {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/cta_turn.csv");
  const std::regex row("cta_turn,threads=(\\d+);resident=(\\d+);registers=(\\d+);stays=(\\d+),(\\w+),([0-9.]+),.*");
  std::map<Case, std::map<std::string, double>> all;
  std::smatch cells;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, cells, row))
      all[{std::stoi(cells[1]), std::stoi(cells[2]), std::stoi(cells[3]), std::stoi(cells[4])}][cells[5]] =
          std::stod(cells[6]);
  return all;
}

// CTAs of which all but `stays` warps exit at once come until none finds room.
std::int64_t most_at_once(const Case& launched) {
  const Occupancy held = occupancy(h200(), {.threads = launched.threads, .registers_per_thread = launched.registers});
  WarpPlaces places(static_cast<std::size_t>(h200().sm.sub_partitions), held.warps_per_sub_partition);
  std::int64_t ctas = 0;
  for (Cycle now = 0; ctas < held.ctas_that_run_out && places.fit(static_cast<std::size_t>(launched.warps()), now);
       ++now, ++ctas) {
    const std::size_t first = places.emptiest();
    const auto sub = [&](std::int64_t warp) { return (first + static_cast<std::size_t>(warp)) % 4; };
    for (std::int64_t w = 0; w < launched.warps(); ++w) places.take(sub(w));
    for (std::int64_t w = launched.stays; w < launched.warps(); ++w) places.leave(sub(w), now);
  }
  return ctas;
}

// Warp 0 works for so many cycles, in every eighth CTA for a tenth of them, as do the others if they stay.
HandMadeKernel working(std::int64_t ctas, std::int64_t threads, int cycles, bool others_stay) {
  const auto work = [](int of) { return repeated(of / 10, step(OpClass::alu).stall(10)); };
  return {ctas, threads, {work(cycles), work(cycles / 10), {}}, [=](std::int64_t cta, int warp) -> std::size_t {
            if (warp > 0 && !others_stay) return 2;
            return cta % 8 == 7 ? 1 : 0;
          }};
}

// First and last issue, by CTA and warp.
struct Issues : IssueListener {
  std::map<std::pair<std::int64_t, int>, std::pair<Cycle, Cycle>> of;
  void issued(const Issue& issue, const WorkCounters& /*before*/, const WorkCounters& /*after*/) override {
    of.try_emplace({issue.cta, issue.warp}, issue.when, issue.when).first->second.second = issue.when;
  }
};

std::size_t most_on_an_sm(const HandMadeKernel& kernel) {
  TimingEngine engine(h200(), kernel, 1);
  engine.run();
  std::size_t most = 0;
  for (const FinishedCta& at : engine.timeline()) {
    std::size_t there = 0;
    for (const FinishedCta& one : engine.timeline())
      there += one.sm == at.sm && one.start <= at.start && one.end > at.start ? 1 : 0;
    most = std::max(most, there);
  }
  return most;
}

}  // namespace

TEST_CASE("where warps have exited an SM of hardware holds no more CTAs than here, and mostly as many") {
  int cases = 0, equal = 0;
  for (const auto& [launched, values] : measured()) {
    const Occupancy whole =
        occupancy(h200(), {.threads = launched.threads, .registers_per_thread = launched.registers});
    if (launched.resident < whole.ctas_per_sm) continue;  // by shared memory, which is free when a CTA has ended
    CAPTURE(launched.threads);
    CAPTURE(launched.registers);
    CAPTURE(launched.stays);
    CHECK(whole.ctas_per_sm == launched.resident);
    const auto most = static_cast<double>(most_at_once(launched));
    CHECK(values.at("most") <= most);  // eight CTAs to a place may be too few to fill it
    equal += values.at("most") >= 0.85 * most ? 1 : 0;
    ++cases;
  }
  CHECK(cases == 32);
  CHECK(equal >= 20);
}

TEST_CASE("a CTA's warps begin one after the other, in as long as on hardware") {
  for (const auto& [launched, values] : measured()) {
    if (launched.resident != 1 || launched.stays != launched.warps()) continue;
    CAPTURE(launched.threads);
    const HandMadeKernel kernel = working(1, launched.threads, 1000, true);
    Issues issues;
    TimingEngine engine(h200(), kernel, 1);
    engine.tell(issues);
    engine.run();
    const auto last = static_cast<int>(launched.warps()) - 1;
    const auto between = static_cast<double>(issues.of.at({0, last}).first - issues.of.at({0, 0}).first);
    CHECK(std::abs(between - values.at("last_warp")) <= std::max(2.0, 0.1 * values.at("last_warp")));
  }
}

TEST_CASE("a CTA begins as long after the end of the one before it as on hardware, however many warps it has") {
  for (const auto& [launched, values] : measured()) {
    if (launched.resident != 1 || launched.stays != launched.warps()) continue;
    CAPTURE(launched.threads);
    GpuSpec spec = h200();
    spec.sm.max_ctas = 1;
    const HandMadeKernel kernel = working(2 * spec.sm.count(), launched.threads, 5000, true);
    Issues issues;
    TimingEngine engine(spec, kernel, 1);
    engine.tell(issues);
    engine.run();
    std::map<int, std::vector<FinishedCta>> by_sm;
    for (const FinishedCta& cta : engine.timeline()) by_sm[cta.sm].push_back(cta);
    Cycle gap = kNever;  // that waits for no other
    for (const auto& [sm, ctas] : by_sm)
      for (std::size_t i = 1; i < ctas.size(); ++i)
        gap = std::min(gap, issues.of.at({ctas[i].cta, 0}).first - ctas[i - 1].end);
    CHECK(std::abs(static_cast<double>(gap) - values.at("gap")) <= 0.07 * values.at("gap"));
  }
}

TEST_CASE("places of warps that have exited go to other CTAs") {
  const std::int64_t ctas = 20 * h200().sm.count();
  CHECK(most_on_an_sm(working(ctas, 256, 20000, true)) == 8);
  CHECK(most_on_an_sm(working(ctas, 256, 20000, false)) > 12);
}

TEST_CASE("a place is taken as soon as it is free where tensor cores slow the clock of their GPC") {
  // What they store keeps them for a while when they have exited.
  const auto work = [](int products) {
    const Access lines = lanes_at(1 << 20, [](std::uint64_t lane) { return lane << 7U; });
    return repeated(products, step(OpClass::tensor).stall(8)) + repeated(16, store_global(lines).stall(2));
  };
  HandMadeKernel kernel(6 * h200().sm.count(), 128, {work(3000), work(3300)},
                        [](std::int64_t cta, int) { return static_cast<std::size_t>(cta % 2); });
  kernel.change_launch().registers_per_thread = 252;
  TimingEngine engine(h200(), kernel, 1);
  engine.run();
  REQUIRE(engine.occupancy().ctas_per_sm == 2);
  std::map<int, std::pair<std::vector<Cycle>, std::vector<Cycle>>> by_sm;  // starts and ends
  for (const FinishedCta& cta : engine.timeline()) {
    by_sm[cta.sm].first.push_back(cta.start);
    by_sm[cta.sm].second.push_back(cta.end);
  }
  std::size_t turns = 0;
  for (auto& [sm, times] : by_sm) {
    std::sort(times.first.begin(), times.first.end());
    std::sort(times.second.begin(), times.second.end());
    for (std::size_t i = 2; i < times.first.size(); ++i, ++turns)
      CHECK(times.first[i] - times.second[i - 2] < 2 * h200().launch.cta_launch_cycles);
  }
  CHECK(turns == static_cast<std::size_t>(4 * h200().sm.count()));
  CHECK(engine.clock_share() < 0.999);  // the clock has slowed down
}
