#include "traces/kernels/loop_code.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace tilescope {

int StepAddresses::count(int role) const {
  return static_cast<int>(std::count_if(accesses.begin(), accesses.end(),
                                        [&](const NamedAccess& one) { return one.access.role == role; }));
}

bool StepAddresses::moves(int role) const {
  for (const NamedAccess& one : accesses) {
    if (one.access.role != role) continue;
    const int buffer = lanes(one.access, 0).buffer;
    return buffer != kShared && advance[static_cast<std::size_t>(buffer)] != 0;
  }
  return false;
}

namespace {

class Cutter {
 public:
  Cutter(const CompiledSample& sample, const StepAddresses& addresses) : sample_(sample), addresses_(addresses) {}

  void cut_at(const std::vector<WalkedRun>& walk) {
    for (const WalkedRun& run : walk) {
      cuts_.insert(run.first);
      cuts_.insert(run.first + run.length);
    }
  }

  std::vector<RouteRun> route(const WarpWalk& walk) {
    know_addresses(walk.warp);
    std::vector<RouteRun> route;
    for (const WalkedRun& run : walk.runs) {
      std::vector<std::uint32_t> firsts;
      for (auto cut = cuts_.find(run.first); *cut < run.first + run.length; ++cut) firsts.push_back(*cut);
      // A run that is cut, or whose addresses do not move by whole steps, is taken apart.
      for (std::int64_t time = 0; time < run.repeats; ++time) {
        std::size_t operand = 0;
        for (const std::uint32_t first : firsts) {
          const auto [section, step] = section_at(first, run, operand, time);
          const std::int64_t steps = result_.sections[static_cast<std::size_t>(section)].steps;
          const bool alone = firsts.size() == 1;
          const std::int64_t repeats = alone ? run.repeats : 1;
          RouteRun* last = route.empty() ? nullptr : &route.back();
          if (last != nullptr && last->section == section && last->first_step + last->repeats * steps == step)
            last->repeats += repeats;
          else
            route.push_back({section, repeats, step});
          if (alone) time = run.repeats;
        }
      }
    }
    return route;
  }

  LoopCode take() { return std::move(result_); }
  LoopCode& result() { return result_; }

 private:
  struct Known {
    NamedAccess named;
    int buffer;
    std::uint64_t base;
    LanePattern pattern;
  };
  struct Name {
    Access access;
    std::int64_t step = 0;
    bool moves = false;
  };

  void know_addresses(int warp) {
    known_.clear();
    for (const NamedAccess& one : addresses_.accesses) {
      const LaneAddresses lanes = addresses_.lanes(one.access, warp);
      if (lanes.active == 0) continue;
      std::array<std::uint64_t, kLanes> address{};
      const bool shared = lanes.buffer == kShared;
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        address[lane] = (shared ? 0 : addresses_.base[static_cast<std::size_t>(lanes.buffer)]) +
                        static_cast<std::uint64_t>(lanes.offset[lane]);
      const BasedPattern made = make_pattern(address, lanes.active, lanes.bytes);
      known_.push_back({one, lanes.buffer, made.base, made.pattern});
    }
  }

  // The section that begins at `first`, and the step of K at which this run of it begins. `operand`: its first in the
  // run, then the one behind its last.
  std::pair<int, std::int64_t> section_at(std::uint32_t first, const WalkedRun& run, std::size_t& operand,
                                          std::int64_t time) {
    const std::uint32_t end = *cuts_.upper_bound(first);
    std::vector<Name> names;
    std::int64_t lowest = -1, highest = -1;
    for (std::uint32_t i = first; i < end; ++i)
      for (int n = memory_operands(sample_.code[i].op); n > 0; --n, ++operand) {
        SeenOperand seen = run.operands[operand];
        seen.base += static_cast<std::uint64_t>(time * run.advance[operand]);
        names.push_back(name_of(sample_.code[i].op, seen));
        if (!names.back().moves) continue;
        lowest = lowest < 0 ? names.back().step : std::min(lowest, names.back().step);
        highest = std::max(highest, names.back().step);
      }
    const auto [known, is_new] = section_of_.try_emplace(first, static_cast<int>(result_.sections.size()));
    const int section = known->second;
    if (is_new) {
      LoopSection made;
      made.first = first;
      made.code.assign(sample_.code.begin() + first, sample_.code.begin() + end);
      made.steps = lowest < 0 ? 0 : highest - lowest + 1;
      for (const Name& name : names) {
        made.accesses.push_back(name.access);
        if (name.moves) made.accesses.back().step = static_cast<int>(name.step - lowest);
      }
      result_.sections.push_back(std::move(made));
    }
    return {section, lowest < 0 ? 0 : lowest};
  }

  Name name_of(OpClass op, const SeenOperand& seen) const {
    if (seen.pattern.active == 0) return {{kNobody}, 0, false};
    for (const Known& known : known_) {
      if (known.named.op != op || !(known.pattern == seen.pattern)) continue;
      const std::int64_t advance =
          known.buffer == kShared ? 0 : addresses_.advance[static_cast<std::size_t>(known.buffer)];
      const auto distance = static_cast<std::int64_t>(seen.base - known.base);
      if (advance == 0 && distance == 0) return {known.named.access, 0, false};
      if (advance == 0 || distance < 0 || distance % advance != 0 || distance / advance >= addresses_.steps) continue;
      return {known.named.access, distance / advance, true};
    }
    throw std::logic_error("the generator knows no operand of a compiled " + std::string(name(op)) + " at " +
                           std::to_string(seen.base) + " of " + std::to_string(seen.pattern.bytes) + " byte a lane");
  }

  const CompiledSample& sample_;
  const StepAddresses& addresses_;
  std::vector<Known> known_;
  std::set<std::uint32_t> cuts_;
  std::map<std::uint32_t, int> section_of_;
  LoopCode result_;
};

}  // namespace

LoopCode loop_code(const CompiledSample& sample, const WarpWalk& busy, const WarpWalk& idle,
                   const StepAddresses& addresses) {
  Cutter cutter(sample, addresses);
  cutter.cut_at(busy.runs);
  cutter.cut_at(idle.runs);
  cutter.result().route = cutter.route(busy);
  cutter.result().idle = cutter.route(idle);
  cutter.result().registers_per_thread = sample.registers_per_thread;
  return cutter.take();
}

}  // namespace tilescope
