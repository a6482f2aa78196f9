// What the bulk copies of a step send to the chip. Nobody waits for them: that they run ahead of those who use what
// they bring is what they are for.
#include <bit>

#include "sim/engine/counting/counting_sm.h"

namespace tilescope {

void CountingSm::count_bulk(Cta& cta, const Segment& segment, const SegmentTotals& totals) {
  std::uint64_t asynchronous = 0;
  for (auto op = static_cast<std::size_t>(OpClass::bulk_load); op <= static_cast<std::size_t>(OpClass::bulk_prefetch);
       ++op)
    asynchronous += totals.instructions[op];
  if (asynchronous == 0 || segment.asynchronous == nullptr) return;
  const AsyncOperand* operand = segment.asynchronous;
  for (std::uint32_t i = 0; i < segment.length; ++i) {
    const Instruction& instruction = segment.code[i];
    if (!takes_async_operands(instruction.op)) continue;
    const AsyncOperand* first = operand;
    operand += 1 + first->more;
    if (instruction.op < OpClass::bulk_load || instruction.op > OpClass::bulk_prefetch || first->box == 0) continue;
    const WorkCounters before = counters_;
    count_copy(cta, instruction, *first);
    if (attribution_ != nullptr) attribution_->charge(&instruction, before, counters_);
  }
}

void CountingSm::count_copy(Cta& cta, const Instruction& instruction, const AsyncOperand& operand) {
  const auto targets = static_cast<std::uint64_t>(std::popcount(operand.ctas));
  const bool loads = instruction.op == OpClass::bulk_load;
  const RequestKind kind = loads                                       ? RequestKind::bulk_read
                           : instruction.op == OpClass::bulk_store     ? RequestKind::bulk_write
                           : instruction.op == OpClass::bulk_reduction ? RequestKind::bulk_reduction
                                                                       : RequestKind::bulk_prefetch;
  std::uint32_t lines = 0;
  std::uint64_t sectors = 0;
  bulk_copies_.walk(kernel_.patterns().boxes.box(operand.box), operand.address, cta.began, kind, 0, lines, sectors,
                    [&](MemoryRequest request) {
                      if (!lines_.keeps(request.line)) return;
                      // What goes to one SM alone may be merged with what others ask for.
                      if (loads && targets == 1) request.kind = RequestKind::read;
                      outbox_.push_back(request);
                    });
  if (loads) counters_.fill_sectors += sectors * targets;
}

}  // namespace tilescope
