#include "traces/kernels/loop_code.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace tilescope {

void StepAddresses::add(OpClass op, int role, int count) {
  for (int part = 0; part < count; ++part) accesses.push_back({op, {.role = role, .part = part}});
}

int StepAddresses::count(int role) const {
  return static_cast<int>(
      std::count_if(accesses.begin(), accesses.end(), [&](const NamedAccess& one) { return one.access.role == role; }));
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
  // An operand that moves along K, and its step in the section: it tells where a run of the section is.
  struct Guide {
    std::size_t operand = 0;
    OpClass op = OpClass::nop;
    std::int64_t step = 0;
  };
  struct Section {
    int index = 0;
    std::size_t operands = 0;
    std::vector<Guide> guides;
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
    const std::size_t begin = operand;
    const auto seen = [&](std::size_t at) {
      SeenOperand moved = run.operands[at];
      moved.base += static_cast<std::uint64_t>(time * run.advance[at]);
      return moved;
    };
    const auto [known, is_new] = section_of_.try_emplace(first);
    Section& section = known->second;
    if (is_new) {
      make_section(first, section, [&] { return seen(operand++); });
    } else {
      operand += section.operands;
    }
    for (const Guide& guide : section.guides) {
      const SeenOperand there = seen(begin + guide.operand);
      if (there.pattern->active != 0) return {section.index, name_of(guide.op, there).step - guide.step};
    }
    return {section.index, 0};
  }

  // `next`: the operands of its first run, one after the other.
  template <class Next>
  void make_section(std::uint32_t first, Section& section, const Next& next) {
    LoopSection made;
    const std::uint32_t end = *cuts_.upper_bound(first);
    made.first = first;
    made.code.assign(sample_.code.begin() + first, sample_.code.begin() + end);
    for (const Instruction& one : made.code)
      for (int n = memory_operands(one.op); n > 0; --n) {
        const Name name = name_of(one.op, next());
        if (name.moves) section.guides.push_back({made.accesses.size(), one.op, name.step});
        made.accesses.push_back(name.access);
      }
    section.index = static_cast<int>(result_.sections.size());
    section.operands = made.accesses.size();
    if (!section.guides.empty()) {
      std::int64_t lowest = section.guides.front().step, highest = lowest;
      for (const Guide& guide : section.guides)
        lowest = std::min(lowest, guide.step), highest = std::max(highest, guide.step);
      made.steps = highest - lowest + 1;
      for (Guide& guide : section.guides) {
        guide.step -= lowest;
        made.accesses[guide.operand].step = static_cast<int>(guide.step);
      }
    }
    result_.sections.push_back(std::move(made));
  }

  Name name_of(OpClass op, const SeenOperand& seen) const {
    if (seen.pattern->active == 0) return {{kNobody}, 0, false};
    for (const Known& known : known_) {
      if (known.named.op != op || !(known.pattern == *seen.pattern)) continue;
      const std::int64_t advance =
          known.buffer == kShared ? 0 : addresses_.advance[static_cast<std::size_t>(known.buffer)];
      const auto distance = static_cast<std::int64_t>(seen.base - known.base);
      if (advance == 0 && distance == 0) return {known.named.access, 0, false};
      if (advance == 0 || distance < 0 || distance % advance != 0 || distance / advance >= addresses_.steps) continue;
      return {known.named.access, distance / advance, true};
    }
    throw std::logic_error("the generator knows no operand of a compiled " + std::string(name(op)) + " at " +
                           std::to_string(seen.base) + " of " + std::to_string(seen.pattern->bytes) + " byte a lane");
  }

  const CompiledSample& sample_;
  const StepAddresses& addresses_;
  std::vector<Known> known_;
  std::set<std::uint32_t> cuts_;
  std::map<std::uint32_t, Section> section_of_;
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
