// Hopper's L2 request coalescer: SMs of one GPC that ask for the same sectors of a line while a request for them is
// under way share its answer, which then comes somewhat later. Others go out on their own, those that want some of
// these sectors alone, too, and from then on the line is shared by who asks as they did. A request serves a few SMs at
// most; the next one then goes out on its own, too. A line that L2 has answers after a time that differs from one to
// the next, evenly between two bounds; what has to come across the fabric or from HBM, or waits for its way into the
// GPC, can be joined for so much longer. Only so much waits there as the queues behind the coalescer hold, though: what
// is behind that has not come to it yet, so that under load those join that come soon one after the other.
//
// Source: L2 requests per line while n SMs of an H200 read the same lines with a delay between them
// (gpu/microbench/counted_coalescer.cu, counted_bursts.cu): of lines that L2 has, all join up to 30 cycles, none from
// 100, and the share falls on a straight line between; of cold lines all up to 300, half at 1,000. All that share an
// answer have it at the same time, 8 to 11 cycles later than one that asks alone (gpu/microbench/counted_joined.cu,
// H200 and H100). Of parts of lines equal ones are shared as whole lines are, and no others (counted_parts.cu). Where
// SMs of one GPC read the same lines as fast as they can, few requests are joined (gpu/microbench/counted_followers.cu,
// H100): queue_cycles is fitted to that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/port.h"
#include "models/support/bit_mixer.h"
#include "models/support/huge_pages.h"
#include "models/support/units.h"

namespace tilescope {

class RequestCoalescer {  // of one GPC
 public:
  // Whose reply was promised too early, as another SM joined the request: known only of those of the same round.
  struct Asker {
    std::uint32_t round, fill;
    std::uint16_t sm;
  };
  explicit RequestCoalescer(const RequestCoalescerSpec& spec)
      : window_(to_ticks(spec.window_cycles)),
        spread_(to_ticks(spec.spread_cycles)),
        shared_(to_ticks(spec.shared_cycles)),
        queue_(to_ticks(spec.queue_cycles)),
        most_(spec.sms_per_request) {
    if (most_ > 0) table_.resize(kEntries);
  }

  // How much later than without others a request comes to the coalescer that has `backlog` to wait behind it.
  Tick in_front(Tick backlog) const { return std::max(Tick(), backlog - queue_); }
  // The sectors, when another SM of the GPC asked for them shortly before, and when they are at the GPC.
  PortAnswer lookup(LineAddress line, SectorMask sectors, Tick now) {
    asked_ = now;
    joined_ = nullptr;
    if (most_ == 0) return {};
    Entry& entry = at(line);
    if (entry.line != line || now > entry.open_until || entry.served >= most_ || entry.sectors != sectors) return {};
    if (++entry.served == 2) joined_ = &entry.asker;
    return {sectors, std::max(now, entry.ready + shared_)};
  }
  // Whose request the last lookup was the first to join; null: it joined none, or others had before.
  const Asker* joined() const { return joined_; }
  // A request of `asker` that went out on its own; late: how much later its answer comes than from an idle L2.
  // REQUIRES: the lookup that did not find these sectors was the last call.
  void fill(LineAddress line, SectorMask sectors, Tick ready, Tick late = Tick(), Asker asker = Asker()) {
    if (most_ == 0) return;
    const std::uint64_t chance = mix_bits(line.number() ^ static_cast<std::uint64_t>(asked_.count()) << 20U);
    const auto extra = scale_to(chance, static_cast<std::uint64_t>(spread_.count()) + 1);
    at(line) = {line, asked_ + window_ + Tick(static_cast<std::int64_t>(extra)) + late, ready, asker, 1, sectors};
  }

  // A lookup of the line comes soon: brings what it reads into the host's cache.
  void announce(LineAddress line) const {
    if (most_ > 0) __builtin_prefetch(&table_[place_of(line)], 1);
  }

 private:
  static constexpr std::size_t kEntries = 4096;  // lines; one that takes another's place ends its request for others
  struct Entry {
    LineAddress line = LineAddress::none();
    Tick open_until;
    Tick ready;
    Asker asker{};
    std::int16_t served = 0;  // SMs
    SectorMask sectors;
  };
  static std::size_t place_of(LineAddress line) { return scale_to(mix_bits(line.number()), kEntries); }
  Entry& at(LineAddress line) { return table_[place_of(line)]; }

  Tick window_;
  Tick spread_;
  Tick shared_;
  Tick queue_;
  std::int64_t most_;
  Tick asked_;
  const Asker* joined_ = nullptr;
  HugePageVector<Entry> table_;
};
static_assert(CachePort<RequestCoalescer>);

}  // namespace tilescope
