// Hopper's L2 request coalescer: SMs of one GPC that ask for a line's sectors within a short time share one request. A
// request serves a few SMs at most; the next one then goes out on its own. How long a request can be joined differs
// from one to the next, evenly between two bounds. Source: L2 requests per line while n SMs of an H200 read the same
// lines with a delay between them (gpu/microbench/counted_coalescer.cu): all join up to 30 cycles, none from 100, and
// the share falls on a straight line between.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class RequestCoalescer {
 public:
  RequestCoalescer(const RequestCoalescerSpec& spec, std::int64_t gpcs)
      : window_(to_ticks(spec.window_cycles)), spread_(to_ticks(spec.spread_cycles)), most_(spec.sms_per_request) {
    if (enabled()) table_.resize(static_cast<std::size_t>(gpcs) * kEntries);
  }
  bool enabled() const { return most_ > 0; }

  // The sectors of the request that another SM of the GPC sent shortly before, and when they arrive at the GPC.
  struct Shared {
    SectorMask sectors;
    Tick arrival;
  };
  Shared join(unsigned gpc, LineAddress line, SectorMask sectors, Tick now) {
    Entry& entry = at(gpc, line);
    if (entry.line != line || now > entry.open_until || entry.served >= most_ || (entry.sectors & sectors).none())
      return {};
    ++entry.served;
    return {entry.sectors & sectors, entry.arrival};
  }
  // A request that went out on its own.
  void note(unsigned gpc, LineAddress line, SectorMask sectors, Tick now, Tick arrival) {
    const std::uint64_t chance = mix_bits(line.number() ^ static_cast<std::uint64_t>(now.count()) << 20U);
    const Tick extra(static_cast<std::int64_t>(scale_to(chance, static_cast<std::uint64_t>(spread_.count()) + 1)));
    at(gpc, line) = {line, now + window_ + extra, arrival, 1, sectors};
  }

 private:
  static constexpr std::size_t kEntries = 4096;  // lines within one window; more would evict each other
  struct Entry {
    LineAddress line = LineAddress::none();
    Tick open_until;
    Tick arrival;
    std::int64_t served = 0;  // SMs
    SectorMask sectors;
  };
  Entry& at(unsigned gpc, LineAddress line) {
    return table_[gpc * kEntries + scale_to(mix_bits(line.number()), kEntries)];
  }

  Tick window_;
  Tick spread_;
  std::int64_t most_;
  std::vector<Entry> table_;
};

}  // namespace tilescope
