// Passes of copies through L1 (models/copy_passes.h) against those counted on an H100
// (gpu/measured/h100/copy_maps_counted.csv).
#include "models/copy_passes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "gpu/common/copy_map.h"
#include "models/support/text_file.h"

using namespace tilescope;

namespace {

constexpr double kCopies = 2048;

// Wavefronts of a copy by the case's name.
std::map<std::string, double> counted_wavefronts() {
  std::istringstream lines(read_text_file(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/copy_maps_counted.csv").value());
  std::map<std::string, double> result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    if (!line.starts_with("counted_copy_maps,")) continue;
    result[line.substr(first + 1, second - first - 1)] = std::stod(line.substr(second + 1)) / kCopies;
  }
  return result;
}

int passes_of(const gpu::CopyMap& map) {
  LanePattern from, to;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const gpu::CopyLane& of = map.lanes[lane];
    if (!of.active) continue;
    from.active |= 1U << lane;
    from.offset[lane] = (of.line * 32 + of.word) * 4;
    to.offset[lane] = (of.row * 32 + of.bank) * 4;
  }
  to.active = from.active;
  return copy_passes(from, to, SharedBanks());
}

LanePattern strided_lanes(int bytes, std::int64_t stride) {
  LanePattern result;
  result.bytes = static_cast<std::uint8_t>(bytes);
  result.active = ~0U;
  for (std::size_t lane = 0; lane < kLanes; ++lane) result.offset[lane] = stride * static_cast<std::int64_t>(lane);
  return result;
}

}  // namespace

TEST_CASE("the passes of any map of lanes are those that hardware counts, from L1 and for up to four lines from L2") {
  const auto counted = counted_wavefronts();
  const double others =
      counted.at("map=blocks 1x32 turned;state=l1;group=8") - 1;  // of the loop around a copy of one pass
  int compared = 0;
  for (const gpu::CopyMap& map : gpu::copy_maps()) {
    std::set<int> lines;
    for (const gpu::CopyLane& lane : map.lanes)
      if (lane.active) lines.insert(lane.line);
    for (const char* state : {"l1", "l2"}) {
      if (state == std::string("l2") && lines.size() > 4) continue;
      const double measured = counted.at("map=" + map.name + ";state=" + state + ";group=8") - others;
      CAPTURE(map.name);
      CAPTURE(state);
      CHECK(std::abs(passes_of(map) - measured) < 0.2);
      ++compared;
    }
  }
  CHECK(compared > 140);
}

TEST_CASE("wide copies go by half and quarter warps") {
  const auto passes = [](int bytes, std::int64_t from, std::int64_t to) {
    return copy_passes(strided_lanes(bytes, from), strided_lanes(bytes, to), SharedBanks());
  };
  CHECK(passes(4, 4, 4) == 1);
  CHECK(passes(8, 8, 8) == 2);
  CHECK(passes(16, 16, 16) == 4);
  CHECK(passes(4, 128, 4) == 32);    // every lane reads one bank of L1
  CHECK(passes(16, 16, 128) == 32);  // every lane writes the same banks of shared memory
  LanePattern none = strided_lanes(4, 4);
  none.active = 0;
  CHECK(copy_passes(none, none, SharedBanks()) == 0);
}

TEST_CASE("a lane that waits keeps off those above it") {
  LanePattern from = strided_lanes(4, 0), to = from;
  from.active = to.active = 0b111;
  from.offset = {0, 0, 4};  // lane 1 reads lane 0's bank
  to.offset = {0, 4, 132};  // lane 2 writes lane 1's bank
  CHECK(copy_passes(from, to, SharedBanks()) == 3);
}
