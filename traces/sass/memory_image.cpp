#include "traces/sass/memory_image.h"

#include <algorithm>
#include <cstring>

namespace tilescope::sass {
namespace {

// What a buffer holds at [offset, offset + bytes), zeros beyond its contents.
void copy_out(const DeviceBuffer& buffer, std::uint64_t offset, std::uint8_t* to, std::size_t bytes) {
  std::memset(to, 0, bytes);
  if (offset >= buffer.bytes.size()) return;
  std::memcpy(to, buffer.bytes.data() + offset, std::min<std::size_t>(bytes, buffer.bytes.size() - offset));
}

}  // namespace

const DeviceBuffer* DeviceMemory::find(std::uint64_t address, std::uint64_t bytes) const {
  auto after = std::upper_bound(buffers.begin(), buffers.end(), address,
                                [](std::uint64_t at, const DeviceBuffer& buffer) { return at < buffer.base; });
  if (after == buffers.begin()) return nullptr;
  const DeviceBuffer& buffer = *--after;
  return address - buffer.base + bytes <= buffer.size ? &buffer : nullptr;
}

bool CtaMemory::read_global(std::uint64_t address, void* to, std::size_t bytes) const {
  auto* out = static_cast<std::uint8_t*>(to);
  if (!write_through_ && !written_.empty()) {  // accesses are aligned: they lie in one page
    const auto page = written_.find(address / kPage);
    if (page != written_.end()) {
      std::memcpy(out, page->second.data() + address % kPage, bytes);
      return true;
    }
  }
  const DeviceBuffer* buffer = device_->find(address, bytes);
  if (buffer == nullptr) {
    std::memset(out, 0, bytes);
    return false;
  }
  copy_out(*buffer, address - buffer->base, out, bytes);
  return true;
}

CtaMemory::Page& CtaMemory::page_of(std::uint64_t address) {
  const auto [place, fresh] = written_.try_emplace(address / kPage);
  if (!fresh) return place->second;
  Page& page = place->second;
  page.resize(kPage);
  const std::uint64_t first = address / kPage * kPage;
  if (const DeviceBuffer* buffer = device_->find(address, 1)) {
    // Buffers begin on page boundaries.
    copy_out(*buffer, first - buffer->base, page.data(), kPage);
  }
  return page;
}

bool CtaMemory::write_global(std::uint64_t address, const void* from, std::size_t bytes) {
  const DeviceBuffer* found = device_->find(address, bytes);
  if (found == nullptr) return false;
  if (!write_through_) {
    std::memcpy(page_of(address).data() + address % kPage, from, bytes);
    return true;
  }
  DeviceBuffer& buffer = device_->buffers[static_cast<std::size_t>(found - device_->buffers.data())];
  if (buffer.bytes.size() < buffer.size) buffer.bytes.resize(buffer.size);
  std::memcpy(buffer.bytes.data() + (address - buffer.base), from, bytes);
  return true;
}

bool CtaMemory::read_shared(std::uint32_t address, void* to, std::size_t bytes) const {
  if (address + bytes > shared_.size()) {
    std::memset(to, 0, bytes);
    return false;
  }
  std::memcpy(to, shared_.data() + address, bytes);
  return true;
}

bool CtaMemory::write_shared(std::uint32_t address, const void* from, std::size_t bytes) {
  if (address + bytes > shared_.size()) return false;
  std::memcpy(shared_.data() + address, from, bytes);
  return true;
}

void CtaMemory::clear() {
  written_.clear();
  std::fill(shared_.begin(), shared_.end(), std::uint8_t{0});
}

}  // namespace tilescope::sass
