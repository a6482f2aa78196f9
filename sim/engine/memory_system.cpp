#include "sim/engine/memory_system.h"

#include <algorithm>
#include <utility>

namespace tilescope {

std::vector<MemorySystem::Place> MemorySystem::places(const GpuSpec& gpu) {
  std::vector<Place> result;
  const std::size_t gpcs = gpu.sm.gpcs.size();
  const auto beside_first = static_cast<std::size_t>(gpu.l2.gpcs_beside_first(static_cast<std::int64_t>(gpcs)));
  for (std::size_t g = 0; g < gpcs; ++g) {
    const auto partition = static_cast<std::uint8_t>(g < beside_first ? 0 : 1);
    result.insert(result.end(), static_cast<std::size_t>(gpu.sm.gpcs[g]),
                  Place{static_cast<std::uint8_t>(g), partition, Tick()});
  }
  set_ways(gpu, result);
  return result;
}

// The TPCs of a GPC are dealt out to its CPCs in turn; one that comes later is nearer.
void MemorySystem::set_ways(const GpuSpec& gpu, std::vector<Place>& places) {
  const std::vector<std::int64_t>& cpcs = gpu.crossbar.cpc_cycles;
  const auto there_and_back = [&](std::int64_t tpc) {
    const auto count = static_cast<std::int64_t>(cpcs.size());
    return to_ticks(cpcs[static_cast<std::size_t>(tpc % count)] - gpu.crossbar.tpc_step_cycles * (tpc / count));
  };
  std::size_t sm = 0;
  Tick sum;
  for (const std::int64_t sms : gpu.sm.gpcs)
    for (std::int64_t i = 0; i < sms; ++i) sum += places[sm++].way = there_and_back(i / kSmsPerTpc);
  const Tick mean = sum / static_cast<std::int64_t>(sm);
  const Tick most = std::min(to_ticks(gpu.crossbar.request_cycles), to_ticks(gpu.crossbar.response_cycles)) - kCycle;
  for (Place& place : places) place.way = std::max(Tick() - most, (place.way - mean) / 2);
}

MemorySystem::MemorySystem(const GpuSpec& gpu, unsigned thin_shift)
    : hash_(gpu),
      coalescers_(gpu.sm.gpcs.size(), RequestCoalescer(gpu.request_coalescer)),
      hbm_(gpu, hash_, &floor_, this),
      atomics_(static_cast<std::size_t>(gpu.sm.count()), SendWindow(gpu.lsu.atomics_under_way)),
      stores_(static_cast<std::size_t>(gpu.sm.count()), SendWindow(gpu.lsu.stores_under_way)),
      sm_ingress_(gpu, &intake_floor_),
      gpc_ports_(gpu.sm.gpcs.size(), GpcPorts(gpu, hash_, &floor_)),
      place_of_sm_(places(gpu)),
      fabric_{FabricLink(gpu, &floor_), FabricLink(gpu, &floor_)},
      request_latency_(to_ticks(gpu.crossbar.request_cycles)),
      response_latency_(to_ticks(gpu.crossbar.response_cycles)),
      slice_latency_(to_ticks(gpu.l2.latency_cycles)),
      atomic_latency_(to_ticks(gpu.l2.atomic_latency_cycles)),
      bulk_bytes_(std::min(gpu.crossbar.sm_read_bytes_per_cycle, gpu.asynchronous.read_bytes_per_cycle)),
      least_latency_(gpu.crossbar.request_cycles + gpu.crossbar.response_cycles),
      least_response_(0),
      shared_cycles_(gpu.request_coalescer.shared_cycles) {
  const auto nearest = std::min_element(place_of_sm_.begin(), place_of_sm_.end(),
                                        [](const Place& a, const Place& b) { return a.way < b.way; });
  least_latency_ -= to_cycles_up(Tick() - 2 * nearest->way);
  least_response_ = gpu.crossbar.response_cycles - to_cycles_up(Tick() - nearest->way);
  for (std::int64_t p = 0; p < gpu.l2.partitions; ++p) partitions_.emplace_back(gpu, hash_, thin_shift, &floor_);
}

void MemorySystem::begin_as_left_by(const MemorySystem& before) {
  for (std::size_t i = 0; i < partitions_.size(); ++i) partitions_[i].begin_as_left_by(before.partitions_[i]);
}

void MemorySystem::come_to(Cycle now) {
  floor_.time = to_ticks(now);
  intake_floor_.time = std::max(Tick(), to_ticks(now - least_latency_));
}

Cycle MemorySystem::serve(const MemoryRequest& request) {
  come_to(request.time);
  shared_reply_.reset();
  coming_.reset();
  const Tick behind_atomics = leaves_behind_atomics(request);
  const Tick sent = leaves(request, behind_atomics);
  if (is_atomic(request.kind)) return serve_atomic(request, sent);
  const Place place = place_of_sm_[request.sm];
  const Tick way = place.way;
  const Tick there = sent + request_latency_ + way;
  if (is_write(request.kind)) {
    const Written written = write(place.partition, request, there);
    // What a slice's input counts: a sector each, and one more for what is written in part.
    const unsigned packets = request.sectors.count() + (request.kind == RequestKind::partial_write ? 1 : 0);
    stores_[request.sm].note(packets, to_ticks(request.time), sent, sent + (written.taken_up - there));
    stores_[request.sm].waits(sent + written.waited);
    return to_cycles_up(written.done + response_latency_ + way);
  }

  holds_back_ = request.fill != kNoFill;
  const Tick at_gpc = read_to_sm(request, behind_atomics, sent);
  holds_back_ = false;
  if (coming_) return kNever;
  const Tick entered = sm_ingress_.accept(request.sm, request.line, request.sectors, at_gpc);
  return to_cycles_up(entered + response_latency_ + way);
}

Tick MemorySystem::read_to_sm(const MemoryRequest& request, Tick behind_atomics, Tick sent) {
  const Place place = place_of_sm_[request.sm];
  const Tick way = place.way;
  const Tick there = sent + request_latency_ + way;
  RequestCoalescer& coalescer = coalescers_[place.gpc];
  // Whoever waits behind atomics finds nobody in step with it.
  const bool alone = behind_atomics > to_ticks(request.time);
  GpcPorts& ports = gpc_ports_[place.gpc];
  const Tick in_front = coalescer.in_front(ports.backlog(request.line, there + slice_latency_));
  PortAnswer shared = alone ? PortAnswer{} : coalescer.lookup(request.line, request.sectors, sent + way + in_front);
  if (shared.present.any()) {
    const RequestCoalescer::Asker& asker = coalescer.asker();
    Ticket& read = ticket(asker.ticket);
    if (asker.ticket == 0) {
      if (coalescer.joined() != nullptr && asker.round == round_) shared_reply_ = {asker.sm, asker.fill};
    } else if (read.number == asker.ticket) {
      read.followed = true;
      shared.ready += read.late;
      if (read.on_its_way && holds_back_) {
        coming_ = Coming{.when = std::max(shared.ready, there),
                         .at = Coming::At::other,
                         .line = request.line,
                         .rest = there,
                         .ticket = asker.ticket,
                         .sm = request.sm,
                         .wanted = request.sectors};
        return there;
      }
    }
  }
  const SectorMask wanted = request.sectors - shared.present;
  Tick at_gpc = shared.ready;
  if (wanted.any()) {
    const Tick at_slice = read_near(place.partition, request.line, wanted, request.whole_line, there);
    Tick entered;
    if (coming_) {
      coming_->sm = request.sm;
      coming_->wanted = wanted;
      entered = at_slice + ports.backlog(request.line, at_slice) + ports.least(wanted);
    } else {
      entered = ports.accept(request.line, wanted, at_slice);
    }
    if (!alone) {
      const Tick idle = there + slice_latency_ + ports.least(wanted);
      coalescer.fill(request.line, wanted, entered, std::max(Tick(), entered - idle - in_front),
                     {round_, request.fill, coming_ ? coming_->ticket : 0, request.sm});
    }
    at_gpc = std::max(at_gpc, entered);
  }
  return std::max(at_gpc, there);
}

std::optional<Cycle> MemorySystem::take_in(Coming& coming) {
  const LineAddress line = coming.line;
  const Place place = place_of_sm_[coming.sm];
  Ticket& read = ticket(coming.ticket);
  Tick at_gpc;
  if (coming.at == Coming::At::other) {
    if (read.number == coming.ticket && read.on_its_way) {
      coming.when = std::max(coming.when + kLook, read.due);
      return std::nullopt;
    }
    at_gpc = std::max(read.number == coming.ticket ? read.due : coming.when, coming.rest);
  } else {
    if (read.due > coming.when) {
      coming.when = read.due;
      return std::nullopt;
    }
    if (coming.at == Coming::At::home) {
      coming.when += partitions_[coming.home].take_in(line, coming.fetched, coming.when);
      coming.at = Coming::At::near;
      if (coming.copied.any()) {
        coming.when = fabric_[place.partition].accept(line, coming.copied, std::max(coming.when, coming.rest_at_home));
        return std::nullopt;
      }
    } else {
      coming.when += partitions_[place.partition].take_in(line, coming.copied, coming.when);
    }
    at_gpc = gpc_ports_[place.gpc].accept(line, coming.wanted, std::max(coming.when, coming.rest));
    read.on_its_way = false;
    read.due = at_gpc;
  }
  if (read.followed) at_gpc += to_ticks(shared_cycles_);
  const Tick entered = sm_ingress_.accept(coming.sm, line, coming.wanted, at_gpc);
  return to_cycles_up(entered + response_latency_ + place.way);
}

Tick MemorySystem::bring_bulk(const MemoryRequest& request, bool alone) {
  come_to(request.time);
  shared_reply_.reset();
  if (!alone) return read_past_coalescer(request);
  coming_.reset();
  const Tick behind_atomics = leaves_behind_atomics(request);
  return read_to_sm(request, behind_atomics, leaves(request, behind_atomics));
}

Cycle MemorySystem::take_in_bulk(std::size_t sm, SectorMask sectors, Tick when) {
  return to_cycles_up(sm_ingress_.accept_bulk(sm, sectors, bulk_bytes_, when) + response_latency_ +
                      place_of_sm_[sm].way);
}

Tick MemorySystem::read_past_coalescer(const MemoryRequest& request) {
  const Tick sent = leaves(request, leaves_behind_atomics(request));
  const Place place = place_of_sm_[request.sm];
  const Tick at_slice = read_near(place.partition, request.line, request.sectors, request.whole_line,
                                  sent + request_latency_ + place.way);
  return gpc_ports_[place.gpc].accept(request.line, request.sectors, at_slice);
}

void MemorySystem::prefetch(const MemoryRequest& request) {
  come_to(request.time);
  const Place place = place_of_sm_[request.sm];
  read_near(place.partition, request.line, request.sectors, request.whole_line,
            to_ticks(request.time) + request_latency_ + place.way);
}

Tick MemorySystem::read_near(unsigned near, LineAddress line, SectorMask sectors, bool whole_line, Tick now) {
  const unsigned home = hash_.home_partition(line);
  if (near == home) return read_home(home, line, sectors, whole_line, now, false);

  const L2Partition::Lookup found = partitions_[near].lookup(line, sectors, now);
  counters_.read_sectors += sectors.count();
  counters_.read_hit_sectors += found.present.count();
  const SectorMask missing = sectors - found.present;
  const Tick looked_up = found.looked_up + slice_latency_;
  if (missing.none()) return std::max(looked_up, found.ready);

  const auto copy = [&](SectorMask wanted, bool rest) {
    const Tick at_home = read_home(home, line, wanted, rest, fabric_[home].pass(looked_up), true);
    Tick arrived;
    if (coming_) {  // from device memory
      coming_->copied = wanted;
      arrived = fabric_[near].pass(at_home) + fabric_[near].least();
    } else {
      arrived = fabric_[near].accept(line, wanted, at_home);
    }
    if (holds_back_ && !coming_) {
      Ticket& read = new_ticket();
      coming_ = Coming{.when = arrived, .at = Coming::At::near, .line = line, .ticket = read.number, .copied = wanted};
    }
    fill(near, line, wanted, arrived, now, holds_back_);
    return arrived;
  };
  const Tick arrived = copy(missing, whole_line);
  if (const SectorMask rest = SectorMask::all() - missing - found.held; whole_line && rest.any()) {
    const std::optional<Coming> waited_for = std::exchange(coming_, std::nullopt);
    const bool holds_back = std::exchange(holds_back_, false);
    copy(rest, false);
    coming_ = waited_for;
    holds_back_ = holds_back;
  }
  if (coming_) coming_->rest = found.ready;
  return std::max(arrived, found.ready);
}

Tick MemorySystem::read_home(unsigned home, LineAddress line, SectorMask sectors, bool whole_line, Tick now,
                             bool by_fabric) {
  const L2Partition::Lookup found = partitions_[home].lookup(line, sectors, now);
  (by_fabric ? counters_.fabric_sectors : counters_.read_sectors) += sectors.count();
  (by_fabric ? counters_.fabric_hit_sectors : counters_.read_hit_sectors) += found.present.count();
  const SectorMask missing = sectors - found.present;
  const Tick looked_up = found.looked_up + slice_latency_;
  if (missing.none()) return std::max(looked_up, found.ready);

  const PortAnswer fetched =
      holds_back_ ? fetch_in_turn(line, missing, looked_up, by_fabric) : fetch(line, missing, looked_up, by_fabric);
  fill(home, line, fetched.present, fetched.ready, now, holds_back_);
  if (coming_) {
    coming_->home = static_cast<std::uint8_t>(home);
    coming_->fetched = fetched.present;
    (by_fabric ? coming_->rest_at_home : coming_->rest) = found.ready;
  }
  if (const SectorMask rest = SectorMask::all() - fetched.present - found.held; whole_line && rest.any()) {
    const PortAnswer behind = fetch(line, rest, looked_up, by_fabric);
    fill(home, line, behind.present, behind.ready, now, false);
  }
  return std::max(fetched.ready, found.ready);
}

// Requests are served in order of the time at which they leave their SMs, and those that come by the fabric are at HBM
// later than others of that time. So that neither gets a turn before others that are there sooner, those that come
// straight are put in line as if they had the same way, which is then left out.
PortAnswer MemorySystem::fetch(LineAddress line, SectorMask sectors, Tick now, bool by_fabric) {
  if (by_fabric) return hbm_.lookup(line, sectors, now);
  const Tick way = fabric_.front().pass(slice_latency_);
  PortAnswer answer = hbm_.lookup(line, sectors, now + way);
  answer.ready -= way;
  return answer;
}

PortAnswer MemorySystem::fetch_in_turn(LineAddress line, SectorMask sectors, Tick now, bool by_fabric) {
  const Tick way = by_fabric ? Tick() : fabric_.front().pass(slice_latency_);
  Ticket& read = new_ticket();
  PortAnswer answer = hbm_.lookup(line, sectors, now + way, read.number);
  answer.ready -= way;
  read.by_fabric = by_fabric;
  read.line = line;
  read.due = answer.ready;
  coming_ = Coming{.when = answer.ready, .line = line, .ticket = read.number};
  return answer;
}

MemorySystem::Ticket& MemorySystem::new_ticket() {
  if (++last_ticket_ == 0) ++last_ticket_;  // 0: no ticket
  const std::uint32_t number = last_ticket_;
  while (ticket(number).on_its_way) {
    const std::vector<Ticket> before = std::exchange(tickets_, std::vector<Ticket>(2 * tickets_.size()));
    for (const Ticket& one : before)
      if (one.on_its_way) ticket(one.number) = one;
  }
  return ticket(number) = {.number = number, .on_its_way = true, .line = {}, .due = {}, .late = {}};
}

bool MemorySystem::may_be_put_off(std::uint32_t number) {
  const Ticket& read = ticket(number);
  if (read.number != number || !read.on_its_way || read.followed) return false;
  const unsigned home = hash_.home_partition(read.line);
  return !partitions_[home].followed(read.line) && !(read.by_fabric && partitions_[1 - home].followed(read.line));
}

void MemorySystem::put_off(std::uint32_t number, Tick ready) {
  Ticket& read = ticket(number);
  const Tick due = read.by_fabric ? ready : ready - fabric_.front().pass(slice_latency_);
  read.late += due - read.due;
  read.due = due;
  const unsigned home = hash_.home_partition(read.line);
  partitions_[home].put_off(read.line, due);
  if (read.by_fabric) partitions_[1 - home].put_off(read.line, fabric_.front().pass(due) + fabric_.front().least());
}

void MemorySystem::fill(unsigned partition, LineAddress line, SectorMask sectors, Tick ready, Tick now,
                        bool held_back) {
  write_back(partitions_[partition].fill(line, sectors, ready), now);
  if (!held_back) partitions_[partition].take_in(line, sectors, ready);
}

// A slice of the near partition sees every store; what is at home in the other partition goes on to a slice there.
// Source: lts__t_sectors_op_write is 1.5 times what SMs write, lts__t_sectors_srcunit_ltcfabric half; H200.
MemorySystem::Written MemorySystem::write(unsigned near, const MemoryRequest& request, Tick now) {
  const LineAddress line = request.line;
  const SectorMask sectors = request.sectors;
  const unsigned home = hash_.home_partition(line);
  counters_.write_sectors += sectors.count();
  const bool partial = request.kind == RequestKind::partial_write;
  Tick least = partitions_[near].least(line, sectors, partial);
  Tick seen = partitions_[near].accept(line, sectors, partial, now);
  Tick taken_up = seen;
  if (near != home) {
    counters_.fabric_sectors += sectors.count();
    counters_.fabric_hit_sectors += sectors.count();  // a write always finds its place
    counters_.fabric_write_sectors += sectors.count();
    const Tick at_home = fabric_[home].accept(line, sectors, seen);
    least += fabric_[home].least() + partitions_[home].least_passed_on(line, sectors);
    seen = partitions_[home].accept_passed_on(line, sectors, at_home);
    taken_up = fabric_[home].without_way(seen);
  }
  const std::uint32_t words = partial ? request.words : PartialWords::kAll;
  const L2Partition::Written written = partitions_[home].write(line, sectors, words);
  const Tick kept = write_back(written, seen);
  // What has to be completed makes room for what is written.
  if (written.completed.dirty.any()) taken_up = std::max(taken_up, kept);
  if (near != home)
    write_back(partitions_[near].keep(line, sectors, words), seen);
  else if (partitions_.size() > 1)
    partitions_[1 - home].invalidate(line, sectors);
  return {taken_up, taken_up - now - least, std::max(seen, kept) + slice_latency_};
}

// An atomic is done in its line's home partition, whichever is asked; what it changes stays there.
Cycle MemorySystem::serve_atomic(const MemoryRequest& request, Tick sent) {
  const Place place = place_of_sm_[request.sm];
  const LineAddress line = request.line;
  const SectorMask sectors = request.sectors;
  const unsigned home = hash_.home_partition(line);
  const bool returns = request.kind == RequestKind::atomic;
  (returns ? counters_.atomic_sectors : counters_.reduction_sectors) += sectors.count();
  Tick now = sent + request_latency_ + place.way;
  if (place.partition != home) now = fabric_[home].accept(line, sectors, now);
  const L2Partition::Lookup found = partitions_[home].atomic(request, now);
  atomics_[request.sm].note(sectors.count(), to_ticks(request.time), sent, sent + (found.began - now));
  const Tick looked_up = found.looked_up + slice_latency_;
  Tick done = looked_up + atomic_latency_;
  const SectorMask missing = sectors - found.present;
  if (missing.any()) {
    const PortAnswer fetched = fetch(line, missing, looked_up, place.partition != home);
    fill(home, line, fetched.present, fetched.ready, now, false);
    done = std::max(done, fetched.ready + atomic_latency_);
  } else {
    done = std::max(done, found.ready + atomic_latency_);
  }
  write_back(partitions_[home].write(line, sectors), now);
  if (partitions_.size() > 1) partitions_[1 - home].invalidate(line, sectors);
  if (place.partition != home) done = fabric_[place.partition].pass(done);
  if (!returns) return to_cycles_up(done + response_latency_ + place.way);
  const Tick at_gpc = gpc_ports_[place.gpc].accept(line, sectors, done);
  return to_cycles_up(sm_ingress_.accept(request.sm, line, sectors, at_gpc) + response_latency_ + place.way);
}

Tick MemorySystem::write_back(const L2Partition::Written& written, Tick now) {
  return std::max(write_back(written.evicted, now), write_back(written.completed, now));
}

Tick MemorySystem::write_back(const L2Partition::Evicted& evicted, Tick now) {
  if (evicted.dirty.none()) return now;
  counters_.evicted_dirty_sectors += evicted.dirty.count();
  if (const SectorMask partial = evicted.partial & evicted.dirty; partial.any()) {
    counters_.completed_sectors += partial.count();
    const Tick whole = hbm_.complete(evicted.line, partial, now);
    hbm_.accept_when_whole(evicted.line, evicted.dirty, whole, now);
    return whole;
  }
  // In line with reads that their SMs have sent at the same time.
  const Tick way = fabric_.front().pass(2 * slice_latency_);
  return hbm_.accept(evicted.line, evicted.dirty, now + way) - way;
}

}  // namespace tilescope
