#include "sim/engine/counting/cta_run.h"

#include <algorithm>

namespace tilescope {

bool CtaRun::plain(const SegmentTotals& totals) {
  return totals.instructions[static_cast<std::size_t>(OpClass::cache_control)] == 0 &&
         std::all_of(totals.lines.begin(), totals.lines.end(),
                     [](const LineAccess& line) { return !is_atomic(line.access) && !is_local(line.access); });
}

std::uint32_t CtaRun::group_of(std::uint64_t base, std::int64_t advance) {
  for (std::uint32_t g = 0; g < accesses_.groups.size(); ++g)
    if (accesses_.groups[g].advance == advance) return g;
  accesses_.groups.push_back({advance, base % static_cast<std::uint64_t>(kLineBytes)});
  const auto group = static_cast<std::uint32_t>(accesses_.groups.size()) - 1;
  if (groups_.size() <= group) groups_.emplace_back();
  groups_[group].base = base;
  return group;
}

bool CtaRun::begin(const std::vector<Part>& parts, std::uint32_t steps, const AccessCosts& costs, RunShapes& shapes) {
  accesses_.all.clear();
  accesses_.groups.clear();
  for (const Part& part : parts) {
    for (const LineAccess& line : part.totals->lines) {
      const Instruction& instruction = part.segment->code[line.position];
      const MemoryOperand& operand = part.segment->operands[line.operand];
      if (costs.shifted(instruction, &operand)) return false;  // a run knows the global side of a copy only
      RunAccess access{operand.pattern, line.access, instruction.cached != 0, instruction.whole_line(), false, 0, 0,
                       line.when};
      if (operand.pattern == 0) {
        access.turn = (line.first && on_no_lane(instruction.op, &operand)) || memory_operands(instruction.op) == 2;
      } else {
        access.group = group_of(operand.base, part.advance[line.operand]);
        access.beyond = operand.base - groups_[access.group].base;
      }
      accesses_.all.push_back(access);
    }
  }
  if (shape_ == nullptr || shape_->accesses() != accesses_ || 2 * shape_->phases().size() > steps) {
    const RunShape* const shape = shapes.shape_of(accesses_, steps, costs);
    if (shape == nullptr) return false;
    shape_ = shape;
  }
  groups_.resize(accesses_.groups.size());
  for (Group& group : groups_) group.line = ~0ULL;
  phase_ = 0;
  left_ = steps;
  return true;
}

const RunShape::Phase& CtaRun::next(const AccessCosts& costs, WorkCounters& counters) {
  const RunShape::Phase& phase = shape_->phases()[phase_];
  phase_ = phase_ + 1 == shape_->phases().size() ? 0 : phase_ + 1;
  --left_;
  counters.data_wavefronts += phase.data_wavefronts;
  counters.tag_cycles += phase.tag_cycles;
  for (const RunShape::Sum& sum : phase.sums) {
    counters.of(sum.access).requests += sum.requests;
    counters.of(sum.access).sectors += sum.sectors;
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& own = groups_[g];
    const RunShape::Group& group = phase.groups[g];
    const std::uint64_t line = LineAddress::of(own.base).number();
    own.moved = line != own.line;
    own.line = line;
    own.base += static_cast<std::uint64_t>(shape_->accesses().groups[g].advance);
    if (own.moved || !group.tags_as_before) {
      own.tag_cycles = 0;
      for (const RunShape::Tagged& tagged : group.tagged)
        own.tag_cycles += tagged.times * static_cast<std::uint64_t>(costs.tag_cycles(
                                             *tagged.footprint, LineAddress::numbered(line + tagged.beyond)));
    }
    counters.tag_cycles += own.tag_cycles;
  }
  return phase;
}

}  // namespace tilescope
