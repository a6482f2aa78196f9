// What every replacement policy says when no way of a set may go.
//
// A policy owns its state for all sets of a cache; SectoredTags tells it what is touched, and asks it for a victim:
//   void touch(std::size_t set, std::size_t way);
//   void announce(std::size_t set) const;   // the set is touched soon: the host's cache may fetch what it takes
//   void claimed(std::size_t set, std::size_t way);   // if it has one, instead of touch(): another line takes the way
//   template <class MayEvict> std::size_t victim(std::size_t set, MayEvict may_evict);   // kNoWay: none may go
// The same calls give the same victims, in every run.
#pragma once

#include <cstddef>

namespace tilescope {

inline constexpr std::size_t kNoWay = ~std::size_t{0};

}  // namespace tilescope
