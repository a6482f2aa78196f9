#include "models/l2_partition.h"

#include <algorithm>
#include <bit>

namespace tilescope {
namespace {

std::size_t sets_per_partition(const GpuSpec& gpu) {
  const double lines = gpu.l2.size_mib * 1024 * 1024 / static_cast<double>(kLineBytes * gpu.l2.partitions);
  return static_cast<std::size_t>(lines / static_cast<double>(gpu.l2.ways));
}

// Of a partition's lines, as bits of their number without the one that their home implies.
int run_bits(const GpuSpec& gpu, const AddressHash& hash) {
  if (gpu.l2.set_run_mib == 0) return -1;
  const std::uint64_t lines = static_cast<std::uint64_t>(gpu.l2.set_run_mib) * 1024 * 1024 / kLineBytes;
  return std::countr_zero(lines) - (hash.implied_bit() < 0 ? 0 : 1);
}

}  // namespace

L2Partition::L2Partition(const GpuSpec& gpu, const AddressHash& hash, unsigned thin_shift, const CalendarFloor* floor)
    : hash_(hash),
      lookup_(to_ticks(gpu.clock.sm_mhz / gpu.clock.l2_mhz)),
      send_gap_(to_ticks(gpu.l2.send_gap_cycles * gpu.clock.sm_mhz / gpu.clock.l2_mhz)),
      slice_bytes_(gpu.l2.slice_bytes_per_cycle),
      slice_write_bytes_(gpu.l2.slice_write_bytes_per_cycle),
      sector_in_(gpu.crossbar.write_sector_cycles * lookup_),
      partial_in_(gpu.crossbar.write_partial_cycles * lookup_),
      atomic_sector_(to_ticks(gpu.l2.atomic_sector_cycles)),
      atomic_partial_(to_ticks(gpu.l2.atomic_partial_cycles)),
      atomic_compare_(to_ticks(gpu.l2.atomic_compare_cycles)),
      atomic_repeat_(to_ticks(gpu.l2.atomic_repeat_cycles)),
      repeats_(static_cast<std::size_t>(gpu.l2.slices / gpu.l2.partitions)),
      inputs_(static_cast<std::size_t>(gpu.l2.slices / gpu.l2.partitions), Calendar(floor)),
      tag_ports_(static_cast<std::size_t>(gpu.l2.slices / gpu.l2.partitions), Calendar(floor)),
      sends_(static_cast<std::size_t>(gpu.l2.slices / gpu.l2.partitions), Calendar(floor)),
      takes_(static_cast<std::size_t>(gpu.l2.slices / gpu.l2.partitions), Calendar(floor)),
      fills_(takes_.size(), Calendar(floor)),
      slice_sectors_(sends_.size()),
      partial_lines_(gpu.l2.partial_lines == 0 ? static_cast<std::size_t>(gpu.l2.ways)
                                               : static_cast<std::size_t>(gpu.l2.partial_lines)),
      tags_(make_tags(gpu, hash, thin_shift)) {}

L2Partition::Tags L2Partition::make_tags(const GpuSpec& gpu, const AddressHash& hash, unsigned thin_shift) {
  const LineSample lines(hash, thin_shift);
  const std::size_t sets = lines.sets(sets_per_partition(gpu));
  const auto ways = static_cast<std::size_t>(gpu.l2.ways);
  return {sets, ways, lines.set_index(sets, hash.implied_bit(), run_bits(gpu, hash)),
          ChosenReplacement(static_cast<std::size_t>(gpu.l2.replacement), sets, ways)};
}

Tick L2Partition::time_of(SectorMask sectors, std::int64_t bytes_per_clock) const {
  return std::max<std::int64_t>(1, (sectors.bytes() + bytes_per_clock - 1) / bytes_per_clock) * lookup_;
}

void L2Partition::begin_as_left_by(const L2Partition& before) {
  tags_ = before.tags_;
  partial_words_ = before.partial_words_;
  tags_.each([](Sectors& line) { line.set_ready(Tick()); });
}

L2Partition::Lookup L2Partition::lookup(LineAddress line, SectorMask sectors, Tick now) {
  Lookup result;
  if (Sectors* const way = tags_.find(line)) {
    way->set_followed(way->ready() > now);
    result.held = way->present();
    result.present = way->present() & sectors;
    if (result.present.any()) result.ready = way->ready();
  }
  const unsigned slice = hash_.slice(line);
  slice_sectors_[slice] += result.present.count();
  result.looked_up = now + lookup_;
  if (result.present.any()) {
    const Tick time = time_of(result.present, slice_bytes_);
    const Tick gap = time > lookup_ ? send_gap_ : Tick{};
    result.looked_up = std::max(tag_ports_[slice].take(now, lookup_), sends_[slice].take(now, time + gap) - gap);
  }
  result.ready = std::max(result.ready, result.looked_up);
  return result;
}

L2Partition::Sectors& L2Partition::claim(LineAddress line, Evicted& evicted) {
  Sectors* way = tags_.find(line);
  if (way != nullptr) return *way;
  way = tags_.victim(line, [](const Sectors&) { return true; });
  evicted = {tags_.line_of(*way), way->dirty(), way->partial()};
  if (way->partial().any()) partial_words_.forget(evicted.line, way->partial(), false);
  tags_.claim(*way, line);
  return *way;
}

L2Partition::Evicted L2Partition::fill(LineAddress line, SectorMask sectors, Tick ready) {
  Evicted evicted;
  Sectors& here = claim(line, evicted);
  here.set_present(here.present() | sectors);
  drop_partial(here, line, sectors);
  here.set_ready(std::max(here.ready(), ready));
  slice_sectors_[hash_.slice(line)] += sectors.count();
  return evicted;
}

void L2Partition::put_off(LineAddress line, Tick ready) {
  if (Sectors* const here = tags_.peek(line)) here->set_ready(std::max(here->ready(), ready));
}

bool L2Partition::followed(LineAddress line) {
  const Sectors* const here = tags_.peek(line);
  return here != nullptr && here->followed();
}

Tick L2Partition::take_in(LineAddress line, SectorMask sectors, Tick now) {
  const unsigned slice = hash_.slice(line);
  const Tick time = sectors.bytes() * lookup_ / slice_write_bytes_;
  const Tick alone = fills_[slice].take(now, time);
  return std::max(Tick{}, takes_[slice].take(now, time) - alone);
}

Tick L2Partition::least_passed_on(LineAddress line, SectorMask sectors) {
  const Sectors* const here = tags_.find(line);
  return time_of(sectors, here != nullptr && here->written() ? slice_bytes_ : slice_write_bytes_);
}

Tick L2Partition::least(LineAddress line, SectorMask sectors, bool partial) {
  return std::max(sectors.count() * sector_in_ + (partial ? partial_in_ : Tick{}), least_passed_on(line, sectors));
}

// Source: lts__xbar2lts_cycles_active is one per sector and one more per request with partly written sectors, the same
// that leaves an SM; gpu/microbench/counted_stores.cu.
Tick L2Partition::accept(LineAddress line, SectorMask sectors, bool partial, Tick now) {
  const Tick entered =
      inputs_[hash_.slice(line)].take(now, sectors.count() * sector_in_ + (partial ? partial_in_ : Tick{}));
  return std::max(entered, accept_passed_on(line, sectors, now));
}

// A line that was stored to before is written at the rate of reads, another one takes longer: store_burst.cu and copies
// of lines that are near (home_rates.cu), cold_burst.cu.
Tick L2Partition::accept_passed_on(LineAddress line, SectorMask sectors, Tick now) {
  const unsigned slice = hash_.slice(line);
  slice_sectors_[slice] += sectors.count();
  return std::max(tag_ports_[slice].take(now, lookup_), takes_[slice].take(now, least_passed_on(line, sectors)));
}

L2Partition::Lookup L2Partition::atomic(const MemoryRequest& request, Tick now) {
  Lookup result;
  if (const Sectors* const way = tags_.find(request.line)) {
    result.present = way->present() & request.sectors;
    if (result.present.any()) result.ready = way->ready();
  }
  const std::size_t slice = hash_.slice(request.line);
  if (request.atomic == AtomicKind::floating && request.word != kManyWords) {
    Repeat& last = repeats_[slice];
    if (last.line == request.line && last.word == request.word) now = std::max(now, last.next);
    last = {request.line, request.word, now + atomic_repeat_};
  }
  const unsigned sectors = request.sectors.count(), whole = request.whole.count();
  const Tick service = request.atomic == AtomicKind::compare
                           ? sectors * atomic_compare_
                           : whole * atomic_sector_ + (sectors - whole) * atomic_partial_;
  slice_sectors_[slice] += sectors;
  result.looked_up = takes_[slice].take(now, service);
  result.began = result.looked_up - service;
  result.ready = std::max(result.ready, result.looked_up);
  return result;
}

L2Partition::Written L2Partition::write(LineAddress line, SectorMask sectors, std::uint32_t words) {
  Written written;
  Sectors& here = claim(line, written.evicted);
  const bool was_partial = here.partial().any();
  take_words(here, line, sectors, words);
  here.set_dirty(here.dirty() | sectors);
  if (!was_partial && here.partial().any()) written.completed = complete(here, line);
  return written;
}

L2Partition::Evicted L2Partition::keep(LineAddress line, SectorMask sectors, std::uint32_t words) {
  Evicted evicted;
  take_words(claim(line, evicted), line, sectors, words);
  return evicted;
}

void L2Partition::take_words(Sectors& here, LineAddress line, SectorMask sectors, std::uint32_t words) {
  here.set_written();
  SectorMask whole = PartialWords::whole(sectors, words);
  const SectorMask lacking = sectors - whole - here.present();
  if (lacking.any()) {
    here.set_partial(here.partial() | lacking);
    whole |= partial_words_.add(line, lacking, words);
  }
  here.set_present(here.present() | whole);
  drop_partial(here, line, whole);
}

void L2Partition::drop_partial(Sectors& here, LineAddress line, SectorMask sectors) {
  const SectorMask dropped = here.partial() & sectors;
  if (dropped.none()) return;
  here.set_partial(here.partial() - dropped);
  partial_words_.forget(line, dropped, here.partial().any());
}

L2Partition::Evicted L2Partition::complete(const Sectors& beside, LineAddress line) {
  const auto counts = [](const Sectors& one) { return (one.partial() & one.dirty()).any(); };
  std::size_t partial = 0;
  tags_.each_beside(line, [&](const Sectors& one) { partial += counts(one) ? 1 : 0; });
  if (partial <= partial_lines_) return {};
  Sectors& oldest = *tags_.victim(line, [&](const Sectors& one) { return &one != &beside && counts(one); });
  const Evicted done{tags_.line_of(oldest), oldest.dirty(), oldest.partial()};
  oldest.set_present(oldest.present() | oldest.partial());
  oldest.set_dirty({});
  drop_partial(oldest, done.line, oldest.partial());
  return done;
}

void L2Partition::invalidate(LineAddress line, SectorMask sectors) {
  Sectors* const way = tags_.find(line);
  if (way == nullptr) return;
  way->set_present(way->present() - sectors);
  drop_partial(*way, line, sectors);
}

}  // namespace tilescope
