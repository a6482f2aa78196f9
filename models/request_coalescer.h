// Hopper's L2 request coalescer: SMs of one GPC that ask for the same sectors of a line while a request for them is
// under way share its answer, which then comes somewhat later. One that comes for others of its sectors, or for some of
// these alone, ends that: it goes out on its own, nobody shares it, and the next one begins anew. A request serves a
// few SMs at most; the next one then goes out on its own, too. A line that L2 has answers after a time that differs
// from one to the next, evenly between two bounds; what has to come across the fabric or from HBM, or waits for a slice
// or its way into the GPC, can be joined for so much longer. Only so much waits in front of the GPC as the queues
// behind the coalescer hold, though: what is behind that has not come to it yet, so that under load those join that
// come soon one after the other.
//
// Source: L2 requests per line while n SMs of an H200 read the same lines with a delay between them
// (gpu/microbench/counted_coalescer.cu, counted_bursts.cu): of lines that L2 has, all join up to 30 cycles, none from
// 100, and the share falls on a straight line between; of cold lines all up to 300, half at 1,000. All that share an
// answer have it at the same time, 8 to 11 cycles later than one that asks alone (gpu/microbench/counted_joined.cu,
// H200 and H100). Of parts of lines equal ones are shared as whole lines are, and no others (counted_parts.cu); of two
// sectors that two SMs ask for one soon after the other, the first is shared while the second has not been asked for,
// and the second never (counted_pairs.cu, H200). Those that wait for a busy slice are shared meanwhile
// (counted_waits.cu, H200). Where SMs of one GPC read the same lines as fast as they can, few requests are joined
// (gpu/microbench/counted_followers.cu, H100): queue_cycles is fitted to the rates of 8 to 18
// SMs of a GPC that read the same 16 MiB (bandwidth, of=one_gpc, both GPUs) and to a set that all SMs read (reread,
// training).
#pragma once

#include <algorithm>
#include <array>
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
  // Of whoever asked L2. Its reply was promised too early when another SM joins the request: known only of those of the
  // same round.
  struct Asker {
    std::uint32_t round, fill;
    std::uint32_t ticket;  // of its data on their way; 0: its reply was not held back
    std::uint16_t sm;
  };
  explicit RequestCoalescer(const RequestCoalescerSpec& spec)
      : window_(to_ticks(spec.window_cycles)),
        spread_(to_ticks(spec.spread_cycles)),
        shared_cycles_(to_ticks(spec.shared_cycles)),
        queue_(to_ticks(spec.queue_cycles)),
        most_(spec.sms_per_request) {
    if (most_ == 0) return;
    sets_.resize(kSets);
    shared_.resize(kSets * kWays);
  }

  // How much later than without others a request comes to the coalescer that has `backlog` to wait behind it.
  Tick in_front(Tick backlog) const { return std::max(Tick(), backlog - queue_); }
  // The sectors, when another SM of the GPC asked for them shortly before, and when they are at the GPC.
  PortAnswer lookup(LineAddress line, SectorMask sectors, Tick now) {
    asked_ = now;
    joined_ = nullptr;
    if (most_ == 0) return {};
    unlike_ = false;
    const std::size_t set = set_of(line), way = way_of(set, line);
    if (way == kWays || now > sets_[set][way].open_until) return {};
    Shared& shared = shared_[place_of(set, way)];
    if (shared.sectors != sectors) {
      unlike_ = true;
      sets_[set][way].open_until = Tick(-1);
      return {};
    }
    if (shared.served >= most_) return {};
    asker_ = &shared.asker;
    if (++shared.served == 2) joined_ = asker_;
    return {sectors, std::max(now, shared.ready + shared_cycles_)};
  }
  // Whose request the last lookup joined. REQUIRES: it found the sectors.
  const Asker& asker() const { return *asker_; }
  // Whose request the last lookup was the first to join; null: it joined none, or others had before.
  const Asker* joined() const { return joined_; }
  // A request of `asker` that went out on its own; late: how much later its answer comes than from an idle L2.
  // REQUIRES: the lookup that did not find these sectors was the last call.
  void fill(LineAddress line, SectorMask sectors, Tick ready, Tick late = Tick(), Asker asker = Asker()) {
    if (most_ == 0 || unlike_) return;
    const std::uint64_t chance = mix_bits(line.number() ^ static_cast<std::uint64_t>(asked_.count()) << 20U);
    const auto extra = scale_to(chance, static_cast<std::uint64_t>(spread_.count()) + 1);
    const std::size_t set = set_of(line);
    std::size_t way = way_of(set, line);
    if (way == kWays) way = room_in(set);
    sets_[set][way] = {line, asked_ + window_ + Tick(static_cast<std::int64_t>(extra)) + late};
    shared_[place_of(set, way)] = {ready, asker, 1, sectors};
  }

  // A lookup of the line comes soon: brings what it reads into the host's cache.
  void announce(LineAddress line) const {
    if (most_ > 0) __builtin_prefetch(&sets_[set_of(line)], 1);
  }

 private:
  // More lines than a GPC has under way, so that hardly one is forgotten while it can be joined (counted_crowd.cu).
  static constexpr std::size_t kSets = 4096, kWays = 4;
  struct Open {
    LineAddress line = LineAddress::none();
    Tick open_until = Tick(-1);
  };
  using Set = std::array<Open, kWays>;  // 64 bytes, a line of the host's cache
  struct Shared {
    Tick ready;
    Asker asker{};
    std::int16_t served = 0;  // SMs
    SectorMask sectors;
  };
  static std::size_t set_of(LineAddress line) { return scale_to(mix_bits(line.number()), kSets); }
  // kWays: the set does not have the line.
  std::size_t way_of(std::size_t set, LineAddress line) const {
    std::size_t way = 0;
    while (way < kWays && sets_[set][way].line != line) ++way;
    return way;
  }
  // The first way whose line can not be joined any more; that of the line that closes first if all can.
  std::size_t room_in(std::size_t set) const {
    const Set& lines = sets_[set];
    const auto closed = std::ranges::find_if(lines, [&](const Open& open) { return open.open_until < asked_; });
    const auto chosen = closed != lines.end() ? closed : std::ranges::min_element(lines, {}, &Open::open_until);
    return static_cast<std::size_t>(chosen - lines.begin());
  }
  static std::size_t place_of(std::size_t set, std::size_t way) { return way * kSets + set; }

  Tick window_;
  Tick spread_;
  Tick shared_cycles_;
  Tick queue_;
  std::int64_t most_;
  Tick asked_;
  bool unlike_ = false;  // the last lookup found the line open for other sectors
  const Asker* asker_ = nullptr;
  const Asker* joined_ = nullptr;
  HugePageVector<Set> sets_;
  HugePageVector<Shared> shared_;  // by way and set: most are of the first way
};
static_assert(CachePort<RequestCoalescer>);

}  // namespace tilescope
