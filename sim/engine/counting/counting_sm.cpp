#include "sim/engine/counting/counting_sm.h"

#include <algorithm>
#include <cmath>

namespace tilescope {
CountingSm::CountingSm(const GpuSpec& gpu, const Kernel& kernel, const AccessCosts& costs, const Occupancy& occupancy,
                       int id, unsigned thin_shift, RunShapes& shapes)
    : id_(id),
      kernel_(kernel),
      costs_(costs),
      shapes_(shapes),
      pipes_(gpu),
      gpu_(gpu),
      barrier_wavefronts_(gpu.lsu.barrier_wavefronts),
      thin_shift_(thin_shift),
      l1_(gpu.l1, occupancy.l1_kib, thin_shift),
      hit_latency_(gpu.l1.latency_cycles),
      miss_latency_(gpu.crossbar.request_cycles + gpu.l2.latency_cycles + gpu.crossbar.response_cycles),
      sub_partitions_(static_cast<double>(gpu.sm.sub_partitions)),
      operands_(Operands::global),
      bulk_copies_(gpu.asynchronous, id),
      last_latency_(miss_latency_),
      line_cycles_(gpu.crossbar.read_request_cycles) {
  for (std::int64_t slot = 0; slot < occupancy.ctas_per_sm; ++slot) {
    auto cta = std::make_unique<Cta>();
    const auto warps = static_cast<std::size_t>(occupancy.warps_per_cta);
    cta->warps.resize(warps);
    cta->steps.resize(warps);
    cta->place = static_cast<std::uint32_t>(places_.size());
    places_.push_back(cta.get());
    idle_.push_back(std::move(cta));
  }
}

void CountingSm::launch_cta(std::int64_t index, Cycle start) {
  std::unique_ptr<Cta> cta = std::move(idle_.back());
  idle_.pop_back();
  cta->cta = index;
  cta->start = cta->ready = std::max(start, clock_);
  cta->ends = 0;
  cta->busy = 0;
  cta->out = 0;
  cta->ending = false;
  for (std::size_t w = 0; w < cta->warps.size(); ++w) {
    cta->warps[w].start(kernel_, index, static_cast<int>(w), operands_);
    cta->steps[w] = 0;
  }
  cta->run.stop();
  cta->apart = 0;
  resident_.push_back(std::move(cta));
}

Cycle CountingSm::next_event() const {
  Cycle next = kNever;
  for (const auto& cta : resident_) next = std::min(next, cta->ready);
  return std::max(next, resident_.empty() ? kNever : clock_);
}

void CountingSm::advance(Cycle until) {
  while (clock_ < until && !resident_.empty()) work(share_out(until));
  if (resident_.empty()) clock_ = until;
}

CountingSm::Phase CountingSm::phase_of(const Cta& cta) const {
  if (cta.ready > clock_) return Phase::away;
  if (cta.busy > 0) return Phase::served;
  if (cta.ends > clock_) return Phase::lagging;
  return cta.ending ? Phase::leaving : Phase::ready;
}

// Gives each CTA its share of the fullest resource, as it stays until the moment that is returned: a CTA is done or
// comes back, or `until`.
Cycle CountingSm::share_out(Cycle until) {
  Cycle change = until;
  double queued = 0;
  double wanted = 0;
  for (auto& cta : resident_) {
    if (phase_of(*cta) == Phase::away) {
      cta->share = 0;
      change = std::min(change, cta->ready);
      continue;
    }
    cta->share = queued < sub_partitions_ || wanted < 1 ? cta->rate : 0;
    if (cta->share > 0) queued += cta->queue;
    wanted += cta->share;
  }
  for (auto& cta : resident_) {
    if (phase_of(*cta) == Phase::away) continue;
    cta->share /= std::max(1.0, wanted);
    if (cta->busy == 0)
      change = clock_;
    else if (cta->busy < cta->share * static_cast<double>(change - clock_))
      change = clock_ + static_cast<Cycle>(std::ceil(cta->busy / cta->share));
  }
  return change;
}

// Lets them work until then; those that are done with their step take the next one.
void CountingSm::work(Cycle until) {
  const auto duration = static_cast<double>(until - clock_);
  clock_ = until;
  for (std::size_t i = 0; i < resident_.size();) {
    Cta& cta = *resident_[i];
    cta.busy = std::max(0.0, cta.busy - cta.share * duration);
    const Phase phase = phase_of(cta);
    if (phase == Phase::leaving) {
      ++counters_.ctas;
      finished_.push_back({cta.cta, cta.start, clock_, id_});
      idle_.push_back(std::move(resident_[i]));
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (phase == Phase::lagging) cta.ready = cta.ends;
    if (phase == Phase::ready) step(cta, clock_);
    ++i;
  }
}

void CountingSm::StepTotals::add(const SegmentTotals& totals) {
  busy += totals.busy;
  alone = std::max(alone, totals.alone);
  if (totals.loads_lines) slack = std::min(slack, totals.slack);
}

void CountingSm::step(Cta& cta, Cycle now) {
  cta.began = cta.loaded = now;
  cta.looked_up = false;
  cta.ending = false;
  const bool runs = cta.run.left() > 0 || begin_run(cta);
  const StepTotals totals = runs ? step_of_run(cta) : step_apart(cta);
  cta.alone = totals.alone;
  cta.slack = totals.slack;
  // Lines that are not looked up are taken to do as the last one that was.
  if (!cta.looked_up && cta.slack < kNever) cta.loaded = now + last_latency_;
  cta.busy = static_cast<double>(totals.busy);
  if (cta.out > 0) {
    cta.ready = cta.slack < cta.alone ? kNever : now;
    cta.ends = kNever;
  } else {
    loads_are_here(cta);
  }
  const ServiceRate service = runs ? cta.run_service : service_of(cta, totals);
  cta.rate = service.rate;
  cta.queue = service.queue;
}

ServiceRate CountingSm::service_of(const Cta& cta, const StepTotals& totals) {
  const Cycle alone = totals.slack < totals.alone ? totals.alone - totals.slack : totals.alone;
  return service_rate(static_cast<double>(totals.busy), static_cast<double>(alone), cta.warps.size());
}

CountingSm::StepTotals CountingSm::step_apart(Cta& cta) {
  StepTotals totals;
  cta.ending = true;
  if (cta.apart > 0) --cta.apart;
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    WarpAhead& warp = cta.warps[w];
    if (warp.left() == 0) continue;
    const Segment& segment = warp.front();
    cta.ending = false;
    ++cta.steps[w];
    instructions_ += segment.length;
    Kind& kind = kind_of(segment, cta, w);
    ++kind.times;
    totals.add(kind.totals);
    count_lines(cta, segment, kind.totals);
    count_bulk(cta, segment, kind.totals);
    if (kind.totals.instructions[static_cast<std::size_t>(OpClass::cache_control)] != 0) l1_.invalidate();
    warp.take(1);
  }
  return totals;
}

// Do all warps that have not exited begin some equal steps?
bool CountingSm::begin_run(Cta& cta) {
  if (attribution_ != nullptr || cta.apart > 0) return false;
  std::uint32_t steps = ~0U;
  for (WarpAhead& warp : cta.warps) {
    const std::uint32_t left = warp.left();
    if (left == 0) continue;
    if (left < CtaRun::kFewest || warp.front().key == 0) return false;
    steps = std::min(steps, left);
  }
  if (steps == ~0U) return false;
  parts_.clear();
  cta.run_kinds.clear();
  cta.run_totals = {};
  cta.run_instructions = 0;
  bool plain = true;
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    WarpAhead& warp = cta.warps[w];
    if (warp.left() == 0) continue;
    const Segment& segment = warp.front();
    ++cta.steps[w];
    Kind& kind = kind_of(segment, cta, w);
    --cta.steps[w];
    plain = plain && kind.plain;
    parts_.push_back({&segment, warp.advance(), &kind.totals});
    cta.run_totals.add(kind.totals);
    cta.run_instructions += segment.length;
    if (cta.run_kinds.empty() || cta.run_kinds.back().first != &kind) cta.run_kinds.emplace_back(&kind, 0);
    ++cta.run_kinds.back().second;
  }
  if (!plain || !cta.run.begin(parts_, steps, costs_, shapes_)) {
    cta.apart = steps;
    return false;
  }
  cta.run_service = service_of(cta, cta.run_totals);
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    if (cta.warps[w].left() == 0) continue;
    cta.steps[w] += steps;
    cta.warps[w].take(steps);
  }
  return true;
}

CountingSm::StepTotals CountingSm::step_of_run(Cta& cta) {
  instructions_ += cta.run_instructions;
  for (const auto& [kind, times] : cta.run_kinds) kind->times += times;
  const CtaRun::Step step = cta.run.next(costs_, counters_);
  const RunShape::Phase& phase = *step.phase;
  std::uint32_t loads = 0;  // up to here
  const auto look_at = [&](const RunShape::Touch& touched) {
    if (touched.loads_before > loads) pass_over(cta, touched.loads_before - loads);
    touch(cta, step.line(phase.tracks[touched.track]), touched);
    loads = touched.loads_before + (is_load(touched.access) ? 1 : 0);
  };
  if (thin_shift_ == 0) {
    for (const RunShape::Touch& touched : phase.touches) look_at(touched);
    return cta.run_totals;
  }
  selected_.clear();
  std::size_t tracks = 0;
  for (std::size_t t = 0; t < phase.tracks.size(); ++t) {
    if (!keeps(step.line(phase.tracks[t]))) continue;
    const std::size_t end = t + 1 < phase.tracks.size() ? phase.tracks[t + 1].touches : phase.of_tracks.size();
    selected_.insert(selected_.end(), phase.of_tracks.begin() + phase.tracks[t].touches,
                     phase.of_tracks.begin() + static_cast<std::ptrdiff_t>(end));
    ++tracks;
  }
  if (tracks > 1) std::sort(selected_.begin(), selected_.end());
  for (const std::uint32_t i : selected_) look_at(phase.touches[i]);
  if (phase.loads > loads) pass_over(cta, phase.loads - loads);
  return cta.run_totals;
}

void CountingSm::loads_are_here(Cta& cta) {
  if (cta.slack < cta.alone) {
    cta.ready = std::max(cta.loaded, cta.began + cta.slack);
    cta.ends = 0;
  } else {
    cta.ends = cta.loaded;
    if (cta.ready == kNever) cta.ready = cta.ends;
  }
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
  const SegmentTotals totals = totals_of(whole, costs_, pipes_, gpu_);
  if (segment.key != 0) return kinds_[segment.key] = {totals, 0, CtaRun::plain(totals)};
  add_unkeyed();
  last_unkeyed_ = {totals, 0, false};
  return last_unkeyed_;
}

void CountingSm::add_unkeyed() {
  last_unkeyed_.totals.add_to(counters_, last_unkeyed_.times);
  if (attribution_ != nullptr) last_unkeyed_.totals.add_to(*attribution_, last_unkeyed_.times);
}

void CountingSm::deliver(const std::vector<MemoryReply>& replies) {
  for (const MemoryReply& reply : replies) {
    if (reply.fill == 0) continue;
    Cta& cta = *places_[reply.fill - 1];
    cta.loaded = std::max(cta.loaded, reply.ready);
    if (--cta.out > 0) continue;
    miss_latency_ += (cta.loaded - cta.began - miss_latency_) / 8;
    loads_are_here(cta);
  }
}

bool CountingSm::keeps(LineAddress line) const {
  return (mix_bits(line.number() ^ 0xA5A5A5A5A5ULL) & ((1ULL << thin_shift_) - 1)) == 0;
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
