#include "traces/sass/passed_values.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>

#include "models/support/diagnostic.h"
#include "traces/sass/limits.h"

namespace tilescope::sass {
namespace {

// CTAs that take turns have at most so many warps together: those of 144 SMs, 64 each.
constexpr std::int64_t kOpenWarps = 9216;

// CTAs may look for a change of memory in so many rounds of turns without one. Code that gives up waiting by itself
// looks less often.
constexpr std::size_t kIdleRounds = 128;

// A CTA that has begun.
struct Open {
  std::unique_ptr<CtaExecutor> executor;
  std::uint32_t turn = 1;
};

}  // namespace

void PassedValues::find(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
                        Resident& resident) {
  try {
    execute(program, patterns, memory, shared_bytes, resident);
  } catch (const DiagnosticsError& error) {
    give_up(error.diagnostics().front().message);
  } catch (const std::length_error& error) {  // of the pattern table
    give_up(error.what());
  }
}

void PassedValues::execute(const Program& program, PatternTable& patterns, DeviceMemory& memory,
                           std::size_t shared_bytes, Resident& resident) {
  const Limits& limits = program.launch.limits;
  const std::int64_t clusters = program.launch.grid.count() / program.launch.cluster.count();
  const std::int64_t warps = (program.launch.block.count() + kLanes - 1) / kLanes * program.launch.cluster.count();
  const auto most_open = static_cast<std::size_t>(std::max<std::int64_t>(1, kOpenWarps / warps));
  GridMemory grid;
  std::deque<Open> open, later;  // in this round of turns and in the next, by number
  std::vector<std::unique_ptr<CtaExecutor>> idle;
  std::size_t idle_turns = 0;  // in a row, in which no memory has changed and no CTA has begun or ended
  std::uint64_t left = limits.grid_instructions;
  for (std::int64_t next = 0; next < clusters || !open.empty() || !later.empty();) {
    Open one;
    if (next < clusters && open.size() + later.size() < most_open) {
      if (idle.empty())
        idle.push_back(std::make_unique<CtaExecutor>(program, patterns, memory, shared_bytes, false, resident, &grid));
      one.executor = std::move(idle.back());
      idle.pop_back();
      one.executor->start(next++);
    } else {
      if (open.empty()) open.swap(later);
      if (program.ctas_wait) {
        one = std::move(open.back());
        open.pop_back();
      } else {
        one = std::move(open.front());
        open.pop_front();
      }
      one.executor->next_turn();
      ++one.turn;
    }
    const std::uint64_t before = one.executor->executed();
    const auto reached = one.executor->run_turn({}, before + left);
    if (reached == CtaExecutor::Reached::limit)
      return give_up("they execute too much one after the other; " +
                     limit_met("grid_instructions", limits.grid_instructions));
    left -= one.executor->executed() - before;
    const std::size_t first = sectors_.size();
    const bool changed = grid.leave(memory, one.turn == 1, one.executor->written(), sectors_);
    keep(one.executor->cluster(), one.turn, {first, sectors_.size() - first});
    if (grid.bytes() + sectors_.size() * sizeof(MemorySector) > limits.passed_bytes)
      return give_up("they write over too much memory; " + limit_met("passed_bytes", limits.passed_bytes));
    idle_turns = changed || one.turn == 1 || reached == CtaExecutor::Reached::end ? 0 : idle_turns + 1;
    if (idle_turns > kIdleRounds * (open.size() + later.size() + 1))
      return give_up("they wait for what none of them writes");
    if (reached == CtaExecutor::Reached::end)
      idle.push_back(std::move(one.executor));
    else if (program.ctas_wait && one.turn > 1)
      later.push_front(std::move(one));
    else
      later.push_back(std::move(one));
  }
  sectors_.shrink_to_fit();
  found_ = true;
}

void PassedValues::keep(std::int64_t cluster, std::uint32_t turn, Range range) {
  if (range.count == 0) return;
  std::vector<Range>& turns = turns_of_[cluster];
  turns.resize(turn);
  turns.back() = range;
}

std::span<const MemorySector> PassedValues::of(std::int64_t cluster, std::uint32_t turn) const {
  const auto known = turns_of_.find(cluster);
  if (known == turns_of_.end() || turn > known->second.size()) return {};
  const Range range = known->second[turn - 1];
  return std::span(sectors_).subspan(range.first, range.count);
}

void PassedValues::give_up(const std::string& why) {
  sectors_ = {};
  turns_of_ = {};
  missing_ = "CTAs do not see what others write to global memory: " + why;
}

}  // namespace tilescope::sass
