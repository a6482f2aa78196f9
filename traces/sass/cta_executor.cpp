#include "traces/sass/cta_executor.h"

#include <bit>
#include <stdexcept>
#include <string>

namespace tilescope::sass {

CtaExecutor::CtaExecutor(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
                         bool write_through)
    : memory_(memory, shared_bytes, write_through) {
  const auto warps = static_cast<std::size_t>((program.launch.block.count() + kLanes - 1) / kLanes);
  for (std::size_t w = 0; w < warps; ++w)
    warps_.push_back({.executor = std::make_unique<WarpExecutor>(program, patterns), .runs = {}, .operands = {}});
}

void CtaExecutor::start(std::int64_t cta) {
  cta_ = cta;
  memory_.clear();
  barriers_ = {};
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.executor->start(cta, static_cast<int>(w), &memory_);
    warp.runs.clear();
    warp.operands.clear();
    warp.waits = false;
  }
}

std::uint32_t CtaExecutor::threads_alive() const {
  std::uint32_t threads = 0;
  for (const Warp& warp : warps_) threads += warp.executor->done() ? 0 : kLanes;
  return threads;
}

void CtaExecutor::arrive(Warp& warp, const WarpRun& run) {
  Barrier& barrier = barriers_[run.barrier];
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
  for (std::uint32_t b = 0; b < kBarriers; ++b) {
    Barrier& barrier = barriers_[b];
    const std::uint32_t expected =
        barrier.expected != 0 ? (barrier.expected + kLanes - 1) / kLanes * kLanes : threads_alive();
    if (barrier.arrived == 0 || barrier.arrived < expected) continue;
    const bool all = barrier.votes == barrier.voters, any = barrier.votes != 0;
    const std::uint32_t result = barrier.kind == 1 ? barrier.votes : barrier.kind == 2 ? (all ? 1 : 0) : any ? 1 : 0;
    for (Warp& warp : warps_) {
      if (!warp.waits || warp.barrier != b) continue;
      warp.waits = false;
      if (barrier.kind != 0) warp.executor->set_barrier_result(result);
    }
    barrier = {};
  }
}

// One turn of every warp that can run; false when none could.
bool CtaExecutor::round() {
  bool ran = false;
  for (Warp& warp : warps_) {
    std::uint64_t executed = 0;
    while (!warp.waits && !warp.executor->done() && executed < kTurn) {
      const WarpRun run = warp.executor->next(true);
      ran = true;
      executed += run.length;
      if (record_) warp.runs.push_back({run, warp.operands.put(warp.executor->operands())});
      if (run.end == WarpRun::End::barrier || run.end == WarpRun::End::arrive) arrive(warp, run);
    }
  }
  release_full_barriers();
  return ran;
}

bool CtaExecutor::run_of(int index, std::size_t which, Recorded& recorded) {
  const std::scoped_lock lock(mutex_);
  Warp& warp = warps_[static_cast<std::size_t>(index)];
  while (which >= warp.runs.size()) {
    if (warp.executor->done()) return false;
    if (!round() && warp.waits)
      throw std::runtime_error("CTA " + std::to_string(cta_) + ": its warps wait at barriers that can not fill");
  }
  recorded = warp.runs[which];
  return true;
}

void CtaExecutor::run_to_end() {
  record_ = false;
  while (threads_alive() != 0) {
    if (!round() && threads_alive() != 0) {
      bool waits = true;
      for (const Warp& warp : warps_) waits = waits && (warp.waits || warp.executor->done());
      if (waits)
        throw std::runtime_error("CTA " + std::to_string(cta_) + ": its warps wait at barriers that can not fill");
    }
  }
}

}  // namespace tilescope::sass
