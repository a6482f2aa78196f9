#include "traces/file/predictor.h"

#include <algorithm>

#include "traces/file/trace_format.h"

namespace tilescope::trace {

void Leader::clear() { *this = Leader{}; }

void Leader::observe(const Tables& tables, std::uint32_t shape, const MemoryOperand* operands) {
  if (segments_ >= kLeaderSegments) return;
  ++segments_;
  next_.resize(std::max(next_.size(), tables.shapes.size()));
  first_.resize(std::max<std::size_t>(first_.size(), tables.slots()));
  if (!next_[shape_].known) next_[shape_] = {shape, true};
  shape_ = shape;
  for (std::uint32_t i = 0; i < tables.shapes[shape].operands; ++i) {
    First& first = first_[tables.shapes[shape].first_slot + i];
    const std::uint64_t moved = operands[i].base - first.base;
    if (first.visits == 0) first.slot = {operands[i].base, 0, 0, operands[i].pattern};
    if (first.visits == 1) first.slot.step = first.slot.last_step = moved;
    if (first.visits == 2) first.slot.last_step = moved;
    first.base = operands[i].base;
    first.visits = std::min(first.visits + 1, 3);
  }
}

void Predictor::begin(const Tables& tables, const Leader& leader) {
  leader_ = &leader;
  visits_.resize(std::max(visits_.size(), tables.shapes.size()));
  slots_.resize(std::max<std::size_t>(slots_.size(), tables.slots()));
  ++warp_;
  shape_ = 0;
  visits_[0] = {warp_, 0, false};
}

std::span<Slot> Predictor::visit(const Tables& tables, std::uint32_t shape) {
  visits_[shape_].next = shape;
  visits_[shape_].left = true;
  const Shape& entered = tables.shapes[shape];
  if (shape >= visits_.size()) {  // only while recording: the shape is new
    visits_.resize(tables.shapes.size());
    slots_.resize(tables.slots());
  }
  const std::span<Slot> slots(slots_.data() + entered.first_slot, entered.operands);
  Visit& visit = visits_[shape];
  is_first_ = visit.warp != warp_;
  if (is_first_) {
    visit = {warp_, 0, false};
    for (std::uint32_t i = 0; i < entered.operands; ++i) slots[i] = leader_->first(entered.first_slot + i);
  }
  shape_ = shape;
  return slots;
}

}  // namespace tilescope::trace
