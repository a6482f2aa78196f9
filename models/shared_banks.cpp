#include "models/shared_banks.h"

#include <algorithm>

namespace tilescope {
namespace {

bool every_lane_matches_its_partner(const LanePattern& pattern, int distance) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const int partner = lane ^ distance;
    if (!pattern.is_active(lane) || !pattern.is_active(partner)) continue;
    if (pattern.offset[static_cast<std::size_t>(lane)] != pattern.offset[static_cast<std::size_t>(partner)])
      return false;
  }
  return true;
}

int lanes_per_phase(const LanePattern& pattern, SharedOp op) {
  const int lanes = pattern.bytes <= kBankBytes ? kLanes : kLanes * kBankBytes / pattern.bytes;
  if (op == SharedOp::store || lanes == kLanes) return lanes;
  const bool merges = every_lane_matches_its_partner(pattern, 1) || every_lane_matches_its_partner(pattern, 2);
  return merges ? 2 * lanes : lanes;
}

}  // namespace

std::vector<BankPhase> shared_phases(const LanePattern& pattern, SharedOp op, std::uint64_t base) {
  const int width = lanes_per_phase(pattern, op);
  const int words_per_lane = std::max(1, pattern.bytes / kBankBytes);
  std::vector<BankPhase> phases;
  for (int first = 0; first < kLanes; first += width) {
    BankPhase phase;
    for (int lane = first; lane < first + width; ++lane) {
      if (!pattern.is_active(lane)) continue;
      phase.lanes |= 1U << lane;
      const auto address = static_cast<std::int64_t>(base) + pattern.offset[static_cast<std::size_t>(lane)];
      for (int i = 0; i < words_per_lane; ++i) {
        const std::int64_t word = address / kBankBytes + i;
        auto& bank = phase.words[static_cast<std::size_t>(word % kBanks)];
        if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
      }
    }
    if (phase.lanes == 0) continue;
    for (const auto& bank : phase.words) phase.wavefronts = std::max(phase.wavefronts, static_cast<int>(bank.size()));
    phases.push_back(std::move(phase));
  }
  return phases;
}

BankCost shared_cost(const LanePattern& pattern, SharedOp op) {
  BankCost cost;
  for (const BankPhase& phase : shared_phases(pattern, op)) {
    cost.wavefronts += phase.wavefronts;
    ++cost.ideal;
  }
  return cost;
}

}  // namespace tilescope
