// Sectors of global memory whose contents are not known, since what was stored there has not been computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "traces/sass/page_map.h"

namespace tilescope::sass {

class UnknownSectors {
 public:
  bool empty() const { return pages_.empty(); }
  // All that `bytes` at `address` touch; from now on they are not known, or known.
  void set(std::uint64_t address, std::size_t bytes, bool known) {
    for_each_page(address, bytes, [&](std::uint64_t page, std::uint32_t sectors) {
      if (!known) {
        mask_of(page) |= sectors;
        return true;
      }
      const auto found = pages_.find(page);
      if (found == pages_.end() || (found->second &= ~sectors) != 0) return true;
      pages_.erase(found);
      last_ = nullptr;
      return true;
    });
  }
  // Are all of them known?
  bool knows(std::uint64_t address, std::size_t bytes) const {
    return empty() || for_each_page(address, bytes, [&](std::uint64_t page, std::uint32_t sectors) {
             const auto found = pages_.find(page);
             return found == pages_.end() || (found->second & sectors) == 0;
           });
  }
  void clear() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  static constexpr std::uint64_t kSectorBytes = 32, kSectors = kPageBytes / kSectorBytes;
  static_assert(kSectors == 32, "a word has a bit for each sector of a page");

  // visit(page, its sectors), until that is false; false then.
  template <class Visit>
  static bool for_each_page(std::uint64_t address, std::size_t bytes, Visit&& visit) {
    const std::uint64_t end = (address + bytes - 1) / kSectorBytes + 1;
    for (std::uint64_t sector = address / kSectorBytes; sector < end;) {
      const std::uint64_t page = sector / kSectors, after = std::min(end, (page + 1) * kSectors);
      const std::uint32_t first = ~std::uint32_t{0} << sector % kSectors;
      const std::uint32_t last = ~std::uint32_t{0} >> (kSectors - 1 - (after - 1) % kSectors);
      if (!visit(page, first & last)) return false;
      sector = after;
    }
    return true;
  }
  // Neighbouring lanes store into the same page.
  std::uint32_t& mask_of(std::uint64_t page) {
    if (last_ == nullptr || last_page_ != page) {
      last_ = &pages_[page];
      last_page_ = page;
    }
    return *last_;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> pages_;  // by number: a bit for each sector that is not known
  std::uint64_t last_page_ = 0;
  std::uint32_t* last_ = nullptr;  // its mask
};

}  // namespace tilescope::sass
