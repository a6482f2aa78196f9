// An mbarrier as it lies in shared memory: 8 bytes that SYNCS reads and changes.
//
//   bits 1 to 20: 2^20 less the arrivals that a phase expects; 21 to 42: bytes that are still expected, with a sign;
//   43 to 62: 2^20 less the arrivals that are still to come; 63: the parity of the running phase.
// Where the counts lie follows from what code writes into SYNCS.EXCH and shifts out of what SYNCS.ARRIVE returns.
#pragma once

#include <cstdint>
#include <cstring>

namespace tilescope::sass {

struct MbarrierWord {
  static constexpr std::uint32_t kMostCount = (1U << 20U) - 1;
  static constexpr std::int32_t kMostBytes = (1 << 20) - 1;  // of the transaction count, either way

  std::uint32_t expected = 0, pending = 0;  // arrivals
  std::int32_t bytes = 0;
  bool parity = false;

  static MbarrierWord read(const std::uint8_t* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    MbarrierWord barrier;
    barrier.expected = (1U << 20U) - static_cast<std::uint32_t>(word >> 1U & kMostCount);
    barrier.pending = (1U << 20U) - static_cast<std::uint32_t>(word >> 43U & kMostCount);
    barrier.bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 21U) << 10U) >> 10;
    barrier.parity = (word >> 63U) != 0;
    if (barrier.expected > kMostCount) barrier.expected = 0;
    if (barrier.pending > kMostCount) barrier.pending = 0;
    return barrier;
  }
  std::uint64_t word() const {
    return std::uint64_t{((1U << 20U) - expected) & kMostCount} << 1U |
           std::uint64_t{static_cast<std::uint32_t>(bytes) & 0x3fffffU} << 21U |
           std::uint64_t{((1U << 20U) - pending) & kMostCount} << 43U | std::uint64_t{parity} << 63U;
  }
  void write(std::uint8_t* to) const {
    const std::uint64_t bits = word();
    std::memcpy(to, &bits, sizeof bits);
  }

  // False when more arrive, or more bytes are expected or complete, than it can count.
  bool expect(std::int64_t more) {
    const std::int64_t all = bytes + more;
    bytes = static_cast<std::int32_t>(all);
    return all >= -kMostBytes && all <= kMostBytes;
  }
  bool arrive(std::uint32_t count, bool drops) {
    if (count > pending || (drops && count > expected)) return false;
    pending -= count;
    if (drops) expected -= count;
    return true;
  }
  // The next phase begins when nobody and nothing is missing.
  void settle() {
    if (pending != 0 || bytes != 0) return;
    parity = !parity;
    pending = expected;
  }
};

}  // namespace tilescope::sass
