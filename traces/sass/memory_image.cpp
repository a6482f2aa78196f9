#include "traces/sass/memory_image.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "traces/sass/limits.h"
#include "traces/sass/unrecorded_memory.h"

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

void DeviceMemory::copy_page(std::uint64_t first, std::uint8_t* to) const {
  std::memset(to, 0, kPageBytes);
  auto buffer = std::partition_point(buffers.begin(), buffers.end(),
                                     [first](const DeviceBuffer& one) { return one.base + one.size <= first; });
  for (; buffer != buffers.end() && buffer->base < first + kPageBytes; ++buffer) {
    const std::uint64_t from = std::max(first, buffer->base);
    const std::uint64_t until = std::min(first + kPageBytes, buffer->base + buffer->size);
    copy_out(*buffer, from - buffer->base, to + (from - first), until - from);
  }
}

const std::uint8_t* CtaMemory::find_readable(std::uint64_t address, std::size_t bytes) {
  const DeviceBuffer* buffer = device_->find(address, bytes);
  if (buffer == nullptr) return zeros_.data();
  const std::uint64_t contents = buffer->bytes.size(), offset = address - buffer->base;
  const std::uint64_t page = address / kPageBytes * kPageBytes;
  // Each such read is to be seen, so that its extent is not kept.
  const std::uint8_t* left = before_ != nullptr ? before_->read(address, bytes) : nullptr;
  if (written_.size() != 0) {
    const std::uint32_t own = written_.find(address / kPageBytes);
    if (own != PageMap::kNone) {
      if (left != nullptr) return written_.page(own) + (address - page);
      readable_ = inside<const std::uint8_t>(*buffer, page, written_.page(own));
      return readable_.at + (address - readable_.first);
    }
  }
  if (left != nullptr) return left;
  if (offset < contents && offset + bytes > contents) {
    copy_out(*buffer, offset, across_.data(), bytes);
    return across_.data();
  }
  const bool beyond = offset >= contents;
  std::uint64_t first = buffer->base + (beyond ? contents : 0), end = buffer->base + (beyond ? buffer->size : contents);
  if (written_.size() != 0 || before_ != nullptr) first = std::max(first, page), end = std::min(end, page + kPageBytes);
  readable_ = {first, end - first, beyond ? nullptr : buffer->bytes.data() + (first - buffer->base)};
  return beyond ? zeros_.data() : buffer->bytes.data() + offset;
}

std::uint8_t* CtaMemory::find_writable(std::uint64_t address, std::size_t bytes) {
  const DeviceBuffer* found = device_->find(address, bytes);
  if (found == nullptr) return nullptr;
  readable_ = {};
  if (write_through_) {
    DeviceBuffer& buffer = device_->buffers[static_cast<std::size_t>(found - device_->buffers.data())];
    if (buffer.bytes.size() < buffer.size) buffer.bytes.resize(buffer.size);
    writable_ = {buffer.base, buffer.size, buffer.bytes.data()};
    return buffer.bytes.data() + (address - buffer.base);
  }
  writable_ = inside(*found, address / kPageBytes * kPageBytes, page_to_write(address / kPageBytes));
  std::uint8_t* at = writable_.at + (address - writable_.first);
  if (keeps_stored_) {
    note_stored(address, bytes);
    writable_ = {};  // each store is to be seen
  }
  return at;
}

const std::uint8_t* CtaMemory::floating(std::uint64_t address, std::size_t bytes, bool& made_up) {
  const std::uint8_t* at = global(address, bytes);
  if (const std::uint64_t inside = address - unrecorded_.first;
      inside >= unrecorded_.bytes || unrecorded_.bytes - inside < bytes) {
    const DeviceBuffer* buffer = device_->find(address, bytes);
    if (buffer == nullptr || buffer->recorded) return at;
    unrecorded_ = {buffer->base, buffer->size, nullptr};
  }
  std::memcpy(made_up_.data(), at, bytes);
  for (std::size_t i = 0; i < bytes; i += 2) {
    if (was_stored(address + i)) continue;
    const std::uint16_t half = unrecorded_half(address + i);
    std::memcpy(made_up_.data() + i, &half, sizeof half);
    made_up = true;
  }
  return made_up_.data();
}

bool CtaMemory::was_stored(std::uint64_t address) const {
  if (!keeps_stored_ || written_.size() == 0) return false;
  const std::uint32_t page = written_.find(address / kPageBytes);
  return page != PageMap::kNone && stored_[page][address % kPageBytes / 2];
}

void CtaMemory::note_stored(std::uint64_t address, std::size_t bytes) {
  std::bitset<kPageBytes / 2>& halves = stored_[written_.find(address / kPageBytes)];
  for (std::uint64_t at = address; at < address + bytes; ++at) halves.set(at % kPageBytes / 2);
}

std::uint8_t* CtaMemory::page_to_write(std::uint64_t number) {
  const std::uint32_t known = written_.find(number);
  if (known != PageMap::kNone) return written_.page(known);
  if (written_.size() == written_.held()) count_page();
  const std::uint32_t index = written_.add(number);
  if (keeps_stored_) {
    stored_.resize(std::max<std::size_t>(stored_.size(), index + 1));
    stored_[index].reset();
  }
  std::uint8_t* page = written_.page(index);
  const std::uint8_t* left = before_ != nullptr ? before_->page(number) : nullptr;
  if (left != nullptr)
    std::memcpy(page, left, kPageBytes);
  else
    device_->copy_page(number * kPageBytes, page);
  return page;
}

void CtaMemory::count_page() {
  if ((++*all_pages_) * kPageBytes <= most_written_) return;
  --*all_pages_;
  throw std::runtime_error("the CTAs that run at once write over too much memory; " +
                           limit_met("written_bytes", most_written_));
}

void CtaMemory::clear(std::span<const MemorySector> over) {
  written_.clear();
  for (ZeroedBytes& shared : shared_of_) shared.clear();
  if (!all_known_) {
    unknown_.assign(unknown_.size(), {});
    unknown_global_.clear();
  }
  all_known_ = true;
  next_turn(over);
}

void CtaMemory::next_turn(std::span<const MemorySector> over) {
  if (before_ != nullptr) written_.clear();
  all_known_ = all_known_ && (!keeps_unknown() || unknown_sectors_->empty());
  readable_ = {};
  writable_ = {};
  for (const MemorySector& sector : over)
    std::memcpy(page_to_write(sector.address / kPageBytes) + sector.address % kPageBytes, sector.bytes.data(),
                MemorySector::kBytes);
}

const std::uint8_t* CtaMemory::in_cluster(std::uint32_t address, std::size_t bytes) const {
  const std::size_t rank = address >> 24U, offset = address & 0xffffffU;
  if (rank == 0 || rank > shared_of_.size() || offset + bytes > shared_of_[rank - 1].size()) return nullptr;
  return shared_of_[rank - 1].data() + offset;
}

void CtaMemory::pass_on_unknown() { unknown_sectors_ = before_ != nullptr ? &before_->unknown : nullptr; }

void CtaMemory::set_known(std::uint32_t shared, std::size_t bytes, bool known) {
  if (!keeps_unknown() || (known && all_known_)) return;
  const std::size_t rank = shared >> 24U == 0 ? rank_ : (shared >> 24U) - 1, offset = shared & 0xffffffU;
  if (rank >= unknown_.size() || offset + bytes > shared_of_[rank].size()) return;
  std::vector<bool>& words = unknown_[rank];
  if (known && words.empty()) return;
  words.resize((shared_of_[rank].size() + 3) / 4);
  for (std::size_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) words[word] = !known;
  all_known_ = all_known_ && known;
}

bool CtaMemory::is_known(std::uint32_t shared, std::size_t bytes) const {
  const std::size_t rank = shared >> 24U == 0 ? rank_ : (shared >> 24U) - 1, offset = shared & 0xffffffU;
  if (rank >= unknown_.size() || unknown_[rank].empty() || offset + bytes > shared_of_[rank].size()) return true;
  for (std::size_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
    if (unknown_[rank][word]) return false;
  return true;
}

void CtaMemory::set_known_global(std::uint64_t address, std::size_t bytes, bool known) {
  if (!keeps_unknown() || (known && unknown_sectors_->empty())) return;
  unknown_sectors_->set(address, bytes, known);
  all_known_ = all_known_ && known;
}

bool CtaMemory::is_known_global(std::uint64_t address, std::size_t bytes) const {
  return !keeps_unknown() || unknown_sectors_->knows(address, bytes);
}

}  // namespace tilescope::sass
