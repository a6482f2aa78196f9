#include "sim/engine/memory_system.h"

#include <algorithm>

namespace tilescope {
namespace {

Tick transfer_ticks(SectorMask sectors, std::int64_t bytes_per_cycle) {
  return sectors.bytes() * kCycle / bytes_per_cycle;
}

}  // namespace

// The first half of the GPCs sits beside partition 0, the other beside partition 1.
// Source: L2 latency of every SM of an H200 to lines of either partition; gpu/microbench.
std::vector<MemorySystem::Place> MemorySystem::places(const GpuSpec& gpu) {
  std::vector<Place> result;
  const std::size_t gpcs = gpu.sm.gpcs.size();
  for (std::size_t g = 0; g < gpcs; ++g) {
    const auto partition = static_cast<std::uint8_t>(gpu.l2.partitions == 2 && g >= (gpcs + 1) / 2 ? 1 : 0);
    result.insert(result.end(), static_cast<std::size_t>(gpu.sm.gpcs[g]),
                  Place{static_cast<std::uint8_t>(g), partition});
  }
  return result;
}

MemorySystem::MemorySystem(const GpuSpec& gpu, unsigned thin_shift)
    : hash_(gpu),
      coalescer_(gpu.request_coalescer, static_cast<std::int64_t>(gpu.sm.gpcs.size())),
      hbm_(gpu),
      sm_ingress_(static_cast<std::size_t>(gpu.sm.count())),
      gpc_ingress_(gpu.sm.gpcs.size()),
      place_of_sm_(places(gpu)),
      request_latency_(to_ticks(gpu.crossbar.request_cycles)),
      response_latency_(to_ticks(gpu.crossbar.response_cycles)),
      slice_latency_(to_ticks(gpu.l2.latency_cycles)),
      fabric_latency_(to_ticks(gpu.fabric.latency_cycles)),
      atomic_latency_(to_ticks(gpu.l2.atomic_latency_cycles)),
      sm_bytes_(gpu.crossbar.sm_read_bytes_per_cycle),
      gpc_bytes_(gpu.crossbar.gpc_read_bytes_per_cycle),
      least_latency_(gpu.crossbar.request_cycles + gpu.crossbar.response_cycles) {
  const double fabric_cycles_per_byte = 1 / gpu.fabric.bytes_per_cycle;
  for (std::size_t s = 0; s < fabric_transfer_.size(); ++s)
    fabric_transfer_[s] = to_ticks_down(static_cast<double>(s * kSectorBytes) * fabric_cycles_per_byte);
  for (std::int64_t p = 0; p < gpu.l2.partitions; ++p) partitions_.emplace_back(gpu, hash_, thin_shift);
}

Cycle MemorySystem::serve(const MemoryRequest& request) {
  const Tick sent = to_ticks(request.time);
  if (is_atomic(request.kind)) return serve_atomic(request, sent);
  if (is_write(request.kind)) {
    const Tick done = write(place_of_sm_[request.sm].partition, request, sent + request_latency_);
    return to_cycles_up(done + response_latency_);
  }

  const Place place = place_of_sm_[request.sm];
  SectorMask wanted = request.sectors;
  Tick at_gpc;
  if (coalescer_.enabled()) {
    const RequestCoalescer::Shared shared = coalescer_.join(place.gpc, request.line, wanted, sent);
    at_gpc = shared.arrival;
    wanted -= shared.sectors;
  }
  if (wanted.any()) {
    const Tick at_slice = read_near(place.partition, request.line, wanted, sent + request_latency_);
    const Tick entered = gpc_ingress_[place.gpc].take(at_slice, transfer_ticks(wanted, gpc_bytes_));
    if (coalescer_.enabled()) coalescer_.note(place.gpc, request.line, wanted, sent, entered);
    at_gpc = std::max(at_gpc, entered);
  }
  const Tick entered = sm_ingress_[request.sm].take(std::max(at_gpc, sent + request_latency_),
                                                    transfer_ticks(request.sectors, sm_bytes_));
  return to_cycles_up(entered + response_latency_);
}

Tick MemorySystem::read_near(unsigned near, LineAddress line, SectorMask sectors, Tick now) {
  const unsigned home = hash_.home_partition(line);
  if (near == home) return read_home(home, line, sectors, now, false);

  const L2Partition::Lookup found = partitions_[near].read(line, sectors, now);
  counters_.read_sectors += sectors.count();
  counters_.read_hit_sectors += found.present.count();
  const SectorMask missing = sectors - found.present;
  const Tick looked_up = found.served + slice_latency_;
  if (missing.none()) return std::max(looked_up, found.ready);

  const Tick at_home = read_home(home, line, missing, looked_up + fabric_latency_, true);
  const Tick arrived = fabric_[near].take(at_home, fabric_transfer_[missing.count()]) + fabric_latency_;
  write_back(partitions_[near].fill(line, missing, arrived), now);
  return std::max(arrived, found.present.any() ? found.ready : Tick{});
}

Tick MemorySystem::read_home(unsigned home, LineAddress line, SectorMask sectors, Tick now, bool by_fabric) {
  const L2Partition::Lookup found = partitions_[home].read(line, sectors, now);
  (by_fabric ? counters_.fabric_sectors : counters_.read_sectors) += sectors.count();
  (by_fabric ? counters_.fabric_hit_sectors : counters_.read_hit_sectors) += found.present.count();
  const SectorMask missing = sectors - found.present;
  const Tick looked_up = found.served + slice_latency_;
  if (missing.none()) return std::max(looked_up, found.ready);

  SectorMask fetched;
  const Tick ready = hbm_.read(line, hash_.channel(line), missing, looked_up, fetched);
  write_back(partitions_[home].fill(line, fetched, ready), now);
  return std::max(ready, found.present.any() ? found.ready : Tick{});
}

// A slice of the near partition sees every store; what is at home in the other partition goes on to a slice there.
// Source: lts__t_sectors_op_write is 1.5 times what SMs write, lts__t_sectors_srcunit_ltcfabric half; H200.
Tick MemorySystem::write(unsigned near, const MemoryRequest& request, Tick now) {
  const LineAddress line = request.line;
  const SectorMask sectors = request.sectors;
  const unsigned home = hash_.home_partition(line);
  counters_.write_sectors += sectors.count();
  Tick seen = partitions_[near].accept(line, sectors, request.kind == RequestKind::partial_write, now);
  if (near != home) {
    counters_.fabric_sectors += sectors.count();
    counters_.fabric_hit_sectors += sectors.count();  // a write always finds its place
    counters_.fabric_write_sectors += sectors.count();
    seen = fabric_[home].take(seen, fabric_transfer_[sectors.count()]) + fabric_latency_;
    seen = partitions_[home].accept_passed_on(line, sectors, seen);
  }
  const Tick kept = write_back(partitions_[home].write(line, sectors), seen);
  if (partitions_.size() > 1) partitions_[1 - home].invalidate(line, sectors);
  return std::max(seen, kept) + slice_latency_;
}

// An atomic is done in its line's home partition, whichever is asked; what it changes stays there.
Cycle MemorySystem::serve_atomic(const MemoryRequest& request, Tick sent) {
  const Place place = place_of_sm_[request.sm];
  const LineAddress line = request.line;
  const SectorMask sectors = request.sectors;
  const unsigned home = hash_.home_partition(line);
  const bool returns = request.kind == RequestKind::atomic;
  (returns ? counters_.atomic_sectors : counters_.reduction_sectors) += sectors.count();
  Tick now = sent + request_latency_;
  if (place.partition != home) now = fabric_[home].take(now, fabric_transfer_[sectors.count()]) + fabric_latency_;
  const L2Partition::Lookup found = partitions_[home].atomic(request, now);
  Tick done = found.served + slice_latency_ + atomic_latency_;
  const SectorMask missing = sectors - found.present;
  if (missing.any()) {
    SectorMask fetched;
    const Tick ready = hbm_.read(line, hash_.channel(line), missing, found.served + slice_latency_, fetched);
    write_back(partitions_[home].fill(line, fetched, ready), now);
    done = std::max(done, ready + atomic_latency_);
  } else {
    done = std::max(done, found.ready + atomic_latency_);
  }
  write_back(partitions_[home].write(line, sectors), now);
  if (partitions_.size() > 1) partitions_[1 - home].invalidate(line, sectors);
  if (place.partition != home) done += fabric_latency_;
  if (!returns) return to_cycles_up(done + response_latency_);
  const Tick at_gpc = gpc_ingress_[place.gpc].take(done, transfer_ticks(sectors, gpc_bytes_));
  return to_cycles_up(sm_ingress_[request.sm].take(at_gpc, transfer_ticks(sectors, sm_bytes_)) + response_latency_);
}

Tick MemorySystem::write_back(const L2Partition::Evicted& evicted, Tick now) {
  if (evicted.dirty.none()) return now;
  counters_.evicted_dirty_sectors += evicted.dirty.count();
  return hbm_.write(evicted.line, hash_.channel(evicted.line), evicted.dirty, now);
}

}  // namespace tilescope
