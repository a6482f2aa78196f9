// What an SM sends towards L2 and what comes back.
#pragma once

#include <cstdint>

#include "models/support/units.h"

namespace tilescope {

enum class RequestKind : std::uint8_t {
  read,
  write,
  partial_write,  // some of the sectors are written in part
};
constexpr bool is_write(RequestKind kind) { return kind != RequestKind::read; }

struct MemoryRequest {
  Cycle time = 0;  // leaves the L1
  LineAddress line;
  std::uint32_t fill = 0;  // the SM's own name for it
  std::uint16_t sm = 0;
  SectorMask sectors;
  RequestKind kind = RequestKind::read;
};

struct MemoryReply {
  std::uint32_t fill = 0;
  Cycle ready = 0;  // reads: the data can be used; writes: the store is acknowledged
};

}  // namespace tilescope
