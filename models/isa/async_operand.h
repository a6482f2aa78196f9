// What an instruction for an asynchronous unit was executed with: mbarriers, bulk and tensor copies, stores into other
// CTAs of the cluster. Which fields mean something depends on the class of the instruction (models/isa/operation.h).
#pragma once

#include <cstdint>

namespace tilescope {

// A place in the shared memory of a cluster: the CTA's rank from bit 24 on, the byte in its memory below.
constexpr std::uint32_t rank_of(std::uint32_t place) { return place >> 24U; }
constexpr std::uint32_t offset_of(std::uint32_t place) { return place & 0xffffffU; }
constexpr std::uint32_t place_of(std::uint32_t rank, std::uint32_t offset) { return rank << 24U | offset; }

struct AsyncOperand {
  // mbarriers, one after the other, each with as many lanes as arrive there or wait there; copies: the one that they
  // complete bytes on, at the same offset in each CTA of `ctas`.
  static constexpr int kMost = 32;
  std::uint64_t address = 0;  // copies: of the box in global memory
  std::uint32_t box = 0;      // copies: BoxTable's; stores into a cluster: lanes
  std::uint32_t shared = 0;   // copies: their side in shared memory; stores: the first lane's
  std::uint32_t ctas = 0;     // copies into shared memory: bit r: the CTA of rank r
  std::uint32_t barrier = 0;  // place of the mbarrier; number of a named barrier
  // Arrivals: how many, and by how many bytes the transaction count grows. Initialisation: the count of a phase. Waits:
  // lanes. 0: nothing is done. Named barriers: how many warps they take, 0: all.
  std::uint32_t arrivals = 0;
  std::int32_t transactions = 0;
  // Arrivals: fewer are expected from the next phase on. Initialisation: the parity of the first phase.
  std::uint8_t drops = 0;
  // Waits: bit 31 of what is compared with; whether the phase was found complete. Named barriers: 1 if the warp only
  // arrives; whether it does, or all its lanes were off.
  std::uint8_t parity = 0;
  bool complete = false;
  std::uint8_t more = 0;  // so many operands of the same instruction follow
};

}  // namespace tilescope
