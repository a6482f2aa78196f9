#include "traces/kernels/loop_code.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

namespace tilescope {

void StepAddresses::add(OpClass op, int role, int count, int turns) {
  for (int turn = 0; turn < turns; ++turn)
    for (int part = 0; part < count; ++part) {
      NamedAccess& one = accesses.emplace_back();
      one.op = op;
      one.access.role = role;
      one.access.part = part;
      one.access.turn = turn;
    }
}

int StepAddresses::count(int role) const {
  return static_cast<int>(std::count_if(accesses.begin(), accesses.end(), [&](const NamedAccess& one) {
    return one.access.role == role && one.access.turn == 0;
  }));
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
    seen_.clear();
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
          route.back().joined = first != firsts.back();
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
  // Where a section of the walk lies, and what told it from others at its place.
  struct Seen {
    std::vector<SeenOperand> operands;
    int section = 0;
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
    const std::span code = code_at(first);
    std::vector<SeenOperand> operands;
    for (const Instruction& one : code)
      for (int n = memory_operands(one.op); n > 0; --n, ++operand) {
        operands.push_back(run.operands[operand]);
        operands.back().base += static_cast<std::uint64_t>(time * run.advance[operand]);
      }
    // Names are worked out when something is there that does not move along K and was not seen before.
    for (const Seen& seen : seen_[first])
      if (differs_along_k_alone(seen, operands)) return {seen.section, step_of(seen.section, code, operands)};
    const std::vector<Name> names = names_of(code, operands);
    std::vector<int>& there = sections_at_[first];
    std::optional<std::int64_t> step;
    auto section = std::find_if(there.begin(), there.end(), [&](int one) {
      return active_as_seen(first, one, operands) && (step = adopted(one, names));
    });
    if (section == there.end()) {
      there.push_back(make_section(first, code, names));
      section = std::prev(there.end());
      step = adopted(*section, names);
    }
    seen_[first].push_back({std::move(operands), *section});
    return {*section, *step};
  }

  // A guard tells warps apart, which share a section, or one warp's steps, which do not.
  bool active_as_seen(std::uint32_t first, int section, const std::vector<SeenOperand>& operands) const {
    const auto at = seen_.find(first);
    return at == seen_.end() || std::all_of(at->second.begin(), at->second.end(), [&](const Seen& seen) {
             return seen.section != section || std::equal(operands.begin(), operands.end(), seen.operands.begin(),
                                                          [](const auto& a, const auto& b) {
                                                            return (a.pattern->active == 0) == (b.pattern->active == 0);
                                                          });
           });
  }

  std::span<const Instruction> code_at(std::uint32_t first) const {
    return std::span(sample_.code).subspan(first, *cuts_.upper_bound(first) - first);
  }

  std::vector<Name> names_of(std::span<const Instruction> code, const std::vector<SeenOperand>& operands) const {
    std::vector<Name> names;
    for (const Instruction& one : code)
      for (int n = memory_operands(one.op); n > 0; --n) names.push_back(name_of(one.op, operands[names.size()]));
    return names;
  }

  bool differs_along_k_alone(const Seen& seen, const std::vector<SeenOperand>& operands) const {
    const std::vector<bool>& moves = moves_[static_cast<std::size_t>(seen.section)];
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].pattern != seen.operands[i].pattern || (!moves[i] && operands[i].base != seen.operands[i].base))
        return false;
    return true;
  }

  // At which step of K a run of a section begins, by its first operand that moves along K; 0 without any.
  std::int64_t step_of(int section, std::span<const Instruction> code, const std::vector<SeenOperand>& operands) const {
    const std::vector<bool>& moves = moves_[static_cast<std::size_t>(section)];
    const std::vector<Access>& accesses = result_.sections[static_cast<std::size_t>(section)].accesses;
    std::size_t operand = 0;
    for (const Instruction& one : code)
      for (int n = memory_operands(one.op); n > 0; --n, ++operand)
        if (moves[operand] && operands[operand].pattern->active != 0)
          return name_of(one.op, operands[operand]).step - accesses[operand].step;
    return 0;
  }

  // The same, where `names` can be those of the section's operands. Those which nobody has had so far get theirs.
  std::optional<std::int64_t> adopted(int index, const std::vector<Name>& names) {
    LoopSection& section = result_.sections[static_cast<std::size_t>(index)];
    std::vector<bool>& moves = moves_[static_cast<std::size_t>(index)];
    std::optional<std::int64_t> begin;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Access &known = section.accesses[i], &here = names[i].access;
      if (known.role == kNobody || here.role == kNobody) continue;
      if (known.role != here.role || known.part != here.part || known.turn != here.turn) return {};
      if (!moves[i]) continue;
      if (begin && *begin != names[i].step - known.step) return {};
      begin = names[i].step - known.step;
    }
    // Without an operand that both know, the first step of these is that of the section.
    if (!begin)
      for (const Name& name : names)
        if (name.moves) begin = std::min(begin.value_or(name.step), name.step);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (section.accesses[i].role != kNobody || names[i].access.role == kNobody) continue;
      section.accesses[i] = names[i].access;
      if (!names[i].moves) continue;
      const std::int64_t step = names[i].step - *begin;
      if (step < 0 || step >= section.steps) throw std::logic_error("warps go along K in steps of their own");
      section.accesses[i].step = static_cast<int>(step);
      moves[i] = true;
    }
    return begin.value_or(0);
  }

  int make_section(std::uint32_t first, std::span<const Instruction> code, const std::vector<Name>& names) {
    LoopSection made;
    made.first = first;
    made.code.assign(code.begin(), code.end());
    std::vector<bool> moves;
    std::int64_t lowest = 0, highest = -1;
    for (const Name& name : names) {
      moves.push_back(name.moves);
      made.accesses.push_back(name.access);
      if (!name.moves) continue;
      lowest = highest < 0 ? name.step : std::min(lowest, name.step);
      highest = std::max(highest, name.step);
    }
    made.steps = highest - lowest + 1;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].moves) made.accesses[i].step = static_cast<int>(names[i].step - lowest);
    result_.sections.push_back(std::move(made));
    moves_.push_back(std::move(moves));
    return static_cast<int>(result_.sections.size()) - 1;
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
  std::map<std::uint32_t, std::vector<int>> sections_at_;
  std::map<std::uint32_t, std::vector<Seen>> seen_;  // in the walk that is followed
  std::vector<std::vector<bool>> moves_;             // along K: of each section's operands
  LoopCode result_;
};

}  // namespace

LoopCode loop_code(const CompiledSample& sample, const std::vector<WarpWalk>& busy, const WarpWalk& idle,
                   const StepAddresses& addresses) {
  Cutter cutter(sample, addresses);
  for (const WarpWalk& walk : busy) cutter.cut_at(walk.runs);
  cutter.cut_at(idle.runs);
  cutter.result().route = cutter.route(busy.front());
  for (std::size_t i = 1; i < busy.size(); ++i)
    if (cutter.route(busy[i]) != cutter.result().route)
      throw std::logic_error("warps with work take different routes through a compiled function");
  cutter.result().idle = cutter.route(idle);
  cutter.result().registers_per_thread = sample.registers_per_thread;
  return cutter.take();
}

}  // namespace tilescope
