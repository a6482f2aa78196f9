#include "models/shared_banks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

#include "sim/results/banks/lane_map.h"

using namespace tilescope;

namespace {

constexpr SharedOp kOps[] = {SharedOp::load, SharedOp::store};
constexpr int kWidths[] = {4, 8, 16};

BankCost cost(const LaneMap& map, int bytes, SharedOp op) {
  return SharedBanks().cost(pattern_of(map, bytes).pattern, op);
}

// Maps with few and with many collisions, with and without inactive lanes.
std::vector<LaneMap> random_maps(int count) {
  std::mt19937 random(1);
  std::vector<LaneMap> maps;
  for (int i = 0; i < count; ++i) {
    const std::int64_t reach = std::int64_t{1} << (2 + i % 9);
    LaneMap map{};
    for (std::int64_t& index : map)
      index = i % 3 == 0 && random() % 4 == 0 ? kInactive : static_cast<std::int64_t>(random()) % reach;
    maps.push_back(map);
  }
  return maps;
}

}  // namespace

TEST_CASE("the count of wavefronts is that of the evidence") {
  for (const LaneMap& map : random_maps(60)) {
    for (const int bytes : kWidths) {
      for (const SharedOp op : kOps) {
        int wavefronts = 0, phases = 0;
        for (const BankPhase& phase : SharedBanks().phases(pattern_of(map, bytes).pattern, op))
          wavefronts += phase.wavefronts, ++phases;
        CHECK(cost(map, bytes, op).wavefronts == wavefronts);
        CHECK(cost(map, bytes, op).ideal == phases);
      }
    }
  }
}

TEST_CASE("every measured shared-memory instruction takes as many wavefronts as the hardware") {
  std::ifstream file(std::string(TILESCOPE_TEST_DATA) + "/bank_maps_structured.csv");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("width_bits")) continue;
    std::istringstream fields(line);
    std::string width, op, wavefronts, lanes;
    std::getline(fields, width, ',');
    std::getline(fields, op, ',');
    std::getline(fields, wavefronts, ',');
    std::getline(fields, lanes);
    CAPTURE(line);
    const auto map = lane_map_of(lanes);
    REQUIRE(map);
    CHECK(cost(*map, std::stoi(width) / 8, op == "ld" ? SharedOp::load : SharedOp::store).wavefronts ==
          std::stoi(wavefronts));
    ++rows;
  }
  CHECK(rows == 258);
}

TEST_CASE("the order of the lanes within a phase never changes wavefronts, unless loads can merge phases") {
  std::mt19937 random(2);
  for (const int bytes : kWidths) {
    for (const SharedOp op : kOps) {
      if (op == SharedOp::load && bytes > 4) continue;  // neighbours decide about merging
      for (const LaneMap& map : random_maps(60)) {
        LaneMap shuffled = map;
        const std::ptrdiff_t phase = kLanes * 4 / bytes;
        for (auto from = shuffled.begin(); from != shuffled.end(); from += phase)
          std::shuffle(from, from + phase, random);
        CHECK(cost(shuffled, bytes, op).wavefronts == cost(map, bytes, op).wavefronts);
      }
    }
  }
}

TEST_CASE("moving the whole access by a constant never changes its cost") {
  for (const int bytes : kWidths) {
    for (const SharedOp op : kOps) {
      for (const LaneMap& map : random_maps(60)) {
        for (const std::int64_t distance : {1, 7, 32, 1000}) {
          LaneMap moved = map;
          for (std::int64_t& index : moved) index += index == kInactive ? 0 : distance;
          CHECK(cost(moved, bytes, op).wavefronts == cost(map, bytes, op).wavefronts);
          CHECK(cost(moved, bytes, op).ideal == cost(map, bytes, op).ideal);
        }
      }
    }
  }
}

TEST_CASE("removing a lane never raises the wavefronts, and ideal is never above them") {
  for (const int bytes : kWidths) {
    for (const SharedOp op : kOps) {
      for (const LaneMap& map : random_maps(30)) {
        const BankCost whole = cost(map, bytes, op);
        CHECK(whole.ideal <= whole.wavefronts);
        for (std::size_t lane = 0; lane < map.size(); ++lane) {
          LaneMap fewer = map;
          fewer[lane] = kInactive;
          CHECK(cost(fewer, bytes, op).wavefronts <= whole.wavefronts);
        }
      }
    }
  }
}

TEST_CASE("no active lane, no wavefront") {
  LaneMap nobody{};
  nobody.fill(kInactive);
  for (const int bytes : kWidths)
    for (const SharedOp op : kOps) CHECK(cost(nobody, bytes, op).wavefronts == 0);
}

TEST_CASE("column reads: the row pitch decides the wavefronts") {
  const struct { int pitch, wavefronts; } rows[] = {{32, 32}, {16, 16}, {34, 2}, {33, 1}};
  for (const auto& row : rows) {
    LaneMap map{};
    for (std::size_t lane = 0; lane < map.size(); ++lane) map[lane] = static_cast<std::int64_t>(lane) * row.pitch;
    CAPTURE(row.pitch);
    CHECK(cost(map, 4, SharedOp::load).wavefronts == row.wavefronts);
  }
}
