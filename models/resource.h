// A time-stamped resource: a port, a bus, a bank. It is not ticked; it knows when it is next free.
#pragma once

#include <algorithm>

#include "models/support/units.h"

namespace tilescope {

struct Resource {
  std::int64_t next_free = 0;

  // Takes the resource for `duration` from `now` or from when it is free; returns when the service starts.
  std::int64_t take(std::int64_t now, std::int64_t duration) {
    const std::int64_t start = std::max(now, next_free);
    next_free = start + duration;
    return start;
  }
};

}  // namespace tilescope
