#include "allocations.h"

#include <algorithm>
#include <iterator>

namespace tilescope::capture {

void Allocations::add(std::uint64_t address, std::uint64_t bytes) {
  if (address == 0 || bytes == 0) return;
  whole_[address] = bytes;
  reach(address, bytes);
}

void Allocations::map(std::uint64_t address, std::uint64_t bytes) {
  mapped_[address] = bytes;
  reach(address, bytes);
}

void Allocations::reach(std::uint64_t address, std::uint64_t bytes) {
  range_ = {std::min(range_.first, address), std::max(range_.second, address + bytes)};
}

void Allocations::unmap(std::uint64_t address, std::uint64_t bytes) {
  mapped_.erase(mapped_.lower_bound(address), mapped_.lower_bound(address + bytes));
}

std::optional<Allocation> Allocations::find(std::uint64_t address) const {
  if (auto after = whole_.upper_bound(address); after != whole_.begin()) {
    const auto own = std::prev(after);
    if (address - own->first < own->second) return Allocation{own->first, own->second};
  }
  auto after = mapped_.upper_bound(address);
  if (after == mapped_.begin()) return std::nullopt;
  auto first = std::prev(after);
  if (address - first->first >= first->second) return std::nullopt;
  while (first != mapped_.begin() && std::prev(first)->first + std::prev(first)->second == first->first) --first;
  std::uint64_t end = first->first;
  for (auto part = first; part != mapped_.end() && part->first == end; ++part) end += part->second;
  return Allocation{first->first, end - first->first};
}

}  // namespace tilescope::capture
