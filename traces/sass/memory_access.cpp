#include "traces/sass/memory_access.h"

#include <cstring>

#include "traces/sass/address_windows.h"
#include "traces/sass/decoded.h"

namespace tilescope::sass {
namespace {

// A thread's local bytes lie one after the other here; the interleaving is a matter of addresses only.
std::uint8_t* local_place(const WarpState& warp, int lane, std::size_t bytes) {
  const std::uint64_t at = warp.address[static_cast<std::size_t>(lane)];
  if (warp.local == nullptr || at + bytes > kLocalBytes) return nullptr;
  return warp.local->data() + static_cast<std::size_t>(lane) * kLocalBytes + at;
}

}  // namespace

void read_lane(const WarpState& warp, int lane, void* to, std::size_t bytes) {
  const std::uint64_t at = warp.address[static_cast<std::size_t>(lane)];
  switch (static_cast<Space>(warp.space)) {
    case Space::shared:
      warp.memory->read_shared(static_cast<std::uint32_t>(at), to, bytes);
      break;
    case Space::local:
      if (const std::uint8_t* place = local_place(warp, lane, bytes)) std::memcpy(to, place, bytes);
      break;
    default:
      warp.memory->read_global(at, to, bytes);
  }
}

void write_lane(WarpState& warp, int lane, const void* from, std::size_t bytes) {
  const std::uint64_t at = warp.address[static_cast<std::size_t>(lane)];
  switch (static_cast<Space>(warp.space)) {
    case Space::shared:
      warp.memory->write_shared(static_cast<std::uint32_t>(at), from, bytes);
      break;
    case Space::local:
      if (std::uint8_t* place = local_place(warp, lane, bytes)) std::memcpy(place, from, bytes);
      break;
    default:
      warp.memory->write_global(at, from, bytes);
  }
}

}  // namespace tilescope::sass
