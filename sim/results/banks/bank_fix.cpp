#include "sim/results/banks/bank_fix.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace tilescope {
namespace {

constexpr std::int64_t kMostPadding = 16;
constexpr int kMostShift = 4;

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

int wavefronts(const LaneMap& map, int bytes, SharedOp op) {
  return SharedBanks().cost(pattern_of(map, bytes).pattern, op).wavefronts;
}

// nullopt where the changed expression leaves the range of indices.
std::optional<LaneMap> padded(const LaneExpression& expression, const LaneMap& plain, std::int64_t pitch,
                              std::int64_t padding) {
  LaneMap map{};
  for (std::size_t lane = 0; lane < map.size(); ++lane) {
    if (plain[lane] == kInactive) {
      map[lane] = kInactive;
      continue;
    }
    try {
      map[lane] = expression.value_with_pitch(static_cast<int>(lane), pitch, pitch + padding);
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
    if (map[lane] < 0 || map[lane] > kLargestIndex) return std::nullopt;
  }
  return map;
}

LaneMap swizzled(const LaneMap& plain, std::int64_t pitch, int shift) {
  LaneMap map = plain;
  for (std::int64_t& index : map) {
    if (index == kInactive) continue;
    const std::int64_t row = index / pitch;
    index = row * pitch + ((index % pitch) ^ ((row >> shift) % pitch));
  }
  return map;
}

}  // namespace

std::string BankFix::sentence() const {
  const std::string remains =
      fmt::format("{} wavefront{}{}", wavefronts, wavefronts == 1 ? "" : "s", wavefronts == ideal ? " (ideal)" : "");
  if (kind == Kind::padding)
    return fmt::format("pad each row of {} by {} (pitch {}): {}, {:.1f} % more shared memory", pitch, padding,
                       pitch + padding, remains, 100.0 * static_cast<double>(padding) / static_cast<double>(pitch));
  const std::string row = shift == 0 ? "row" : fmt::format("(row >> {})", shift);
  return fmt::format("XOR swizzle, row * {} + (column ^ {} % {}): {}, no more shared memory", pitch, row, pitch,
                     remains);
}

std::vector<BankFix> bank_fixes(const LaneExpression& expression, int bytes, SharedOp op) {
  const auto plain = lane_map_of(expression);
  if (!plain) return {};
  const BankCost cost = SharedBanks().cost(pattern_of(*plain, bytes).pattern, op);
  if (cost.wavefronts <= cost.ideal) return {};
  std::optional<BankFix> padding, swizzle;
  const auto better = [&](const std::optional<BankFix>& best, int found) {
    return found < (best ? best->wavefronts : cost.wavefronts);
  };
  for (const std::int64_t pitch : expression.pitches()) {
    if (pitch > std::numeric_limits<std::int64_t>::max() - kMostPadding) continue;
    for (std::int64_t pad = 1; pad <= kMostPadding; ++pad) {
      const auto map = padded(expression, *plain, pitch, pad);
      if (!map) continue;
      const int found = wavefronts(*map, bytes, op);
      if (better(padding, found)) padding = BankFix{BankFix::Kind::padding, pitch, pad, 0, found, cost.ideal};
    }
    for (int shift = 0; is_power_of_two(pitch) && shift <= kMostShift; ++shift) {
      const int found = wavefronts(swizzled(*plain, pitch, shift), bytes, op);
      if (better(swizzle, found)) swizzle = BankFix{BankFix::Kind::xor_swizzle, pitch, 0, shift, found, cost.ideal};
    }
  }
  std::vector<BankFix> fixes;
  if (padding) fixes.push_back(*padding);
  if (swizzle) fixes.push_back(*swizzle);
  return fixes;
}

}  // namespace tilescope
