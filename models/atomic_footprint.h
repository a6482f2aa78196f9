// An atomic instruction on global memory: how its lanes leave the SM.
//
// Lanes at one word are handled one behind the other, so an instruction makes as many passes as its most shared word
// has lanes; compare-and-swap, which brings two values, is handled 64 B of one value at a time. Each pass sends a
// packet for each line that it touches. A packet takes a cycle for its header and one for each sector; the one word of
// a reduction fits into the header; a compare-and-swap sends two values and at most two sectors behind a header.
// Source: counters and rates of 32 lanes in ten patterns on an H200, docs/memory-spaces.md.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/lane_pattern.h"
#include "models/partial_words.h"
#include "models/support/units.h"

namespace tilescope {

struct AtomicPacket {
  std::int64_t line = 0;  // lines from the line that holds the base
  SectorMask sectors;
  bool one_word = true;
  std::uint8_t place = 0;   // of a lone word in its line, in 4 B
  std::uint32_t words = 0;  // that it changes, in 4 B

  SectorMask whole() const {  // sectors of which it changes every word
    return PartialWords::whole(sectors, words);
  }
};

class AtomicFootprint {
 public:
  static constexpr std::size_t kMost = kLanes;  // packets: each has at least one lane

  AtomicFootprint(const LanePattern& pattern, std::uint64_t base, AtomicKind kind);

  int passes() const { return passes_; }
  std::int64_t sectors() const { return sectors_; }  // over all passes
  const AtomicPacket* begin() const { return packets_.data(); }
  const AtomicPacket* end() const { return packets_.data() + count_; }

 private:
  std::array<AtomicPacket, kMost> packets_;
  std::size_t count_ = 0;
  int passes_ = 0;
  std::int64_t sectors_ = 0;
};

// Cycles for which a packet keeps the SM's way out. `returns`: the instruction has a result.
constexpr Cycle packet_cycles(const AtomicPacket& packet, AtomicKind kind, bool returns) {
  const auto sectors = static_cast<Cycle>(packet.sectors.count());
  if (kind == AtomicKind::compare) return packet.one_word ? 2 : (sectors + 1) / 2 + 2 * sectors;
  return !returns && packet.one_word ? 1 : 1 + sectors;
}

}  // namespace tilescope
