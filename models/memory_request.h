// What an SM sends towards L2 and what comes back.
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/partial_words.h"
#include "models/support/units.h"

namespace tilescope {

enum class RequestKind : std::uint8_t {
  read,
  write,
  partial_write,  // some of the sectors are written in part
  atomic,         // the old value comes back
  reduction,      // an atomic without result
  // Of bulk copies (models/bulk_copies.h), which hear of their lines themselves.
  bulk_read,
  bulk_write,
  bulk_partial_write,
  bulk_reduction,
  bulk_prefetch,  // into L2
};
constexpr bool is_bulk(RequestKind kind) { return kind >= RequestKind::bulk_read; }
constexpr bool is_atomic(RequestKind kind) { return kind == RequestKind::atomic || kind == RequestKind::reduction; }
// Nothing comes back but an acknowledgement.
constexpr bool is_write(RequestKind kind) { return kind != RequestKind::read && kind != RequestKind::atomic; }

constexpr std::uint32_t kNoFill = ~0U;
constexpr std::uint8_t kManyWords = 255;

struct MemoryRequest {
  Cycle time = 0;  // leaves the L1
  LineAddress line;
  std::uint32_t fill = kNoFill;  // the SM's own name for it; kNoFill: it hears of no reply
  std::uint16_t sm = 0;
  SectorMask sectors;
  RequestKind kind = RequestKind::read;
  bool whole_line = false;                  // of reads: what L2 does not have it fetches with all of the line
  AtomicKind atomic = AtomicKind::integer;  // of atomics
  std::uint8_t word = kManyWords;           // ... on this one alone, in 4 B from the line's begin
  SectorMask whole{};                       // ... that change every word of these sectors
  std::uint32_t words = ~0U;                // of partial writes: a bit for each word of the line that is written whole

  bool is_store() const { return kind == RequestKind::write || kind == RequestKind::partial_write; }
  // More of the line is stored. REQUIRES: is_store().
  void add_store(SectorMask more, std::uint32_t more_words) {
    sectors |= more;
    words |= more_words;
    kind = PartialWords::whole(sectors, words) == sectors ? RequestKind::write : RequestKind::partial_write;
  }
};

struct MemoryReply {
  std::uint32_t fill = 0;
  Cycle ready = 0;  // reads: the data can be used; writes: the store is acknowledged
};

}  // namespace tilescope
