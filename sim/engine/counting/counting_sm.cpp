#include "sim/engine/counting/counting_sm.h"

#include <algorithm>
#include <cmath>

namespace tilescope {

CountingSm::CountingSm(const GpuSpec& gpu, const Kernel& kernel, const AccessCosts& costs, const Occupancy& occupancy,
                       int id, const Grain& grain, RunShapes& shapes)
    : id_(id),
      kernel_(kernel),
      costs_(costs),
      shapes_(shapes),
      pipes_(gpu),
      gpu_(gpu),
      barrier_wavefronts_(gpu.lsu.barrier_wavefronts),
      lines_(AddressHash(gpu), grain.thin_shift),
      grain_(grain),
      l1_(gpu.l1, occupancy.l1_kib, grain.thin_shift),
      hit_latency_(gpu.l1.latency_cycles),
      miss_latency_(gpu.crossbar.request_cycles + gpu.l2.latency_cycles + gpu.crossbar.response_cycles),
      operands_(Operands::global),
      first_ctas_(static_cast<std::size_t>(occupancy.ctas_per_sm)),
      bulk_copies_(gpu.asynchronous, id),
      last_latency_(miss_latency_),
      line_cycles_(gpu.crossbar.read_request_cycles),
      store_latency_(miss_latency_) {
  for (std::int64_t slot = 0; slot < occupancy.ctas_per_sm; ++slot) {
    auto cta = std::make_unique<Cta>();
    const auto warps = static_cast<std::size_t>(occupancy.warps_per_cta);
    cta->warps.resize(warps);
    cta->steps.resize(warps);
    cta->place = static_cast<std::uint32_t>(places_.size());
    places_.push_back(cta.get());
    idle_.push_back(std::move(cta));
  }
  turns_.reserve(places_.size());
  first_turn_ = turns_.data();
}

void CountingSm::launch_cta(std::int64_t index, Cycle start) {
  std::unique_ptr<Cta> cta = std::move(idle_.back());
  idle_.pop_back();
  cta->cta = index;
  cta->start = std::max(start, reached_);
  cta->out = 0;
  cta->stores_out = 0;
  cta->stores_left = 0;
  cta->age = resident_.size();
  for (std::size_t w = 0; w < cta->warps.size(); ++w) {
    cta->warps[w].start(kernel_, index, static_cast<int>(w), operands_);
    cta->steps[w] = 0;
  }
  cta->run.stop();
  cta->apart = 0;
  turns_.push_back({.ready = cta->start});
  resident_.push_back(std::move(cta));
  shared_ = false;
}

Cycle CountingSm::next_event() const {
  Cycle next = kNever;
  for (const Turn& turn : turns_) {
    if (turn.ready <= reached_) return reached_;
    next = std::min(next, turn.ready);
  }
  return next;
}

void CountingSm::advance(Cycle until) {
  reached_ = until;
  while (clock_ < until && !resident_.empty()) {
    if (!shared_) share_out();
    if (next_change_ > until) return;  // nothing changes before: what is served by then is worked out when it does
    work(next_change_);
  }
  if (resident_.empty()) clock_ = until;
}

CountingSm::Phase CountingSm::phase_of(const Turn& turn) const {
  if (turn.ready > clock_) return Phase::away;
  if (turn.busy > 0) return Phase::served;
  if (turn.ends > clock_) return Phase::lagging;
  return turn.ending ? Phase::leaving : Phase::ready;
}

// Gives each CTA its share of the fullest resource, as it stays until one is done or comes back.
void CountingSm::share_out() {
  shared_ = true;
  done_ = false;
  next_return_ = kNever;
  sharing_.clear();
  double places = grain_.places;
  double wanted = 0;
  for (std::uint32_t i = 0; i < turns_.size(); ++i) {
    Turn& turn = turns_[i];
    turn.share = 0;
    if (turn.ready > clock_) {
      next_return_ = std::min(next_return_, turn.ready);
      continue;
    }
    if (turn.busy == 0) done_ = true;
    if (turn.rate <= 0 || (places <= 0 && !grain_.evenly)) continue;
    turn.held = std::min(turn.queue, places);
    places -= turn.held;
    turn.share = turn.rate;
    wanted += turn.rate;
    sharing_.push_back(i);
  }
  if (grain_.evenly)
    for (const std::uint32_t i : sharing_) turns_[i].share = even_share_.of(turns_[i].rate, turns_.size());
  else if (wanted > 1)
    share_by_age();
  next_change_ = next_change();
}

// What there is, by the places that they hold.
void CountingSm::share_by_age() {
  // Who can not use what its places would give leaves the rest to the others.
  double left = 1, held = 0;
  for (const std::uint32_t i : sharing_) {
    turns_[i].share = -1;
    held += turns_[i].held;
  }
  for (bool settled = false; !settled;) {
    settled = true;
    for (const std::uint32_t i : sharing_) {
      Turn& turn = turns_[i];
      if (turn.share >= 0 || turn.held * left < turn.rate * held) continue;
      turn.share = turn.rate;
      left -= turn.rate;
      held -= turn.held;
      settled = false;
    }
  }
  for (const std::uint32_t i : sharing_)
    if (turns_[i].share < 0) turns_[i].share = std::max(0.0, turns_[i].held * left / held);
}

// When the first of them is done or comes back.
Cycle CountingSm::next_change() const {
  if (done_) return clock_;
  Cycle change = next_return_;
  for (const std::uint32_t i : sharing_) {
    const Turn& turn = turns_[i];
    if (turn.busy < turn.share * static_cast<double>(change - clock_))
      change = clock_ + static_cast<Cycle>(std::ceil(turn.busy / turn.share));
  }
  return change;
}

// Lets them work until then; those that are done with their step take the next one.
void CountingSm::work(Cycle until) {
  const auto duration = static_cast<double>(until - clock_);
  clock_ = until;
  bool changes = done_ || next_return_ <= clock_;
  for (const std::uint32_t i : sharing_) {
    Turn& turn = turns_[i];
    if (turn.busy > 0) turn.there += std::min(duration, turn.busy / turn.share);
    turn.busy = std::max(0.0, turn.busy - turn.share * duration);
    changes = changes || turn.busy == 0;
  }
  if (changes)
    go_on();
  else  // rounding has left something
    next_change_ = next_change();
}

void CountingSm::go_on() {
  shared_ = false;
  for (std::size_t i = 0; i < resident_.size();) {
    Cta& cta = *resident_[i];
    const Phase phase = phase_of(turns_[i]);
    if (phase == Phase::leaving && may_leave(cta)) {
      ++counters_.ctas;
      first_ctas_.one_ends();
      finished_.push_back({cta.cta, cta.start, clock_, id_});
      idle_.push_back(std::move(resident_[i]));
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
      turns_.erase(turns_.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t k = i; k < resident_.size(); ++k) resident_[k]->age = k;
      continue;
    }
    if (phase == Phase::lagging) turns_[i].ready = turns_[i].ends;
    if (phase == Phase::ready) {
      note_step(turns_[i]);
      step(cta, clock_);
    }
    ++i;
  }
}

void CountingSm::note_step(const Turn& turn) {
  if (turn.needs > 0 && turn.rate > 0)
    even_share_.note(turn.needs, turn.rate, static_cast<double>(clock_ - turn.began) - turn.there);
}

// Has everything left the SM that it has stored? If not, it waits for that.
bool CountingSm::may_leave(const Cta& cta) {
  Turn& turn = turn_of(cta);
  if (cta.stores_out > 0)
    turn.ready = kNever;
  else if (cta.stores_left > clock_)
    turn.ready = cta.stores_left;
  return turn.ready <= clock_;
}

// A line has left the SM.
void CountingSm::stored(Cta& cta, Cycle left) {
  cta.stores_left = std::max(cta.stores_left, left);
  if (--cta.stores_out > 0) return;
  Turn& turn = turn_of(cta);
  if (!turn.ending || turn.ready < kNever || cta.out > 0) return;
  turn.ready = std::max(cta.stores_left, reached_);
  shared_ = false;
}

void CountingSm::StepTotals::add(const SegmentTotals& totals) {
  busy += totals.busy;
  alone = std::max(alone, totals.alone);
  if (totals.loads_lines) slack = std::min(slack, totals.slack);
}

void CountingSm::step(Cta& cta, Cycle now) {
  cta.began = cta.loaded = now;
  cta.looked_up = false;
  Turn& turn = turn_of(cta);
  turn.ending = false;
  turn.began = now;
  turn.there = 0;
  ++steps_;
  const bool runs = cta.run.left() > 0 || begin_run(cta);
  const StepTotals totals = runs ? step_of_run(cta) : step_apart(cta);
  cta.alone = totals.alone;
  cta.slack = totals.slack;
  // Lines that are not looked up are taken to do as the last one that was.
  if (!cta.looked_up && cta.slack < kNever) cta.loaded = now + last_latency_;
  turn.busy = turn.needs = static_cast<double>(totals.busy);
  if (cta.out > 0) {
    turn.ready = cta.slack < cta.alone ? kNever : now;
    turn.ends = kNever;
  } else {
    loads_are_here(cta);
  }
  const ServiceRate service = runs ? cta.run_service : service_of(cta, totals);
  turn.rate = service.rate;
  turn.queue = service.queue;
}

ServiceRate CountingSm::service_of(const Cta& cta, const StepTotals& totals) {
  const Cycle alone = totals.slack < totals.alone ? totals.alone - totals.slack : totals.alone;
  return service_rate(static_cast<double>(totals.busy), static_cast<double>(alone), cta.warps.size());
}

CountingSm::StepTotals CountingSm::step_apart(Cta& cta) {
  StepTotals totals;
  Turn& turn = turn_of(cta);
  turn.ending = true;
  if (cta.apart > 0) --cta.apart;
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    WarpAhead& warp = cta.warps[w];
    if (warp.left() == 0) continue;
    const Segment& segment = warp.front();
    turn.ending = false;
    ++cta.steps[w];
    instructions_ += segment.length;
    first_ctas_.add(cta.age, segment.length);
    Kind& kind = kind_of(segment, cta, w);
    ++kind.times;
    totals.add(kind.totals);
    open_lines_.clear();
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
  part_kinds_.clear();
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
    part_kinds_.push_back(&kind);
  }
  if (!plain || !cta.run.begin(parts_, steps, costs_, shapes_)) {
    cta.apart = steps;
    return false;
  }
  for (Kind* const kind : part_kinds_) kind->times += steps;
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
  first_ctas_.add(cta.age, cta.run_instructions);
  const RunShape::Phase& phase = cta.run.next(costs_, counters_);
  std::uint32_t loads = 0;  // up to here
  const auto look_at = [&](const RunShape::Touch& touched) {
    if (touched.loads_before > loads) pass_over(cta, touched.loads_before - loads);
    touch(cta, cta.run.line(phase.tracks[touched.track]), touched);
    loads = touched.loads_before + (is_load(touched.access) ? 1 : 0);
  };
  if (lines_.shift() == 0) {
    for (const RunShape::Touch& touched : phase.touches) look_at(touched);
    return cta.run_totals;
  }
  selected_.clear();
  std::size_t tracks = 0;
  cta.run.each_kept(
      phase, [this](LineAddress line) { return lines_.keeps(line); },
      [&](std::uint32_t t) {
        const std::size_t end = t + 1 < phase.tracks.size() ? phase.tracks[t + 1].touches : phase.of_tracks.size();
        selected_.insert(selected_.end(), phase.of_tracks.begin() + phase.tracks[t].touches,
                         phase.of_tracks.begin() + static_cast<std::ptrdiff_t>(end));
        ++tracks;
      });
  if (tracks > 1) std::sort(selected_.begin(), selected_.end());
  for (const std::uint32_t i : selected_) look_at(phase.touches[i]);
  if (phase.loads > loads) pass_over(cta, phase.loads - loads);
  return cta.run_totals;
}

void CountingSm::loads_are_here(Cta& cta) {
  Turn& turn = turn_of(cta);
  if (cta.slack < cta.alone) {
    turn.ready = std::max(cta.loaded, cta.began + cta.slack);
    turn.ends = 0;
  } else {
    turn.ends = cta.loaded;
    if (turn.ready == kNever) turn.ready = turn.ends;
  }
  shared_ = false;
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
    if (reply.fill > places_.size()) {
      stored(*places_[reply.fill - places_.size() - 1], reply.ready - store_latency_);
      continue;
    }
    Cta& cta = *places_[reply.fill - 1];
    cta.loaded = std::max(cta.loaded, reply.ready);
    if (--cta.out > 0) continue;
    miss_latency_ += (cta.loaded - cta.began - miss_latency_) / 8;
    loads_are_here(cta);
  }
}

SmCounters CountingSm::counters() const {
  SmCounters total = counters_;
  for (const auto& [key, kind] : kinds_) kind.totals.add_to(total, kind.times);
  last_unkeyed_.totals.add_to(total, last_unkeyed_.times);
  total.data_wavefronts += barrier_wavefronts_of(total);
  return total;
}

std::uint64_t CountingSm::barrier_wavefronts_of(const SmCounters& total) const {
  const std::uint64_t arrivals = total.instructions[static_cast<std::size_t>(OpClass::barrier)] +
                                 total.instructions[static_cast<std::size_t>(OpClass::partial_barrier)];
  const std::uint64_t barriers = arrivals / static_cast<std::uint64_t>(kernel_.launch().warps_per_cta());
  return barriers * static_cast<std::uint64_t>(barrier_wavefronts_);
}

void CountingSm::add_segments_to(Attribution& attribution) const {
  for (const auto& [key, kind] : kinds_) kind.totals.add_to(attribution, kind.times);
  last_unkeyed_.totals.add_to(attribution, last_unkeyed_.times);
}

}  // namespace tilescope
