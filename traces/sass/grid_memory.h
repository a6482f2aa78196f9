// Global memory while the CTAs of a grid take turns: how the turns before have left it, and what of that the running
// one reads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/sass/page_map.h"
#include "traces/sass/unknown_sectors.h"

namespace tilescope::sass {

struct DeviceMemory;

// 32 bytes at a multiple of 32.
struct MemorySector {
  static constexpr std::uint64_t kBytes = 32;
  std::uint64_t address = 0;
  std::array<std::uint8_t, kBytes> bytes{};
};

class GridMemory {
 public:
  // Where `bytes` at `address`, within a page, lie as the turns before have left them: these are read. Null where none
  // has written into the page. Stays valid until leave().
  const std::uint8_t* read(std::uint64_t address, std::size_t bytes);
  // The page `number` as they have left it, or null.
  const std::uint8_t* page(std::uint64_t number) const {
    const std::uint32_t index = pages_.find(number);
    return index == PageMap::kNone ? nullptr : pages_.page(index);
  }
  // A turn ends. Appends to `changed` what it has read in these pages; of a CTA's first turn, what differs from that
  // with which the launch began, in `device`. Then `written`, the pages that it has written over, are what turns behind
  // it see. True when these see anything else than turns before.
  bool leave(const DeviceMemory& device, bool first_turn, const PageMap& written, std::vector<MemorySector>& changed);
  std::uint64_t bytes() const { return std::uint64_t{pages_.size()} * kPageBytes; }
  UnknownSectors unknown;  // what turns before have stored there is not known; for programs that pass that on

 private:
  PageMap pages_;
  std::vector<std::uint32_t> read_;        // by page: a bit for each of its 32 sectors
  std::vector<std::uint32_t> pages_read_;  // by the running turn, in order
};

}  // namespace tilescope::sass
