// Hopper's L2 request coalescer: SMs of one GPC that ask for a line's sectors within a short time share one request. A
// request serves a few SMs at most; the next one then goes out on its own. How long a request can be joined differs
// from one to the next, evenly between two bounds. Source: L2 requests per line while n SMs of an H200 read the same
// lines with a delay between them (gpu/microbench/counted_coalescer.cu): all join up to 30 cycles, none from 100, and
// the share falls on a straight line between.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/sectored_tags.h"
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
    std::uint8_t sectors = 0;
    Tick arrival = 0;
  };
  Shared join(unsigned gpc, std::uint64_t line, std::uint8_t sectors, Tick now) {
    Entry& entry = at(gpc, line);
    if (entry.line != line || now > entry.open_until || entry.served >= most_ || (entry.sectors & sectors) == 0)
      return {};
    ++entry.served;
    return {static_cast<std::uint8_t>(entry.sectors & sectors), entry.arrival};
  }
  // A request that went out on its own.
  void note(unsigned gpc, std::uint64_t line, std::uint8_t sectors, Tick now, Tick arrival) {
    const std::uint64_t chance = mix_bits(line ^ static_cast<std::uint64_t>(now) << 20U);
    const auto extra = static_cast<Tick>(scale_to(chance, static_cast<std::uint64_t>(spread_) + 1));
    at(gpc, line) = {line, now + window_ + extra, arrival, 1, sectors};
  }

 private:
  static constexpr std::size_t kEntries = 4096;  // lines within one window; more would evict each other
  struct Entry {
    std::uint64_t line = ~0ULL;
    Tick open_until = 0;
    Tick arrival = 0;
    std::int64_t served = 0;  // SMs
    std::uint8_t sectors = 0;
  };
  Entry& at(unsigned gpc, std::uint64_t line) { return table_[gpc * kEntries + scale_to(mix_bits(line), kEntries)]; }

  Tick window_;
  Tick spread_;
  std::int64_t most_;
  std::vector<Entry> table_;
};

}  // namespace tilescope
