// What an SM's misses become before they leave it, against gpu/measured/h200/merges_counted.csv and stays_counted.csv.
#include "models/miss_queue.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <tuple>
#include <utility>

#include "engine_runs.h"
#include "hand_made_kernel.h"
#include "models/access_cost.h"
#include "models/occupancy.h"
#include "sass_runs.h"
#include "sim/engine/timing/sm.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// Of each of `lines` lines a sector.
Access sector_of(std::uint64_t first_line, std::uint64_t lines, std::uint64_t sector) {
  return lanes_at((first_line << 7U) + 32 * sector,
                  [=](std::uint64_t lane) { return (lane * lines / kLanes << 7U) + lane % (kLanes / lines) % 8 * 4; });
}

struct Pairs {
  std::uint64_t lines = 1, between = 0;
  int warps = 1;
  int stall = 4;  // cycles from one load to the next
  bool past_l1 = false;
  std::optional<std::uint64_t> line = {};  // the only one of which the second load takes a sector
};

// Requests of an SM whose warps begin together, a pair of loads each and perhaps one between.
std::size_t requests(const GpuSpec& spec, const Pairs& pairs) {
  std::vector<Program> programs;
  for (int warp = 0; warp < pairs.warps; ++warp) {
    const std::uint64_t first = 1024 + static_cast<std::uint64_t>(warp) * (1 + pairs.between) * pairs.lines;
    Program program{step(OpClass::barrier).stall(5)};
    const auto load = [&](std::uint64_t line, std::uint64_t sector, int scoreboard, int stall) {
      Step made = load_global(sector_of(line, pairs.lines, sector)).sets(scoreboard).stall(stall);
      program.push_back(pairs.past_l1 ? std::move(made).bypassing_l1() : std::move(made));
    };
    load(first, 0, 0, pairs.stall);
    if (pairs.between != 0) load(first + pairs.lines, 0, 1, pairs.stall);
    if (pairs.line)
      program.push_back(load_global(sector_of(first + *pairs.line, 1, 1)).sets(2).stall(1));
    else
      load(first, 1, 2, 1);
    program.push_back(step(OpClass::alu).waits_for(0).waits_for(1).waits_for(2));
    programs.push_back(program);
  }
  const HandMadeKernel kernel(1, 32 * pairs.warps, programs,
                              [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); });
  const AccessCosts costs(spec, kernel.patterns());
  Sm sm(spec, kernel, costs, occupancy(spec, cta_resources(kernel.launch())), 0);
  sm.launch_cta(0, 0);
  sm.advance(5000);
  return sm.outbox().size();
}

// The same of one warp that loads a sector of a line and another one 15 cycles later, beside a warp that has just asked
// for `lines` other lines.
std::size_t requests_beside(std::uint64_t lines) {
  const Program alone{step(OpClass::barrier).stall(5), step(OpClass::alu).stall(12),
                      load_global(sector_of(1024, 1, 0)).sets(0).stall(15), load_global(sector_of(1024, 1, 1)).sets(2),
                      step(OpClass::alu).waits_for(0).waits_for(2)};
  const Program many{step(OpClass::barrier).stall(5), load_global(sector_of(2048, lines, 0)).sets(0),
                     step(OpClass::alu).waits_for(0)};
  const GpuSpec spec = gpu("h200", {"launch.warp_interval_cycles=0"});
  const HandMadeKernel kernel(1, 64, {alone, many},
                              [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); });
  const AccessCosts costs(spec, kernel.patterns());
  Sm sm(spec, kernel, costs, occupancy(spec, cta_resources(kernel.launch())), 0);
  sm.launch_cta(0, 0);
  sm.advance(5000);
  return sm.outbox().size();
}

std::size_t pairs_of(const Pairs& pairs) { return pairs.lines * static_cast<std::size_t>(pairs.warps); }
// Of the pairs of sectors, how many are asked for together.
double joined(const GpuSpec& spec, const Pairs& pairs) {
  const double all = static_cast<double>(pairs_of(pairs) * (2 + pairs.between));
  return (all - static_cast<double>(requests(spec, pairs))) / static_cast<double>(pairs_of(pairs));
}

}  // namespace

TEST_CASE("two sectors of a line become one request while the first one's is in the SM") {
  // Loads directly one behind the other, and with a load of other lines between.
  const std::regex row(
      "counted_merges,op=(ca|nc);lines=([0-9]+);between=([01]);warps=([14]),[0-9]+,([0-9]+),([0-9]+),.*");
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/merges_counted.csv");
  std::map<int, double> besides;  // by warps, what a launch asks for else: no pair of 32 lines becomes one
  std::vector<std::tuple<Pairs, double, double>> rows;
  std::smatch found;
  for (std::string text; std::getline(file, text);) {
    if (!std::regex_match(text, found, row)) continue;
    Pairs pairs;
    pairs.lines = std::stoull(found[2]);
    pairs.between = std::stoull(found[3]);
    pairs.warps = std::stoi(found[4]);
    const double counted = std::stod(found[5]), asked = std::stod(found[6]);
    if (pairs.lines == 32) besides[pairs.warps] = counted - asked;
    rows.emplace_back(pairs, counted, asked);
  }
  constexpr double kRounds = 32;
  for (const auto& one : rows) {
    const Pairs& pairs = std::get<0>(one);
    const double counted = std::get<1>(one), asked = std::get<2>(one);
    CAPTURE(pairs.lines);
    CAPTURE(pairs.between);
    CAPTURE(pairs.warps);
    const double measured =
        (asked + besides.at(pairs.warps) - counted) / (kRounds * static_cast<double>(pairs_of(pairs)));
    // Of four lines half are joined on hardware in the very cycle from which on no single line is: none is here.
    const bool half = pairs.lines == 4 && pairs.between == 1 && pairs.warps == 1;
    if (half) CHECK(measured == doctest::Approx(0.5).epsilon(0.01));
    CHECK(joined(h200(), pairs) == doctest::Approx(half ? 0 : measured).epsilon(0.01).scale(1));
  }
  CHECK(rows.size() == 22);
}

TEST_CASE("a line can be joined for some cycles from its own look-up, whatever the load's other lines do") {
  const std::regex row(
      "counted_stays,lines=([0-9]+);operations=[01];fill=[01];line=([0-9]+),[0-9]+,([0-9]+),([0-9]+),[0-9]+,([0-9]+)");
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/stays_counted.csv");
  std::vector<std::pair<Pairs, double>> rows;
  double besides = 0;  // what a launch asks for else: line 0 of 32 becomes one with no other
  std::smatch found;
  for (std::string text; std::getline(file, text);) {
    if (!std::regex_match(text, found, row)) continue;
    Pairs pairs;
    pairs.lines = std::stoull(found[1]);
    pairs.line = std::stoull(found[2]);
    pairs.stall = std::stoi(found[5]);
    rows.emplace_back(pairs, std::stod(found[3]) - std::stod(found[4]));
    if (pairs.lines == 32 && *pairs.line == 0) besides = rows.back().second;
  }
  CHECK(rows.size() == 60);
  for (const auto& one : rows) {
    const Pairs& pairs = one.first;
    const double more = one.second;
    // The tag stage looks up four lines a cycle, but passes 32 unevenly; in the eighth cycle half are joined on
    // hardware.
    const auto since_look_up = pairs.stall - static_cast<int>(*pairs.line / 4);
    if (pairs.lines == 32 || since_look_up == 8) continue;
    CAPTURE(pairs.lines);
    CAPTURE(*pairs.line);
    CAPTURE(pairs.stall);
    const double measured = (besides - more) / 32;
    const auto asked = static_cast<double>(requests(h200(), pairs));
    CHECK(static_cast<double>(pairs.lines + 1) - asked == doctest::Approx(measured).epsilon(0.01).scale(1));
  }
}

TEST_CASE("what comes later, goes past L1 or finds the queue too short asks on its own") {
  CHECK(joined(h200(), {.lines = 4}) == 1);
  CHECK(joined(h200(), {.lines = 4, .stall = 15}) == 0);
  CHECK(joined(h200(), {.lines = 4, .past_l1 = true}) == 0);
  CHECK(joined(gpu("h200", {"lsu.miss_join_cycles=0"}), {.lines = 1}) == 0);
  CHECK(joined(h200(), {.lines = 16}) == 1);
  CHECK(joined(gpu("h200", {"lsu.miss_queue_lines=8"}), {.lines = 16}) == 0);
}

TEST_CASE("tiles that load two steps of K at once ask for less, in both engines") {
  const SassScratch scratch;
  const std::string samples = TILESCOPE_SOURCE_DIR "/traces/samples/sass/gpu/gemm_tiled.sm_90";
  const std::string file = scratch.write(
      "tiled.yaml", "kernel: {sass: " + samples + ".sass, elf: " + samples +
                        ".elf, name: gemm_tiledILi16ELi0ELi0ELb0ELb0ELb0E}\ngrid: [32, 32]\nblock: [16, "
                        "16]\nargs: [{buffer: 512KiB}, {buffer: 512KiB}, {buffer: 1MiB}, 512, 512, 256]\n");
  const auto made = sass_kernel(file);
  for (const Mode mode : {Mode::timing, Mode::counts}) {
    const auto reads = [&](const std::vector<std::string>& changes) {
      return static_cast<double>(run(gpu("h200", changes), *made, mode).memory.l2.read_sectors);
    };
    CHECK(reads({}) < (mode == Mode::timing ? 0.99 : 0.97) * reads({"lsu.miss_join_cycles=0"}));
  }
}

TEST_CASE("a line that waits for its turn on the way out can still be joined") {
  CHECK(requests_beside(4) == 4 + 2);
  CHECK(requests_beside(32) == 32 + 1);
}

TEST_CASE("a queue has room again when its oldest lines have left") {
  MissQueue queue(4);
  CHECK(queue.room_at(4) == 0);
  queue.add(10);
  queue.add(11);
  CHECK(queue.room_at(2) == 0);
  CHECK(queue.room_at(3) == 10);
  CHECK(queue.room_at(4) == 11);
  CHECK(queue.room_at(9) == 11);
}
