#include "traces/file/predictor.h"

#include <algorithm>

#include "traces/file/trace_format.h"

namespace tilescope::trace {

void Leader::clear() { *this = Leader{}; }

void Leader::observe(const Tables& tables, std::uint32_t shape, const MemoryOperand* operands) {
  if (segments_ >= kLeaderSegments) return;
  ++segments_;
  next_.try_emplace(shape_, shape);
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

Predictor::Visit& Predictor::visit_of(std::uint32_t shape) {
  if (shape / kPage >= pages_.size()) pages_.resize(shape / kPage + 1);
  std::unique_ptr<Page>& page = pages_[shape / kPage];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[shape % kPage];
}

void Predictor::begin(const Leader& leader) {
  leader_ = &leader;
  ++warp_;
  shape_ = 0;
  here_ = &visit_of(0);
  here_->warp = warp_;
  here_->left = false;
}

std::span<Slot> Predictor::visit(const Tables& tables, std::uint32_t shape) {
  here_->next = shape;
  here_->left = true;
  const Shape& entered = tables.shapes[shape];
  Visit& visit = visit_of(shape);
  if (!visit.has_slots) {
    visit.has_slots = true;
    visit.first_slot = static_cast<std::uint32_t>(slots_.size());
    slots_.resize(slots_.size() + entered.operands);
  }
  const std::span<Slot> slots(slots_.data() + visit.first_slot, entered.operands);
  is_first_ = visit.warp != warp_;
  if (is_first_) {
    visit.warp = warp_;
    visit.left = false;
    for (std::uint32_t i = 0; i < entered.operands; ++i) slots[i] = leader_->first(entered.first_slot + i);
  }
  shape_ = shape;
  here_ = &visit;
  return slots;
}

}  // namespace tilescope::trace
