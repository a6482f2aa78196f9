// Which element each lane of a warp touches: the input of `tilescope banks`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "models/isa/lane_pattern.h"
#include "sim/results/banks/lane_expression.h"

namespace tilescope {

using LaneMap = std::array<std::int64_t, kLanes>;  // index in units of the access width; -1: inactive

inline constexpr std::int64_t kInactive = -1;
inline constexpr std::int64_t kLargestIndex = (std::int64_t{1} << 31) - 1;

// From 32 numbers, separated by spaces or commas. The error is one sentence without an end mark.
tl::expected<LaneMap, std::string> lane_map_of(const std::string& numbers);

// From a formula for every lane.
tl::expected<LaneMap, std::string> lane_map_of(const LaneExpression& expression);

// The byte addresses of the map. REQUIRES: bytes is 4, 8 or 16.
BasedPattern pattern_of(const LaneMap& map, int bytes);

}  // namespace tilescope
