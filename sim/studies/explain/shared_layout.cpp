#include "sim/studies/explain/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace tilescope::explain {
namespace {

constexpr std::size_t kMostPitches = 8;
constexpr std::int64_t kRow = 128;  // byte: all banks once

// Distances between neighbouring lanes, and between lanes at different words of one bank: rows are so far apart.
std::vector<std::int64_t> pitches(const Survey& survey, const SharedArray& array) {
  std::map<std::int64_t, std::uint64_t> votes;
  for (const std::size_t i : array.accesses) {
    const SurveyedAccess& access = survey.accesses[i];
    if (access.cost <= access.ideal) continue;
    for (const SharedAccess& one : access.shared)
      for (int lane = 1; lane < kLanes; ++lane) {
        if (!one.pattern.is_active(lane)) continue;
        const auto at = [&](int l) { return one.pattern.offset[static_cast<std::size_t>(l)]; };
        for (const int other : {lane - 1, 0}) {
          if (!one.pattern.is_active(other)) continue;
          const std::int64_t apart = std::abs(at(lane) - at(other));
          if (apart > array.widest && apart % array.widest == 0 && apart < std::int64_t(array.to - array.from))
            votes[apart] += one.times;
        }
      }
  }
  std::vector<std::pair<std::uint64_t, std::int64_t>> ranked;
  ranked.reserve(votes.size());
  for (const auto& [pitch, count] : votes) ranked.emplace_back(count, pitch);
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<std::int64_t> best;
  for (const auto& [count, pitch] : ranked)
    if (best.size() < kMostPitches) best.push_back(pitch);
  return best;
}

std::uint64_t total(const SharedBanks& banks, const Survey& survey, const SharedArray& array,
                    const SharedLayout* layout, std::uint64_t give_up) {
  std::uint64_t wavefronts = 0;
  for (const std::size_t i : array.accesses)
    for (const SharedAccess& one : survey.accesses[i].shared) {
      if (wavefronts > give_up) return wavefronts;
      if (layout == nullptr) {
        wavefronts += one.times * static_cast<std::uint64_t>(banks.cost(one.pattern, one.op, one.base).wavefronts);
        continue;
      }
      std::array<std::uint64_t, kLanes> address{};
      for (int lane = 0; lane < kLanes; ++lane)
        if (one.pattern.is_active(lane))
          address[static_cast<std::size_t>(lane)] =
              layout->moved(one.base + static_cast<std::uint64_t>(one.pattern.offset[static_cast<std::size_t>(lane)]));
      const BasedPattern moved = make_pattern(address, one.pattern.active, one.pattern.bytes);
      wavefronts += one.times * static_cast<std::uint64_t>(banks.cost(moved.pattern, one.op, moved.base).wavefronts);
    }
  return wavefronts;
}

}  // namespace

std::int64_t SharedLayout::more_bytes() const {
  if (kind == Kind::xor_swizzle) return 0;
  const std::int64_t rows = (static_cast<std::int64_t>(to - from) + pitch - 1) / pitch;
  return (rows * padding + kRow - 1) / kRow * kRow;
}

std::uint64_t SharedLayout::moved(std::uint64_t address) const {
  if (address < from) return address;
  if (address >= to) return address + static_cast<std::uint64_t>(more_bytes());
  const std::uint64_t inside = address - from, row = inside / static_cast<std::uint64_t>(pitch);
  if (kind == Kind::padding) return address + row * static_cast<std::uint64_t>(padding);
  const auto wide = static_cast<std::uint64_t>(unit), units = static_cast<std::uint64_t>(pitch) / wide;
  const std::uint64_t column = inside % static_cast<std::uint64_t>(pitch) / wide;
  return from + row * static_cast<std::uint64_t>(pitch) +
         (column ^ ((row >> static_cast<unsigned>(shift)) % units)) * wide + inside % wide;
}

SharedMap SharedLayout::map() const {
  return [layout = *this](std::uint64_t address) { return layout.moved(address); };
}

std::string SharedLayout::sentence() const {
  if (kind == Kind::padding) return fmt::format("pad rows of {} B by {} B", pitch, padding);
  return fmt::format("XOR swizzle in rows of {} B: unit of {} B ^ {}", pitch, unit,
                     shift == 0 ? "row" : fmt::format("(row >> {})", shift));
}

bool can_be_laid_out(const SharedArray& array) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;  // byte: more than any SM has; a trace may say anything
  return array.from < array.to && array.to <= kMost;
}

std::vector<SharedLayout> layouts(const SharedBanks& banks, const Survey& survey, const SharedArray& array) {
  if (!can_be_laid_out(array)) return {};
  SharedLayout base;
  base.unit = std::max(array.widest, 4);
  base.from = array.from / static_cast<std::uint64_t>(base.unit) * static_cast<std::uint64_t>(base.unit);
  base.to = array.to;
  for (const std::size_t i : array.accesses) base.ideal += survey.accesses[i].ideal;
  base.before = total(banks, survey, array, nullptr, ~std::uint64_t{0});
  std::vector<SharedLayout> found;
  std::optional<SharedLayout> padded, swizzled;
  const auto take = [&](std::optional<SharedLayout>& best, SharedLayout tried) {
    const std::uint64_t limit = best ? best->wavefronts : base.before;
    tried.wavefronts = total(banks, survey, array, &tried, limit);
    if (tried.wavefronts < limit) best = tried;
  };
  for (const std::int64_t pitch : pitches(survey, array)) {
    if (pitch % base.unit != 0) continue;
    SharedLayout tried = base;
    tried.pitch = pitch;
    for (const int units : {1, 2, 4, 8}) {
      tried.padding = std::int64_t{units} * base.unit;
      take(padded, tried);
    }
    // A row that accesses do not fill to its end is permuted as a whole.
    const auto wide = static_cast<std::uint64_t>(pitch);
    tried.to = base.from + (base.to - base.from + wide - 1) / wide * wide;
    if (!std::has_single_bit(static_cast<std::uint64_t>(pitch / base.unit)) || tried.to > array.room) continue;
    tried.kind = SharedLayout::Kind::xor_swizzle;
    tried.padding = 0;
    for (const int shift : {0, 1, 2}) {
      tried.shift = shift;
      take(swizzled, tried);
    }
  }
  if (padded) found.push_back(*padded);
  if (swizzled) found.push_back(*swizzled);
  return found;
}

}  // namespace tilescope::explain
