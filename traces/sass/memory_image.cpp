#include "traces/sass/memory_image.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "traces/sass/limits.h"

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

const std::uint8_t* CtaMemory::find_readable(std::uint64_t address, std::size_t bytes) {
  const DeviceBuffer* buffer = device_->find(address, bytes);
  if (buffer == nullptr) return zeros_.data();
  const std::uint64_t contents = buffer->bytes.size(), offset = address - buffer->base;
  const std::uint64_t page = address / kPage * kPage;
  if (written_ != 0) {
    const Place& place = place_of(address / kPage);
    if (place.generation == generation_) {
      readable_ = inside<const std::uint8_t>(*buffer, page, pages_[place.page]->data());
      return readable_.at + (address - readable_.first);
    }
  }
  if (offset < contents && offset + bytes > contents) {
    copy_out(*buffer, offset, across_.data(), bytes);
    return across_.data();
  }
  const bool beyond = offset >= contents;
  std::uint64_t first = buffer->base + (beyond ? contents : 0), end = buffer->base + (beyond ? buffer->size : contents);
  if (written_ != 0) first = std::max(first, page), end = std::min(end, page + kPage);
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
  const std::uint64_t first = address / kPage * kPage;
  Place* place = &place_of(address / kPage);
  if (place->generation != generation_) {
    if (2 * std::size_t{written_} >= places_.size()) {
      grow();
      place = &place_of(address / kPage);
    }
    *place = {address / kPage, generation_, written_};
    if (written_ == pages_.size()) add_page();
    copy_page(first, found, pages_[written_++]->data());
  }
  writable_ = inside(*found, first, pages_[place->page]->data());
  return writable_.at + (address - writable_.first);
}

// What all buffers hold of the page at `first`; `buffer` has a part of it.
void CtaMemory::copy_page(std::uint64_t first, const DeviceBuffer* buffer, std::uint8_t* to) const {
  std::memset(to, 0, kPage);
  const DeviceBuffer* begin = device_->buffers.data();
  const DeviceBuffer* end = begin + device_->buffers.size();
  while (buffer != begin && buffer[-1].base + buffer[-1].size > first) --buffer;
  for (; buffer != end && buffer->base < first + kPage; ++buffer) {
    const std::uint64_t from = std::max(first, buffer->base);
    const std::uint64_t until = std::min(first + kPage, buffer->base + buffer->size);
    copy_out(*buffer, from - buffer->base, to + (from - first), until - from);
  }
}

void CtaMemory::add_page() {
  if ((++*all_pages_) * kPage > most_written_) {
    --*all_pages_;
    throw std::runtime_error("the CTAs that run at once write over too much memory; " +
                             limit_met("written_bytes", most_written_));
  }
  pages_.push_back(std::make_unique<Page>());
}

// Where page `number` is, or the free place where it would be.
CtaMemory::Place& CtaMemory::place_of(std::uint64_t number) {
  std::size_t at = (number * 0x9E3779B97F4A7C15ULL) >> 32U & (places_.size() - 1);
  while (places_[at].generation == generation_ && places_[at].number != number) at = (at + 1) & (places_.size() - 1);
  return places_[at];
}

void CtaMemory::grow() {
  std::vector<Place> before(2 * places_.size());
  before.swap(places_);
  for (const Place& place : before)
    if (place.generation == generation_) place_of(place.number) = place;
}

void CtaMemory::clear() {
  written_ = 0;
  ++generation_;
  readable_ = {};
  writable_ = {};
  std::fill(shared_.begin(), shared_.end(), std::uint8_t{0});
}

}  // namespace tilescope::sass
