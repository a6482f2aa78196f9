// Memory contents, for loads whose values matter: the launch's buffers, what the running CTA wrote over them, and its
// shared memory.
//
// A CTA sees the buffers as the launch file filled them, its own writes, and what lies over the buffers for this CTA
// (passed_values.h): results do not depend on the order in which CTAs run. An executor of the whole grid (execute_grid)
// lets all CTAs write into one image instead, in order.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/sass/grid_memory.h"
#include "traces/sass/page_map.h"
#include "traces/sass/unknown_sectors.h"
#include "traces/sass/zeroed_bytes.h"

namespace tilescope::sass {

// One buffer of the launch. Contents beyond `bytes.size()` are zero.
struct DeviceBuffer {
  std::uint64_t base = 0;
  std::uint64_t size = 0;  // byte
  std::vector<std::uint8_t> bytes;
  bool recorded = true;  // false: the launch file says nothing of what it holds
};

// The memory of the device at the start of the launch. Not changed while CTAs run from several threads.
struct DeviceMemory {
  std::vector<DeviceBuffer> buffers;  // by base, none over another; two may share a page

  const DeviceBuffer* find(std::uint64_t address, std::uint64_t bytes) const;
  // What all buffers hold of the page at `first`, zeros between them.
  void copy_page(std::uint64_t first, std::uint8_t* to) const;
};

class CtaMemory {
 public:
  // `shared`: byte. With `write_through`, global writes change `device` itself.
  // `pages`: written over by all CTAs of the launch that are kept; refused beyond `most_written` byte.
  // `before`: how CTAs before have left the memory; null: as `device` says. `ctas` of a cluster share what they see of
  // global memory.
  CtaMemory(DeviceMemory& device, std::size_t shared, bool write_through, std::atomic<std::uint64_t>& pages,
            std::uint64_t most_written, GridMemory* before = nullptr, std::size_t ctas = 1)
      : device_(&device),
        before_(before),
        write_through_(write_through),
        unknown_(ctas),
        all_pages_(&pages),
        most_written_(most_written) {
    shared_of_.reserve(ctas);
    for (std::size_t rank = 0; rank < ctas; ++rank) shared_of_.emplace_back(shared);
    select(0);
  }
  CtaMemory(const CtaMemory&) = delete;
  CtaMemory& operator=(const CtaMemory&) = delete;
  ~CtaMemory() { *all_pages_ -= written_.held(); }

  // Where up to 16 aligned bytes can be read, until the next call. Outside every buffer: zeros.
  const std::uint8_t* global(std::uint64_t address, std::size_t bytes) {
    const std::uint64_t inside = address - readable_.first;
    if (inside >= readable_.bytes || readable_.bytes - inside < bytes) return find_readable(address, bytes);
    return readable_.at != nullptr ? readable_.at + inside : zeros_.data();
  }
  // The same for floating-point numbers: what nobody has recorded, nor stored since keep_stored(), is made up.
  const std::uint8_t* floating(std::uint64_t address, std::size_t bytes, bool& made_up);
  // From now on it is kept where the CTA stores into buffers that are not recorded. Without `before`.
  void keep_stored() { keeps_stored_ = true; }
  // An address below 2^24 is the selected CTA's; others hold the rank of a CTA, and 1, from bit 24 on.
  const std::uint8_t* shared(std::uint32_t address, std::size_t bytes) const {
    if (address + bytes <= shared_bytes_) return shared_ + address;
    const std::uint8_t* far = in_cluster(address, bytes);
    return far != nullptr ? far : zeros_.data();
  }
  // Where they can be written; null outside, where a write is dropped.
  std::uint8_t* global_to_write(std::uint64_t address, std::size_t bytes) {
    const std::uint64_t inside = address - writable_.first;
    if (inside >= writable_.bytes || writable_.bytes - inside < bytes) return find_writable(address, bytes);
    return writable_.at + inside;
  }
  std::uint8_t* shared_to_write(std::uint32_t address, std::size_t bytes) {
    if (address + bytes <= shared_bytes_) return shared_of_[rank_].to_write(address, bytes);
    if (in_cluster(address, bytes) == nullptr) return nullptr;
    return shared_of_[(address >> 24U) - 1].to_write(address & 0xffffffU, bytes);
  }
  // From now on the CTA of this rank runs.
  void select(std::size_t rank) {
    rank_ = rank;
    shared_ = shared_of_[rank].data();
    shared_bytes_ = shared_of_[rank].size();
  }
  std::size_t shared_bytes() const { return shared_bytes_; }
  std::uint64_t barrier_changes = 0;  // of all mbarriers
  std::size_t rank() const { return rank_; }
  std::size_t ctas() const { return shared_of_.size(); }

  // Bytes whose values were not computed, since they come from products of matrices, are not known; nor those copied
  // from them.
  bool knows_all() const { return all_known_; }
  void set_known(std::uint32_t shared, std::size_t bytes, bool known);
  void set_known_global(std::uint64_t address, std::size_t bytes, bool known);
  bool is_known(std::uint32_t shared, std::size_t bytes) const;
  bool is_known_global(std::uint64_t address, std::size_t bytes) const;
  // From the next start of a CTA on: what one stores that is not known is not known to those behind it either. With
  // `before` alone; without, everything counts as known, since all loads have been checked.
  void pass_on_unknown();
  bool keeps_unknown() const { return unknown_sectors_ != nullptr; }

  // As at the start of a CTA, with `over` lying over the buffers.
  void clear(std::span<const MemorySector> over = {});
  // At the start of its next turn, with `over` lying over the buffers and its own writes. With `before`, these are in
  // there.
  void next_turn(std::span<const MemorySector> over = {});
  // What the running CTA has written over, and what lay over the buffers.
  const PageMap& written() const { return written_; }

 private:
  template <class Byte>
  struct Extent {  // bytes at addresses in a row; `at` null: zeros
    std::uint64_t first = 0, bytes = 0;
    Byte* at = nullptr;
  };

  const std::uint8_t* find_readable(std::uint64_t address, std::size_t bytes);
  std::uint8_t* find_writable(std::uint64_t address, std::size_t bytes);
  // The part of `buffer` in the page at `first`, whose bytes stand at `page`.
  template <class Byte>
  static Extent<Byte> inside(const DeviceBuffer& buffer, std::uint64_t first, Byte* page) {
    const std::uint64_t begin = std::max(first, buffer.base);
    return {begin, std::min(first + kPageBytes, buffer.base + buffer.size) - begin, page + (begin - first)};
  }
  // Where the page `number` lies to be written over.
  std::uint8_t* page_to_write(std::uint64_t number);
  void count_page();
  bool was_stored(std::uint64_t address) const;
  void note_stored(std::uint64_t address, std::size_t bytes);
  // In the memory of the CTA that the address names; null: there is none, or it has fewer bytes.
  const std::uint8_t* in_cluster(std::uint32_t address, std::size_t bytes) const;

  DeviceMemory* device_;
  GridMemory* before_;
  bool write_through_;
  std::vector<ZeroedBytes> shared_of_;    // by rank
  const std::uint8_t* shared_ = nullptr;  // of the CTA that runs
  std::size_t shared_bytes_ = 0, rank_ = 0;
  bool all_known_ = true;
  std::vector<std::vector<bool>> unknown_;  // by rank: words of shared memory; empty: none
  UnknownSectors unknown_global_;
  UnknownSectors* unknown_sectors_ = &unknown_global_;  // of this CTA, or of all; null: nobody keeps them
  Extent<const std::uint8_t> readable_;                 // found last
  Extent<std::uint8_t> writable_;
  PageMap written_;  // what the running CTA writes over is copied, page by page
  bool keeps_stored_ = false;
  std::vector<std::bitset<kPageBytes / 2>> stored_;  // by page of written_, with keeps_stored_: halves stored into
  Extent<const std::uint8_t> unrecorded_;            // found last
  std::atomic<std::uint64_t>* all_pages_;
  std::uint64_t most_written_;  // byte
  // `across_`: bytes across the end of a buffer's contents
  std::array<std::uint8_t, 16> zeros_{}, across_{}, made_up_{};
};

}  // namespace tilescope::sass
