// Global memory while the CTAs of a grid are executed one after the other: how the CTAs before have left it, and what
// of that the running one reads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/sass/page_map.h"

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
  // Where `bytes` at `address`, within a sector, lie as the CTAs before have left them: these are read. Null where none
  // has written into the page. Stays valid until leave().
  const std::uint8_t* read(std::uint64_t address, std::size_t bytes);
  // The page `number` as they have left it, or null.
  const std::uint8_t* page(std::uint64_t number) const {
    const std::uint32_t index = pages_.find(number);
    return index == PageMap::kNone ? nullptr : pages_.page(index);
  }
  // The running CTA ends. Appends to `changed` what it has read that differs from what the launch began with, in
  // `device`; then `written`, the pages that it has written over, are what CTAs behind it see.
  void leave(const DeviceMemory& device, const PageMap& written, std::vector<MemorySector>& changed);
  std::uint64_t bytes() const { return std::uint64_t{pages_.size()} * kPageBytes; }

 private:
  PageMap pages_;
  std::vector<std::uint32_t> read_;        // by page: a bit for each of its 32 sectors
  std::vector<std::uint32_t> pages_read_;  // by the running CTA, in order
};

}  // namespace tilescope::sass
