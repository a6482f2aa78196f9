#include "traces/kernels/ring.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

bool has(const LoopSection& section, OpClass op) {
  return std::any_of(section.code.begin(), section.code.end(), [op](const Instruction& one) { return one.op == op; });
}

// The part of a section from instruction `begin` to before `end`, of one step and one stage at most.
LoopSection slice(const LoopSection& of, std::size_t begin, std::size_t end) {
  LoopSection made;
  made.first = of.first + begin;
  made.code.assign(of.code.begin() + static_cast<std::ptrdiff_t>(begin),
                   of.code.begin() + static_cast<std::ptrdiff_t>(end));
  std::size_t operand = 0;
  for (std::size_t i = 0; i < end; ++i)
    for (int n = memory_operands(of.code[i].op); n > 0; --n, ++operand)
      if (i >= begin) made.accesses.push_back(of.accesses[operand]);
  made.steps = std::min<std::int64_t>(of.steps, 1);
  for (Access& access : made.accesses) access.step = access.turn = 0;
  return made;
}

// What the route of the compiled ring is made of; every list in the order in which a warp goes through it.
struct RingParts {
  std::vector<std::vector<LoopSection>> fills;  // of each stage but one: up to the end of its group
  std::vector<LoopSection> between;             // from there to the loop
  std::vector<LoopSection> step;                // of the loop, with copies
  std::vector<LoopSection> last;                // without, up to the last product
  std::vector<LoopSection> around;              // from there to the next step
  std::vector<LoopSection> behind;              // the loop
};

std::vector<LoopSection> part_of(const LoopCode& code, std::size_t begin, std::size_t end) {
  std::vector<LoopSection> made;
  for (std::size_t i = begin; i < end; ++i)
    made.push_back(code.sections[static_cast<std::size_t>(code.route[i].section)]);
  return made;
}

// The index behind the last section with products.
std::size_t behind_products(const std::vector<LoopSection>& all) {
  std::size_t end = all.size();
  while (end > 0 && !has(all[end - 1], OpClass::tensor)) --end;
  return end;
}

RingParts parts_of(const LoopCode& code) {
  std::vector<std::size_t> heads;  // where steps of the loop begin in the route
  std::size_t first_of_head = 0;
  for (std::size_t i = 0; i < code.route.size(); ++i) {
    const LoopSection& section = code.sections[static_cast<std::size_t>(code.route[i].section)];
    if (heads.empty() ? !has(section, OpClass::async_wait) : section.first != first_of_head) continue;
    first_of_head = section.first;
    heads.push_back(i);
  }
  if (heads.size() < 2) throw std::logic_error("a compiled ring goes through no loop");
  RingParts made;
  std::vector<LoopSection> fill;
  for (const LoopSection& section : part_of(code, 0, heads[0])) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < section.code.size(); ++i) {
      if (section.code[i].op != OpClass::async_commit) continue;
      fill.push_back(slice(section, begin, i + 1));
      made.fills.push_back(std::exchange(fill, {}));
      begin = i + 1;
    }
    if (begin < section.code.size()) fill.push_back(slice(section, begin, section.code.size()));
  }
  made.between = std::move(fill);
  made.step = part_of(code, heads[0], heads[1]);
  made.around.assign(made.step.begin() + static_cast<std::ptrdiff_t>(behind_products(made.step)), made.step.end());
  made.last = part_of(code, heads.back(), code.route.size());
  const auto end = made.last.begin() + static_cast<std::ptrdiff_t>(behind_products(made.last));
  made.behind.assign(end, made.last.end());
  made.last.erase(end, made.last.end());
  return made;
}

// Names every ring operand of a step by what it does: turn 0 reads the step's own stage, turn 1 fills another.
void name_by_use(std::vector<LoopSection>& step, bool fills) {
  for (LoopSection& section : step)
    for (Access& access : section.accesses) access.turn = fills && access.turn != 0 ? 1 : 0;
}

// Appends sections to a route, each once for every stage that it works on.
class RouteMaker {
 public:
  // `reads`, `fills`: stages; `first_step`: of what moves along K.
  void go(const std::vector<LoopSection>& sections, int reads, int fills, std::int64_t first_step) {
    for (const LoopSection& section : sections) {
      const auto [at, is_new] = known_.try_emplace({&section, reads}, static_cast<int>(made_.sections.size()));
      if (is_new)
        for (Access& access : made_.sections.emplace_back(section).accesses)
          access.turn = access.turn == 0 ? reads : fills;
      made_.route.push_back({.section = at->second, .repeats = 1, .first_step = first_step});
    }
  }
  LoopCode take() { return std::move(made_); }

 private:
  LoopCode made_;
  std::map<std::pair<const LoopSection*, int>, int> known_;
};

}  // namespace

LoopCode with_stages(const LoopCode& code, int from, int to, std::int64_t steps) {
  RingParts ring = parts_of(code);
  if (static_cast<int>(ring.fills.size()) != from - 1)
    throw std::logic_error("a compiled ring fills another number of stages in front of its loop");
  for (auto* loop : {&ring.step, &ring.last}) {
    name_by_use(*loop, loop == &ring.step);
    for (LoopSection& section : *loop)
      for (Instruction& one : section.code)
        if (one.op == OpClass::async_wait)
          one.detail = static_cast<std::uint16_t>(static_cast<unsigned>(to - 2) << 3U | one.counted_by());
  }
  // A group of no copies.
  const LoopSection& first_fill = ring.fills.front().back();
  const std::vector<LoopSection> empty{slice(first_fill, first_fill.code.size() - 1, first_fill.code.size())};

  RouteMaker route;
  for (int stage = 0; stage < to - 1; ++stage) {
    const auto like = std::min<std::size_t>(static_cast<std::size_t>(stage), ring.fills.size() - 1);
    route.go(stage < steps ? ring.fills[like] : empty, stage, stage, stage);
  }
  route.go(ring.between, 0, 0, 0);
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto reads = static_cast<int>(i % to), fills = static_cast<int>((i + to - 1) % to);
    if (i + to - 1 < steps) {
      route.go(ring.step, reads, fills, i + to - 1);
      continue;
    }
    route.go(ring.last, reads, fills, 0);
    if (i + 1 < steps) route.go(ring.around, reads, fills, 0);
  }
  route.go(ring.behind, 0, 0, 0);
  LoopCode made = route.take();
  made.idle = code.idle;
  made.registers_per_thread = code.registers_per_thread;
  return made;
}

}  // namespace tilescope
