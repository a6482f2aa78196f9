// The chip behind the SMs: crossbar, request coalescer, two L2 partitions with the fabric between them, and HBM.
//
// A read looks in the SM's own partition first. What is not there goes across the fabric to the line's home partition,
// from there to HBM if need be, and leaves a copy near the SM. Writes go to the home partition.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/address_hash.h"
#include "models/calendar.h"
#include "models/fabric.h"
#include "models/gpc_ports.h"
#include "models/gpu_spec.h"
#include "models/hbm.h"
#include "models/l2_partition.h"
#include "models/memory_request.h"
#include "models/request_coalescer.h"
#include "models/send_window.h"
#include "models/sm_ingress.h"

namespace tilescope {

class MemorySystem : private Hbm::Owner {
 public:
  // `thin_shift`: only one line in 2^thin_shift will be sent here (LineSample); capacities shrink with it.
  explicit MemorySystem(const GpuSpec& gpu, unsigned thin_shift = 0);

  // L2 begins with what it holds where `before` has come to, what is on its way included. REQUIRES: made for the same
  // GPU and thinning; nothing has been served.
  void begin_as_left_by(const MemorySystem& before);

  // Serves one request; returns when its data is usable in the SM (write: when it is acknowledged); kNever: not known
  // yet, as they are coming().
  // REQUIRES: requests come in order of time.
  Cycle serve(const MemoryRequest& request);

  // Data on their way to an SM that have not come to L2 yet. What they pass has room for them when they come to it.
  struct Coming {
    Tick when;  // they are where they are next, or later
    enum class At : std::uint8_t { home, near, other };
    At at = At::home;  // ... at the line's home, beside the SM, or with another request that this one shares
    LineAddress line;
    Tick rest{};               // of what the SM asked for is at the slice that is beside it
    Tick rest_at_home{};       // ... of what that slice asked for at the line's home
    std::uint32_t ticket = 0;  // of the request, or of that other one
    std::uint16_t sm = 0;
    std::uint8_t home = 0;
    SectorMask wanted{};   // by the SM
    SectorMask fetched{};  // by the home, from device memory
    SectorMask copied{};   // by the slice beside the SM, from the home
  };
  // Of the request just served: its reply is held back until they have been taken in, in the order of their times.
  const std::optional<Coming>& coming() const { return coming_; }
  // They are taken in where they are by now, at least as long after they have come as stores hold them up, and go on.
  // Returns when they are usable in the SM, or nothing: when they are at the next place, `when`.
  std::optional<Cycle> take_in(Coming& coming);
  // From an SM to a slice.
  Cycle request_cycles() const { return to_cycles_up(request_latency_); }
  // What has come to a slice is not in an SM before.
  Cycle least_response() const { return least_response_; }

  // A reply of this round that comes `shared_cycles` later than serve() said, as the request just served shares it.
  struct SharedReply {
    std::uint16_t sm = 0;
    std::uint32_t fill = 0;
  };
  std::optional<SharedReply> shared_reply() const { return shared_reply_; }
  Cycle shared_cycles() const { return shared_cycles_; }
  // Replies of earlier rounds are known to their SMs and cannot change.
  void begin_round() { ++round_; }

  // Of requests that are served soon, early and somewhat later: what serve() reads of a cache's tags and of a
  // coalescer's table lies anywhere in megabytes, and the host need not wait for it. Nothing changes.
  void announce(const MemoryRequest& request) const {
    const Place place = place_of_sm_[request.sm];
    const bool near = reads_near(request.kind);
    if (near) coalescers_[place.gpc].announce(request.line);
    const std::size_t first = near ? place.partition : hash_.home_partition(request.line);
    partitions_[first].announce(request.line);
    if (!near && is_write(request.kind) && partitions_.size() > 1) partitions_[1 - first].announce(request.line);
  }
  void announce_again(const MemoryRequest& request) const {
    const std::size_t near = place_of_sm_[request.sm].partition, home = hash_.home_partition(request.line);
    const std::size_t first = reads_near(request.kind) ? near : home;
    if (!partitions_[first].announce_found(request.line) && first != home) partitions_[home].announce(request.line);
  }

  // Serves a line that a bulk copy reads; returns when it comes to its SMs, which are in one GPC: from L2 it comes
  // once. `alone`: to the SM that asks, and to no other; then it may be merged with requests of others. The same order
  // as for serve.
  Tick bring_bulk(const MemoryRequest& request, bool alone);
  // An SM takes in a line of a bulk copy that comes to it at `when`; returns when it is there. REQUIRES: in the order
  // of `when`, and at most least_latency() before the last request that was served.
  Cycle take_in_bulk(std::size_t sm, SectorMask sectors, Tick when);
  // Brings a line into L2.
  void prefetch(const MemoryRequest& request);

  // No reply comes sooner than this after its request: how far SMs may run ahead on their own.
  Cycle least_latency() const { return least_latency_; }
  // ... and of a store into the near partition.
  Cycle least_store_latency() const { return least_latency_ + to_cycles_up(slice_latency_); }

  // When the SM's stores so far let it send more.
  Cycle way_out_free(std::size_t sm) const { return to_cycles_up(stores_[sm].leaves(Tick())); }

  // When what the SM meant to store or reduce at `asked` has left it. REQUIRES: all of that by then was served.
  Cycle stored(std::size_t sm, Cycle asked) const {
    return to_cycles_up(std::max(stores_[sm].left(to_ticks(asked)), atomics_[sm].left(to_ticks(asked))));
  }

  MemoryCounters counters() const { return {counters_, hbm_.counters()}; }
  // Sectors that each L2 slice has taken in or given, those of the first partition first; bytes of each HBM channel.
  std::vector<std::uint64_t> slice_sectors() const {
    std::vector<std::uint64_t> all;
    for (const L2Partition& one : partitions_)
      all.insert(all.end(), one.slice_sectors().begin(), one.slice_sectors().end());
    return all;
  }
  std::vector<std::uint64_t> channel_bytes() const { return hbm_.channel_bytes(); }

 private:
  // Requests before `now` have been served.
  void come_to(Cycle now);
  static bool reads_near(RequestKind kind) { return kind == RequestKind::read || kind == RequestKind::bulk_read; }
  // When a request may leave its SM, behind the atomics that this has sent; then behind its stores, too.
  Tick leaves_behind_atomics(const MemoryRequest& request) const {
    return atomics_[request.sm].leaves(to_ticks(request.time));
  }
  Tick leaves(const MemoryRequest& request, Tick now) const {
    return is_write(request.kind) ? stores_[request.sm].leaves(now) : stores_[request.sm].leaves_behind(now);
  }
  // When a line that no request is merged with is at the SM's GPC.
  Tick read_past_coalescer(const MemoryRequest& request);
  // When what is read is where it enters its SM.
  Tick read_to_sm(const MemoryRequest& request, Tick behind_atomics, Tick sent);
  Cycle serve_atomic(const MemoryRequest& request, Tick sent);
  // `whole_line`: what is missing brings the rest of its line into L2, behind it.
  Tick read_near(unsigned near, LineAddress line, SectorMask sectors, bool whole_line, Tick now);
  Tick read_home(unsigned home, LineAddress line, SectorMask sectors, bool whole_line, Tick now, bool by_fabric);
  // Sectors that the line's home lacks, from HBM.
  PortAnswer fetch(LineAddress line, SectorMask sectors, Tick now, bool by_fabric);
  // The same for a reply that is held back.
  PortAnswer fetch_in_turn(LineAddress line, SectorMask sectors, Tick now, bool by_fabric);
  // A request whose data are on their way.
  struct Ticket {
    std::uint32_t number = 0;
    bool on_its_way = false;
    bool followed = false;  // another request of the GPC shares it
    bool by_fabric = false;
    LineAddress line;
    Tick due;   // they come from device memory to the line's home; then: have come to the GPC
    Tick late;  // by how much that has been put off
  };
  Ticket& ticket(std::uint32_t number) { return tickets_[number % tickets_.size()]; }
  Ticket& new_ticket();
  bool may_be_put_off(std::uint32_t number) override;
  void put_off(std::uint32_t number, Tick ready) override;
  struct Written {
    Tick taken_up;  // by the slices that it passes; the way between them left out
    Tick waited;    // of that, because they were busy
    Tick done;
  };
  Written write(unsigned near, const MemoryRequest& request, Tick now);
  // What a partition has fetched, or has been sent. `held_back`: it is taken in when it has come.
  void fill(unsigned partition, LineAddress line, SectorMask sectors, Tick ready, Tick now, bool held_back);
  // Returns when HBM has room for what had to leave, completed where it was written in part.
  Tick write_back(const L2Partition::Written& written, Tick now);
  Tick write_back(const L2Partition::Evicted& evicted, Tick now);

  AddressHash hash_;
  CalendarFloor floor_;                       // the request that is served: later ones come after it
  CalendarFloor intake_floor_;                // of what SMs take in
  std::vector<RequestCoalescer> coalescers_;  // by GPC
  std::vector<L2Partition> partitions_;
  Hbm hbm_;
  std::vector<SendWindow> atomics_;  // by SM
  std::vector<SendWindow> stores_;
  SmIngress sm_ingress_;
  std::vector<GpcPorts> gpc_ports_;  // by GPC
  struct Place {
    std::uint8_t gpc = 0;
    std::uint8_t partition = 0;
    Tick way;  // by how much the way to the GPC's port is longer than that of all SMs in the mean
  };
  static std::vector<Place> places(const GpuSpec& gpu);
  static void set_ways(const GpuSpec& gpu, std::vector<Place>& places);
  std::vector<Place> place_of_sm_;
  std::array<FabricLink, 2> fabric_;  // one for each direction, by destination
  Tick request_latency_;
  Tick response_latency_;
  Tick slice_latency_;
  Tick atomic_latency_;
  std::int64_t bulk_bytes_;  // into an SM in a cycle, for its bulk copies
  Cycle least_latency_, least_response_;
  Cycle shared_cycles_;
  std::optional<SharedReply> shared_reply_;
  std::optional<Coming> coming_;
  bool holds_back_ = false;  // the reply to the request that is served, until what it fetches has been taken in
  static constexpr Tick kLook = 32 * kCycle;  // after which it is looked for again what is later than promised
  // A ring, twice as large whenever those on their way do not fit: as few as that, they stay in the host's cache.
  std::vector<Ticket> tickets_ = std::vector<Ticket>(4096);
  std::uint32_t last_ticket_ = 0;
  std::uint32_t round_ = 0;
  L2Counters counters_;
};

}  // namespace tilescope
