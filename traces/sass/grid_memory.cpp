#include "traces/sass/grid_memory.h"

#include <bit>
#include <cstring>

#include "traces/sass/memory_image.h"

namespace tilescope::sass {

static_assert(kPageBytes == 32 * MemorySector::kBytes, "a word has a bit for each sector of a page");

const std::uint8_t* GridMemory::read(std::uint64_t address, std::size_t bytes) {
  const std::uint32_t index = pages_.find(address / kPageBytes);
  if (index == PageMap::kNone) return nullptr;
  const std::uint64_t offset = address % kPageBytes;
  std::uint32_t& sectors = read_[index];
  if (sectors == 0) pages_read_.push_back(index);
  sectors |= 1U << (offset / MemorySector::kBytes) | 1U << ((offset + bytes - 1) / MemorySector::kBytes);
  return pages_.page(index) + offset;
}

bool GridMemory::leave(const DeviceMemory& device, bool first_turn, const PageMap& written,
                       std::vector<MemorySector>& changed) {
  for (const std::uint32_t index : pages_read_) {
    Page original;
    const std::uint64_t first = pages_.number(index) * kPageBytes;
    if (first_turn) device.copy_page(first, original.data());
    for (std::uint32_t sectors = read_[index]; sectors != 0; sectors &= sectors - 1) {
      const std::uint64_t offset = static_cast<std::uint64_t>(std::countr_zero(sectors)) * MemorySector::kBytes;
      const std::uint8_t* now = pages_.page(index) + offset;
      if (first_turn && std::memcmp(now, original.data() + offset, MemorySector::kBytes) == 0) continue;
      changed.push_back({.address = first + offset, .bytes = {}});
      std::memcpy(changed.back().bytes.data(), now, MemorySector::kBytes);
    }
    read_[index] = 0;
  }
  pages_read_.clear();
  bool differs = false;
  for (std::uint32_t i = 0; i < written.size(); ++i) {
    std::uint32_t index = pages_.find(written.number(i));
    const bool is_new = index == PageMap::kNone;
    if (is_new) index = pages_.add(written.number(i));
    differs = differs || is_new || std::memcmp(pages_.page(index), written.page(i), kPageBytes) != 0;
    std::memcpy(pages_.page(index), written.page(i), kPageBytes);
  }
  read_.resize(pages_.size());
  return differs;
}

}  // namespace tilescope::sass
