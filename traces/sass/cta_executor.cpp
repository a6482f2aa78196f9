#include "traces/sass/cta_executor.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "models/support/diagnostic.h"
#include "traces/sass/limits.h"
#include "traces/sass/passed_values.h"

namespace tilescope::sass {
namespace {

// Waiting at mbarriers may be given up so often in a row without any of them having changed.
constexpr std::uint32_t kMostGivenUp = 64;

}  // namespace

CtaExecutor::CtaExecutor(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
                         bool write_through, Resident& resident, GridMemory* before)
    : program_(program),
      resident_(resident),
      memory_(memory, shared_bytes, write_through, resident.pages, program.launch.limits.written_bytes, before,
              static_cast<std::size_t>(program.launch.cluster.count())),
      barriers_(memory_.ctas()),
      warps_per_cta_(static_cast<std::size_t>((program.launch.block.count() + kLanes - 1) / kLanes)),
      first_in_turns_(before != nullptr) {
  if (program.with_products) memory_.pass_on_unknown();
  if (program.keeps_stored) memory_.keep_stored();
  for (std::size_t rank = 0; rank < memory_.ctas(); ++rank)
    for (std::size_t w = 0; w < warps_per_cta_; ++w) {
      Warp& warp = warps_.emplace_back();
      warp.executor = std::make_unique<WarpExecutor>(program, patterns);
      warp.rank = rank;
    }
}

void CtaExecutor::stop(const Warp& warp, const std::string& why) const {
  const std::size_t at = std::min<std::size_t>(warp.executor->place(), program_.sources.size() - 1);
  const InstructionSource& source = program_.sources[warp.waits && at > 0 ? at - 1 : at];
  throw DiagnosticsError(
      {{program_.listing, static_cast<int>(source.listing_line), program_.columns[source.index],
        in_quotes(source.text) + ": in CTA " +
            std::to_string(cta_at(program_.launch, cluster_, static_cast<std::int64_t>(warp.rank))) + ", warp " +
            std::to_string(static_cast<std::size_t>(&warp - warps_.data()) % warps_per_cta_) + ": " + why}});
}

void CtaExecutor::stop_at_barrier() const {
  for (const Warp& warp : warps_)
    if (warp.polls)
      stop(warp,
           "deadlock: it waits for a phase of an mbarrier that never ends: arrivals or bytes that it expects do "
           "not come");
  for (const Warp& warp : warps_)
    if (warp.at_cluster_barrier) stop(warp, "the warps of the cluster wait at a barrier that can not fill");
  const auto waiting = std::find_if(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.waits; });
  stop(waiting == warps_.end() ? warps_.front() : *waiting, "the warps of the CTA wait at barriers that can not fill");
}

void CtaExecutor::start(std::int64_t cluster, const PassedValues* passed) {
  cluster_ = cluster;
  executed_ = 0;
  furthest_ = 0;
  resident_.runs -= kept_;
  kept_ = 0;
  barriers_.assign(barriers_.size(), {});
  cluster_phase_ = 1;
  barrier_changes_ = memory_.barrier_changes = 0;
  given_up_ = 0;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.executor->start(cta_at(program_.launch, cluster, static_cast<std::int64_t>(warp.rank)),
                         static_cast<int>(w % warps_per_cta_), &memory_);
    warp.runs.clear();
    warp.operands.clear();
    warp.asynchronous.clear();
    warp.waits = warp.polls = warp.at_cluster_barrier = false;
    warp.arrived = 0;
  }
  passed_ = passed;
  turn_ = 0;
  lay_over(true);
  if (first_in_turns_ || (passed != nullptr && passed->takes_turns())) begin_turn();
}

void CtaExecutor::begin_turn() {
  ++turn_;
  for (Warp& warp : warps_) {
    warp.holds = false;
    warp.executor->begin_turn(turn_);
  }
}

void CtaExecutor::next_turn() {
  begin_turn();
  lay_over(false);
}

void CtaExecutor::lay_over(bool first_turn) {
  const auto over =
      passed_ != nullptr ? passed_->of(cluster_, first_turn ? 1 : turn_) : std::span<const MemorySector>();
  try {
    first_turn ? memory_.clear(over) : memory_.next_turn(over);
  } catch (const std::runtime_error& error) {
    stop(warps_.front(), error.what());
  }
}

bool CtaExecutor::holds() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.holds; });
}

std::uint32_t CtaExecutor::threads_alive(std::size_t rank) const {
  std::uint32_t threads = 0;
  for (std::size_t w = rank * warps_per_cta_; w < (rank + 1) * warps_per_cta_; ++w)
    threads += warps_[w].executor->done() ? 0 : kLanes;
  return threads;
}

bool CtaExecutor::alive() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return !warp.executor->done(); });
}

void CtaExecutor::arrive(Warp& warp, const WarpRun& run) {
  if (run.end == WarpRun::End::cluster_arrive) {
    warp.arrived = cluster_phase_;
    return;
  }
  if (run.end == WarpRun::End::cluster_wait) {
    warp.waits = warp.at_cluster_barrier = warp.arrived == cluster_phase_;
    return;
  }
  Barrier& barrier = barriers_[warp.rank][run.barrier];
  barrier.arrived += kLanes;
  barrier.expected = run.barrier_threads;
  barrier.votes += static_cast<std::uint32_t>(std::popcount(run.barrier_votes));
  barrier.voters += static_cast<std::uint32_t>(std::popcount(run.barrier_lanes));
  barrier.kind = run.barrier_kind;
  if (run.end == WarpRun::End::arrive) return;
  warp.waits = true;
  warp.barrier = run.barrier;
}

void CtaExecutor::release_full_barriers() {
  for (std::uint32_t place = 0; place < kBarriers * barriers_.size(); ++place) {
    const std::size_t rank = place / kBarriers;
    const std::uint32_t b = place % kBarriers;
    Barrier& barrier = barriers_[rank][b];
    if (barrier.arrived == 0) continue;
    const std::uint32_t expected =
        barrier.expected != 0 ? (barrier.expected + kLanes - 1) / kLanes * kLanes : threads_alive(rank);
    if (barrier.arrived == 0 || barrier.arrived < expected) continue;
    const bool all = barrier.votes == barrier.voters, any = barrier.votes != 0;
    const std::uint32_t result = barrier.kind == 1 ? barrier.votes : barrier.kind == 2 ? (all ? 1 : 0) : any ? 1 : 0;
    for (Warp& warp : warps_) {
      if (!warp.waits || warp.at_cluster_barrier || warp.barrier != b || warp.rank != rank) continue;
      warp.waits = false;
      if (barrier.kind != 0) warp.executor->set_barrier_result(result);
    }
    barrier = {};
  }
}

// Complete when every warp of the cluster has arrived or ended.
void CtaExecutor::release_cluster_barrier() {
  const auto missing = [this](const Warp& warp) { return !warp.executor->done() && warp.arrived != cluster_phase_; };
  const auto arrived = [this](const Warp& warp) { return warp.arrived == cluster_phase_; };
  if (std::any_of(warps_.begin(), warps_.end(), missing) || std::none_of(warps_.begin(), warps_.end(), arrived)) return;
  ++cluster_phase_;
  for (Warp& warp : warps_)
    if (warp.at_cluster_barrier) warp.waits = warp.at_cluster_barrier = false;
}

// Nobody can go on: what tests an mbarrier finds that its phase has not ended. False when that has led nowhere.
bool CtaExecutor::give_up_waiting() {
  given_up_ = memory_.barrier_changes == barrier_changes_ ? given_up_ + 1 : 0;
  barrier_changes_ = memory_.barrier_changes;
  if (given_up_ > kMostGivenUp) return false;
  bool any = false;
  for (Warp& warp : warps_) {
    if (!warp.polls) continue;
    warp.executor->give_up_waiting();
    any = true;
  }
  return any;
}

void CtaExecutor::count(const Warp& warp, std::uint64_t executed, std::uint64_t kept) {
  const Limits& limits = program_.launch.limits;
  executed_ += executed;
  kept_ += kept;
  furthest_ = std::max(furthest_.load(), warp.executor->executed());
  if (executed_ > limits.cta_instructions)
    stop(warp, "the CTA does not end; " + limit_met("cta_instructions", limits.cta_instructions));
  if ((resident_.runs += kept) > limits.kept_runs)
    stop(warp, "too many runs of resident CTAs are to be kept; " + limit_met("kept_runs", limits.kept_runs));
}

// One turn of every warp that can run; false when none could.
bool CtaExecutor::round() {
  bool ran = false;
  for (Warp& warp : warps_) {
    if (warp.waits || warp.holds || warp.executor->done()) continue;
    memory_.select(warp.rank);
    std::uint64_t executed = 0;
    const std::size_t kept = warp.runs.size();
    warp.polls = false;
    while (!warp.waits && !warp.holds && !warp.executor->done() && executed < kTurn) {
      const WarpRun run = warp.executor->next(true);
      warp.holds = run.end == WarpRun::End::again;
      warp.polls = run.end == WarpRun::End::polls;
      if (run.length == 0) break;
      ran = true;
      executed += run.length;
      if (record_)
        warp.runs.push_back(
            {run, warp.operands.put(warp.executor->operands()), warp.asynchronous.put(warp.executor->asynchronous())});
      if (visit_ != nullptr && *visit_) (*visit_)(run, warp.executor->operands());
      if (run.end >= WarpRun::End::cluster_arrive || run.end == WarpRun::End::barrier ||
          run.end == WarpRun::End::arrive)
        arrive(warp, run);
      if (warp.polls) break;
    }
    count(warp, executed, warp.runs.size() - kept);
  }
  release_full_barriers();
  release_cluster_barrier();
  return ran;
}

bool CtaExecutor::run_of(std::int64_t rank, int index, std::size_t which, Recorded& recorded) {
  const std::scoped_lock lock(mutex_);
  Warp& warp = warps_[static_cast<std::size_t>(rank) * warps_per_cta_ + static_cast<std::size_t>(index)];
  while (which >= warp.runs.size()) {
    if (warp.executor->done()) return false;
    if (round()) continue;
    if (holds())
      next_turn();
    else if (!give_up_waiting() && (warp.waits || warp.polls))
      stop_at_barrier();
  }
  recorded = warp.runs[which];
  return true;
}

void CtaExecutor::run_to_end(const Visit& visit) {
  while (run_turn(visit, ~std::uint64_t{0}) == Reached::turn) next_turn();
}

CtaExecutor::Reached CtaExecutor::run_turn(const Visit& visit, std::uint64_t most) {
  record_ = false;
  visit_ = &visit;
  while (alive()) {
    if (executed_ > most) return Reached::limit;
    if (round() || !alive()) continue;
    if (holds()) return Reached::turn;
    if (give_up_waiting()) continue;
    bool waits = true;
    for (const Warp& warp : warps_) waits = waits && (warp.waits || warp.polls || warp.executor->done());
    if (waits) stop_at_barrier();
  }
  return executed_ > most ? Reached::limit : Reached::end;
}

}  // namespace tilescope::sass
