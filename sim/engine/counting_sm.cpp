#include "sim/engine/counting_sm.h"

#include <algorithm>
#include <bit>

#include "models/tag_stage.h"

namespace tilescope {
namespace {

std::uint64_t count(unsigned sectors) { return static_cast<std::uint64_t>(std::popcount(sectors)); }

}  // namespace

CountingSm::CountingSm(const GpuSpec& gpu, const Kernel& kernel, const Occupancy& occupancy, int id,
                       unsigned thin_shift)
    : id_(id),
      kernel_(kernel),
      pipes_(gpu),
      sub_partitions_(gpu.sm.sub_partitions),
      barrier_wavefronts_(gpu.lsu.barrier_wavefronts),
      thin_shift_(thin_shift),
      l1_(gpu.l1, occupancy.l1_kib, thin_shift),
      hit_latency_(gpu.l1.latency_cycles),
      miss_latency_(gpu.crossbar.request_cycles + gpu.l2.latency_cycles + gpu.crossbar.response_cycles),
      operands_(Operands::global) {
  for (std::int64_t slot = 0; slot < occupancy.ctas_per_sm; ++slot) {
    auto cta = std::make_unique<Cta>();
    const auto warps = static_cast<std::size_t>(occupancy.warps_per_cta);
    cta->warps.resize(warps);
    cta->steps.resize(warps);
    cta->done.resize(warps);
    idle_.push_back(std::move(cta));
  }
}

void CountingSm::launch_cta(std::int64_t index, Cycle start) {
  std::unique_ptr<Cta> cta = std::move(idle_.back());
  idle_.pop_back();
  cta->cta = index;
  cta->start = cta->ready = std::max(start, clock_);
  cta->remaining = 0;
  cta->ending = false;
  for (std::size_t w = 0; w < cta->warps.size(); ++w) {
    if (!cta->warps[w]) cta->warps[w] = kernel_.make_stream();
    cta->warps[w]->start(index, static_cast<int>(w), operands_);
    cta->steps[w] = 0;
    cta->done[w] = false;
  }
  resident_.push_back(std::move(cta));
}

Cycle CountingSm::next_event() const {
  Cycle next = kNever;
  for (const auto& cta : resident_) next = std::min(next, cta->ready);
  return std::max(next, resident_.empty() ? kNever : clock_);
}

void CountingSm::advance(Cycle until) {
  while (clock_ < until && !resident_.empty()) {
    // The oldest CTA that is not waiting has the SM, until an older one comes back.
    std::size_t chosen = 0;
    Cycle yields = until;
    while (chosen < resident_.size() && resident_[chosen]->ready > clock_)
      yields = std::min(yields, resident_[chosen++]->ready);
    if (chosen == resident_.size()) {
      clock_ = yields;
      continue;
    }
    Cta& cta = *resident_[chosen];
    const Cycle slice = std::min(cta.remaining, yields - clock_);
    clock_ += slice;
    cta.remaining -= slice;
    if (cta.remaining > 0) continue;
    if (!cta.ending) {
      step(cta, clock_);
      continue;
    }
    ++counters_.ctas;
    finished_.push_back({cta.cta, cta.start, clock_, id_});
    idle_.push_back(std::move(resident_[chosen]));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  if (resident_.empty()) clock_ = until;
}

void CountingSm::step(Cta& cta, Cycle now) {
  bool any_left = false;
  bool any_miss = false;
  bool any_load = false;
  Cycle busy = 0;
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    if (cta.done[w]) continue;
    Segment segment;
    if (!cta.warps[w]->next(segment)) {
      cta.done[w] = true;
      continue;
    }
    any_left = true;
    ++cta.steps[w];
    instructions_ += segment.length;
    Kind& kind = kind_of(segment, cta, w);
    ++kind.times;
    busy += kind.totals.busy;
    any_load = any_load || kind.totals.loads_global;
    any_miss = count_global(segment, kind.totals, now) || any_miss;
  }
  cta.ending = !any_left;
  cta.remaining = std::max<Cycle>(1, busy);
  cta.ready = now + (any_miss ? miss_latency_ : any_load ? hit_latency_ : 0);
}

CountingSm::Kind& CountingSm::kind_of(const Segment& segment, const Cta& cta, std::size_t warp) {
  if (segment.key != 0) {
    if (segment.key == last_key_) return *last_kind_;
    const auto known = kinds_.find(segment.key);
    if (known != kinds_.end()) {
      last_key_ = segment.key;
      return *(last_kind_ = &known->second);
    }
  }
  // First of its kind: look at it with all operands.
  Segment whole = segment;
  if (!segment.complete) {
    if (!probe_) probe_ = kernel_.make_stream();
    probe_->start(cta.cta, static_cast<int>(warp), Operands::all);
    for (std::uint32_t i = 0; i < cta.steps[warp]; ++i) probe_->next(whole);
  }
  const SegmentTotals totals = totals_of(whole, kernel_.patterns(), pipes_, sub_partitions_);
  if (segment.key != 0) return kinds_[segment.key] = {totals, 0};
  add_unkeyed();
  last_unkeyed_ = {totals, 0};
  return last_unkeyed_;
}

void CountingSm::add_unkeyed() {
  last_unkeyed_.totals.add_to(counters_, last_unkeyed_.times);
  if (attribution_ != nullptr) last_unkeyed_.totals.add_to(*attribution_, last_unkeyed_.times);
}

bool CountingSm::count_global(const Segment& segment, const SegmentTotals& totals, Cycle now) {
  bool missed = false;
  for (const GlobalAccess& access : totals.global) {
    const MemoryOperand& operand = segment.operands[access.operand];
    if (attribution_ == nullptr) {
      missed = count_access(operand, access, now) || missed;
      continue;
    }
    const WorkCounters before = counters_;
    missed = count_access(operand, access, now) || missed;
    attribution_->charge(segment.code + access.position, before, counters_);
  }
  return missed;
}

bool CountingSm::count_access(const MemoryOperand& operand, const GlobalAccess& access, Cycle now) {
  const Footprint& footprint = kernel_.patterns().footprint(operand.pattern, operand.base);
  if (footprint.lines.empty()) {  // every lane predicated off: no request
    ++counters_.data_wavefronts;
    return false;
  }
  counters_.tag_cycles += static_cast<std::uint64_t>(tag_cycles(footprint, operand.base / kLineBytes));
  counters_.data_wavefronts += static_cast<std::uint64_t>(footprint.data_wavefronts);
  if (access.is_load) {
    ++counters_.global_load_requests;
    counters_.global_load_sectors += static_cast<std::uint64_t>(footprint.sectors);
    return load_lines(footprint, operand.base, access.cached, now);
  }
  ++counters_.global_store_requests;
  counters_.global_store_sectors += static_cast<std::uint64_t>(footprint.sectors);
  for (const LineSectors& touched : footprint.lines) {
    const std::uint64_t line = operand.base / kLineBytes + static_cast<std::uint64_t>(touched.line);
    if (keeps(line))
      outbox_.push_back({now, line, 0, static_cast<std::uint16_t>(id_), touched.sectors,
                         touched.whole != touched.sectors ? RequestKind::partial_write : RequestKind::write});
  }
  return false;
}

bool CountingSm::load_lines(const Footprint& footprint, std::uint64_t base, bool cached, Cycle now) {
  bool missed = false;
  bool looked = false;
  for (const LineSectors& touched : footprint.lines) {
    const std::uint64_t line = base / kLineBytes + static_cast<std::uint64_t>(touched.line);
    if (!keeps(line)) continue;
    const L1Cache::Lookup found =
        cached ? l1_.load(line, touched.sectors) : L1Cache::Lookup{0, 0, touched.sectors, 0, {}};
    counters_.global_load_hit_sectors += count(found.present) << thin_shift_;
    looked = true;
    last_missed_ = found.missing != 0;
    if (found.missing == 0) continue;
    missed = true;
    counters_.fill_sectors += count(found.missing) << thin_shift_;
    if (cached) {
      l1_.allocate(line, found.missing, 0);
      l1_.filled(line, 0, 0);
    }
    outbox_.push_back({now, line, static_cast<std::uint32_t>(now), static_cast<std::uint16_t>(id_), found.missing,
                       RequestKind::read});
  }
  // Lines that are not looked up are taken to do as the last one that was.
  return missed || (!looked && !footprint.lines.empty() && last_missed_);
}

void CountingSm::deliver(const std::vector<MemoryReply>& replies) {
  for (const MemoryReply& reply : replies) {  // `fill` carries the low half of the time of sending
    if (reply.fill == 0) continue;
    const Cycle latency = static_cast<std::uint32_t>(static_cast<std::uint64_t>(reply.ready)) - reply.fill;
    miss_latency_ += (latency - miss_latency_) / 8;
  }
}

bool CountingSm::keeps(std::uint64_t line) const {
  return (mix_bits(line ^ 0xA5A5A5A5A5ULL) & ((1ULL << thin_shift_) - 1)) == 0;
}

SmCounters CountingSm::counters() const {
  SmCounters total = counters_;
  for (const auto& [key, kind] : kinds_) kind.totals.add_to(total, kind.times);
  last_unkeyed_.totals.add_to(total, last_unkeyed_.times);
  total.data_wavefronts += barrier_wavefronts_of(total);
  return total;
}

std::uint64_t CountingSm::barrier_wavefronts_of(const SmCounters& total) const {
  const std::uint64_t barriers = total.instructions[static_cast<std::size_t>(OpClass::barrier)] /
                                 static_cast<std::uint64_t>(kernel_.launch().warps_per_cta());
  return barriers * static_cast<std::uint64_t>(barrier_wavefronts_);
}

void CountingSm::add_segments_to(Attribution& attribution) const {
  for (const auto& [key, kind] : kinds_) kind.totals.add_to(attribution, kind.times);
  last_unkeyed_.totals.add_to(attribution, last_unkeyed_.times);
}

}  // namespace tilescope
