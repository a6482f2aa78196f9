#include "models/shared_banks.h"

#include <algorithm>
#include <array>

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

}  // namespace

int SharedBanks::lanes_per_phase(const LanePattern& pattern, SharedOp op) const {
  const int lanes = std::min(kLanes, banks_ * bytes_ / pattern.bytes);
  if (op == SharedOp::store || lanes == kLanes) return lanes;
  const bool merges = every_lane_matches_its_partner(pattern, 1) || every_lane_matches_its_partner(pattern, 2);
  return merges ? 2 * lanes : lanes;
}

std::vector<BankPhase> SharedBanks::phases(const LanePattern& pattern, SharedOp op, std::uint64_t base) const {
  const int width = lanes_per_phase(pattern, op);
  const int words_per_lane = std::max(1, pattern.bytes / bytes_);
  std::vector<BankPhase> phases;
  for (int first = 0; first < kLanes; first += width) {
    BankPhase phase;
    phase.words.resize(static_cast<std::size_t>(banks_));
    for (int lane = first; lane < first + width; ++lane) {
      if (!pattern.is_active(lane)) continue;
      phase.lanes |= 1U << lane;
      const auto address = static_cast<std::int64_t>(base) + pattern.offset[static_cast<std::size_t>(lane)];
      for (int i = 0; i < words_per_lane; ++i) {
        const std::int64_t word = address / bytes_ + i;
        auto& bank = phase.words[static_cast<std::size_t>(word % banks_)];
        if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
      }
    }
    if (phase.lanes == 0) continue;
    for (const auto& bank : phase.words) phase.wavefronts = std::max(phase.wavefronts, static_cast<int>(bank.size()));
    phases.push_back(std::move(phase));
  }
  return phases;
}

// As phases() counts, without keeping the evidence: this runs once for every pattern that a launch makes.
BankCost SharedBanks::cost(const LanePattern& pattern, SharedOp op, std::uint64_t base) const {
  constexpr std::size_t most_words = 128;  // of one phase
  const int width = lanes_per_phase(pattern, op);
  const int words_per_lane = std::max(1, pattern.bytes / bytes_);
  const auto within = static_cast<std::int64_t>(base % static_cast<std::uint64_t>(bytes_));
  std::array<std::int64_t, most_words> words{};  // distinct ones of the phase
  std::array<std::uint8_t, most_words> next{};   // 1 + index of the next word of the same bank, 0: none
  BankCost cost;
  for (int first = 0; first < kLanes; first += width) {
    std::array<std::uint8_t, kMostBanks> latest{}, held{};
    std::uint8_t count = 0, fullest = 0;
    for (int lane = first; lane < first + width; ++lane) {
      if (!pattern.is_active(lane)) continue;
      const std::int64_t word = (within + pattern.offset[static_cast<std::size_t>(lane)]) / bytes_;
      for (int i = 0; i < words_per_lane; ++i) {
        const auto bank = static_cast<std::size_t>((word + i) % banks_);
        std::uint8_t at = latest[bank];
        while (at != 0 && words[at - 1U] != word + i) at = next[at - 1U];
        if (at != 0) continue;
        words[count] = word + i;
        next[count] = latest[bank];
        latest[bank] = ++count;
        fullest = std::max(fullest, ++held[bank]);
      }
    }
    cost.wavefronts += fullest;
    cost.ideal += fullest != 0 ? 1 : 0;
  }
  if (op == SharedOp::load && cost.wavefronts != 0) cost.joined = std::max(0, pattern.bytes / bytes_ - cost.wavefronts);
  return cost;
}

BankCost SharedBanks::atomic_cost(const LanePattern& pattern, AtomicKind kind) const {
  if (pattern.active == 0) return {};
  if (kind == AtomicKind::count) return cost(pattern, SharedOp::store);
  const bool compare = kind == AtomicKind::compare;
  const int width = std::min(kLanes, banks_ * bytes_ / pattern.bytes);
  BankCost cost;
  for (int first = 0; first < kLanes; first += width) {
    std::array<int, kMostBanks> held{};
    int fullest = 0;
    for (int lane = first; lane < first + width; ++lane) {
      if (!pattern.is_active(lane)) continue;
      const std::int64_t word = pattern.offset[static_cast<std::size_t>(lane)] / bytes_;
      fullest = std::max(fullest, ++held[static_cast<std::size_t>(word % banks_)]);
    }
    cost.wavefronts += fullest;
    cost.ideal += fullest != 0 ? 1 : 0;
  }
  if (!compare) return cost;
  // The second value's passes are no conflicts.
  cost = {2 * cost.wavefronts, cost.wavefronts + cost.ideal};
  const int more = width < kLanes ? std::max(0, 4 - cost.wavefronts) : 0;
  cost = {cost.wavefronts + more, cost.ideal + more};
  return cost;
}

}  // namespace tilescope
