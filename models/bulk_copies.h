// The unit of an SM that executes bulk and tensor copies (TMA): it walks through a copy's box, row by row, and asks L2
// for the lines, past L1. What it has asked for is here until the last line has come.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/async_operand.h"
#include "models/isa/box_table.h"
#include "models/memory_request.h"
#include "models/resource.h"

namespace tilescope {

// Bytes of a copy that are there, for the mbarrier of one CTA.
struct BulkArrival {
  std::int64_t cta = 0;
  std::uint32_t barrier = 0;  // offset
  std::int64_t bytes = 0;
  Cycle when = 0;
};

class BulkCopies {
 public:
  static constexpr std::size_t kMostCtas = 16;  // of a cluster

  struct Copy {
    std::int64_t cluster = 0;
    std::uint32_t ctas = 0;     // by rank
    std::uint32_t barrier = 0;  // place; of a copy to several, at this offset in each
    std::int64_t bytes = 0;
    std::uint32_t lines_out = 0;
    std::array<std::int64_t, kMostCtas> cta{};  // by rank, of those in `ctas`
    std::array<Cycle, kMostCtas> latest{};      // arrival, by rank
    std::uint32_t next_free = 0;
  };

  BulkCopies(const AsyncSpec& spec, int sm) : spec_(spec), sm_(static_cast<std::uint16_t>(sm)) {}

  // Walks through the box from `now` on, and sends requests of `kind` for its lines. Returns when the last one leaves.
  // `lines`: how many; `sectors`: in all.
  template <class Send>
  Cycle walk(const BoxPattern& box, std::uint64_t base, Cycle now, RequestKind kind, std::uint32_t fill,
             std::uint32_t& lines, std::uint64_t& sectors, Send&& send) {
    const bool reads = kind == RequestKind::bulk_read || kind == RequestKind::bulk_prefetch;
    Cycle start = std::max(now, unit_.next_free);
    double at = static_cast<double>(start);
    for (const std::int64_t row : box.rows) {
      const std::uint64_t first = base + static_cast<std::uint64_t>(row);
      const std::uint64_t end = first + static_cast<std::uint64_t>(box.row_bytes);
      for (std::uint64_t line = first / kLine; line * kLine < end; ++line) {
        const std::uint64_t from = std::max(first, line * kLine), to = std::min(end, (line + 1) * kLine);
        MemoryRequest request;
        request.line = LineAddress::of(line * kLine);
        request.fill = fill;
        request.sm = sm_;
        bool partial = false;
        for (std::uint64_t sector = from / kSector; sector * kSector < to; ++sector) {
          request.sectors |= SectorMask::of(sector % (kLine / kSector));
          partial = partial || sector * kSector < from || (sector + 1) * kSector > to;
        }
        request.kind = kind == RequestKind::bulk_write && partial ? RequestKind::bulk_partial_write : kind;
        request.whole = request.sectors;
        request.time = static_cast<Cycle>(at);
        at += reads ? spec_.box_row_cycles : static_cast<double>(request.sectors.bytes()) / spec_.store_bytes_per_cycle;
        ++lines;
        sectors += static_cast<std::uint64_t>(request.sectors.count());
        send(request);
      }
    }
    unit_.next_free = std::max<Cycle>(start + 1, static_cast<Cycle>(at));
    return unit_.next_free;
  }

  std::uint32_t begin(const Copy& copy) {
    std::uint32_t index = free_;
    if (index == kNone) {
      index = static_cast<std::uint32_t>(copies_.size());
      copies_.push_back(copy);
    } else {
      free_ = copies_[index].next_free;
      copies_[index] = copy;
    }
    return index;
  }
  Copy& operator[](std::uint32_t index) { return copies_[index]; }
  void end(std::uint32_t index) {
    copies_[index].next_free = free_;
    free_ = index;
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr std::uint64_t kLine = 128, kSector = 32;

  AsyncSpec spec_;
  std::uint16_t sm_;
  Resource unit_;
  std::vector<Copy> copies_;
  std::uint32_t free_ = kNone;
};

}  // namespace tilescope
