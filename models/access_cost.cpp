#include "models/access_cost.h"

#include <algorithm>

#include "models/copy_footprint.h"

namespace tilescope {

AccessCosts::AccessCosts(const GpuSpec& gpu, const PatternTable& patterns)
    : patterns_(patterns), banks_(gpu.shared), tags_(gpu.l1.tag_banks), chunks_(new std::atomic<Chunk*>[kChunks]()) {}

AccessCosts::~AccessCosts() {
  for (std::size_t i = 0; i < kChunks; ++i) delete chunks_[i].load(std::memory_order_relaxed);
}

AccessCosts::Entry::~Entry() {
  delete first.load(std::memory_order_relaxed);
  FootprintsByBase* all = footprints.load(std::memory_order_relaxed);
  if (all == nullptr) return;
  for (auto& footprint : *all) delete footprint.load(std::memory_order_relaxed);
  delete all;
}

const AccessCosts::Chunk& AccessCosts::add_chunk(std::size_t index) const {
  const std::scoped_lock lock(mutex_);
  Chunk* known = chunks_[index].load(std::memory_order_acquire);
  if (known == nullptr) {
    known = new Chunk;
    chunks_[index].store(known, std::memory_order_release);
  }
  return *known;
}

BankCost AccessCosts::shared_atomic(const Instruction& instruction, const MemoryOperand& operand) const {
  // An atomic through a generic address passes shared memory even if no lane lies there.
  if (is_generic(instruction.op) && operand.pattern == 0)
    return instruction.atomic() == AtomicKind::compare ? BankCost{2, 2} : BankCost{1, 1};
  return banks_.atomic_cost(patterns_.pattern(operand.pattern), instruction.atomic());
}

AccessCost AccessCosts::of(const Instruction& instruction, int index, const MemoryOperand& operand) const {
  const AccessKind access = access_of(instruction.op, index);
  if (is_shared(access)) {
    const BankCost cost = shared(instruction, access, operand);
    return {0, 0, 0, cost.wavefronts, cost.ideal};
  }
  const Footprint& touched = footprint(operand);
  if (touched.lines.empty()) return {};
  if (is_atomic(access)) return of_atomic(instruction, access, operand, atomic(instruction, operand));
  const std::int64_t tag = tag_cycles(touched, LineAddress::of(operand.base));
  const std::int64_t words = is_local(access) ? instruction.detail : 1;
  return {words, words * touched.sectors, words * tag, words * touched.data_wavefronts, 0};
}

std::optional<Footprint> AccessCosts::shifted(const MemoryOperand* operands) const {
  const CopyLanes lanes{pattern(operands[0]), operands[0].base, pattern(operands[1]), operands[1].base};
  if (!is_shifted(lanes)) return {};
  Footprint found = shifted_footprint(lanes);
  found.data_wavefronts = footprint(operands[0]).data_wavefronts;
  return found;
}

AccessCost AccessCosts::of_atomic(const Instruction& instruction, AccessKind access, const MemoryOperand& operand,
                                  const AtomicFootprint& packets) const {
  const std::int64_t tag = tag_cycles(footprint(operand), LineAddress::of(operand.base));
  return {1, packets.sectors(), std::max<std::int64_t>(packets.passes(), tag),
          atomic_wavefronts(instruction, access, operand), 0};
}

std::int64_t AccessCosts::atomic_wavefronts(const Instruction& instruction, AccessKind access,
                                            const MemoryOperand& operand) const {
  const AtomicKind kind = instruction.atomic() == AtomicKind::compare ? AtomicKind::compare : AtomicKind::integer;
  const BankCost cost = banks_.atomic_cost(patterns_.pattern(operand.pattern), kind);
  // What comes back passes, too; a compare-and-swap's two values count once.
  return access == AccessKind::global_atomic && kind != AtomicKind::compare ? 2 * cost.wavefronts : cost.wavefronts;
}

BankCost AccessCosts::shared_cost(const MemoryOperand& operand, SharedOp op) const {
  const LanePattern& pattern = patterns_.pattern(operand.pattern);
  const BankCost cost = banks_.cost(pattern, op, operand.base);
  std::uint32_t known = kKnown | kByWord;
  if (pattern.bytes >= banks_.bytes())
    known = kKnown | static_cast<std::uint32_t>(cost.wavefronts) | static_cast<std::uint32_t>(cost.ideal) << 16U |
            static_cast<std::uint32_t>(cost.joined) << 24U;
  bank_cost(operand.pattern, op).store(known, std::memory_order_relaxed);
  return cost;
}

const Footprint& AccessCosts::first_footprint(const Entry& owner, PatternId id, std::size_t base) const {
  const auto made_for = [&] { return global_footprint(patterns_.pattern(id), static_cast<int>(base), banks_); };
  const BasedFootprint* first = owner.first.load(std::memory_order_acquire);
  if (first == nullptr) {
    auto made = std::make_unique<const BasedFootprint>(BasedFootprint{base, made_for()});
    if (owner.first.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) first = made.release();
  }
  if (first->base == base) return first->footprint;
  FootprintsByBase* all = owner.footprints.load(std::memory_order_acquire);
  if (all == nullptr) {
    auto made = std::make_unique<FootprintsByBase>();
    if (owner.footprints.compare_exchange_strong(all, made.get(), std::memory_order_acq_rel)) all = made.release();
  }
  auto& slot = (*all)[base];
  const Footprint* known = slot.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<const Footprint>(made_for());
  if (slot.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *known;
}

}  // namespace tilescope
