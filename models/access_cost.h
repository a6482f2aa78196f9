// What one access of one warp costs an SM: sectors, cycles of the tag stage, passes through the data stage. Worked out
// once for each lane pattern and, where it matters, each base modulo a line; looked up afterwards. The timing engine,
// the counting engine, the view by line and `banks` all ask here.
//
// Thread-safe; look-ups take no lock. Its answers depend on nothing but pattern, base and GPU.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "models/atomic_footprint.h"
#include "models/coalescer.h"
#include "models/gpu_spec.h"
#include "models/isa/instruction.h"
#include "models/isa/pattern_table.h"
#include "models/shared_banks.h"
#include "models/tag_stage.h"

namespace tilescope {

struct AccessCost {
  std::int64_t requests = 0;    // of the tag stage; 0 in shared memory
  std::int64_t sectors = 0;     // distinct ones of 32 B in each request; 0 in shared memory
  std::int64_t tag_cycles = 0;  // of the tag stage; 0 in shared memory
  std::int64_t wavefronts = 0;  // of the data stage; 0 when no lane takes part
  std::int64_t ideal = 0;       // of these, those that shared memory would take without conflicts
};

class AccessCosts {
 public:
  // REQUIRES: `patterns` outlives this.
  AccessCosts(const GpuSpec& gpu, const PatternTable& patterns);
  ~AccessCosts();
  AccessCosts(const AccessCosts&) = delete;
  AccessCosts& operator=(const AccessCosts&) = delete;

  // Of operand `index` of an instruction, every word of a local access together.
  AccessCost of(const Instruction& instruction, int index, const MemoryOperand& operand) const;
  // Of its wavefronts in shared memory alone.
  BankCost shared(const Instruction& instruction, AccessKind access, const MemoryOperand& operand) const {
    if (access == AccessKind::shared_atomic) return shared_atomic(instruction, operand);
    return shared(operand, is_load(access) ? SharedOp::load : SharedOp::store);
  }

  BankCost shared(const MemoryOperand& operand, SharedOp op) const {
    const std::uint32_t known = bank_cost(operand.pattern, op).load(std::memory_order_relaxed);
    if (known == 0 || (known & kByWord) != 0) return shared_cost(operand, op);
    return {static_cast<int>(known & 0xffffU), static_cast<int>(known >> 16U & 0xffU),
            static_cast<int>(known >> 24U & 0xfU)};
  }
  // Lines and sectors. Built on first use for each base modulo a line.
  const Footprint& footprint(const MemoryOperand& operand) const {
    const Entry& owner = chunk(operand.pattern).entries[operand.pattern % kChunk];
    const FootprintsByBase* all = owner.footprints.load(std::memory_order_acquire);
    const std::size_t base = operand.base % kBases;
    if (all != nullptr) {
      const Footprint* known = (*all)[base].load(std::memory_order_acquire);
      if (known != nullptr) return *known;
    }
    return first_footprint(owner, operand.pattern, base);
  }
  // Of the global side of a copy past L1 that shifts what it copies (models/copy_footprint.h); nothing of others, whose
  // footprint() says all.
  std::optional<Footprint> shifted(const Instruction& instruction, const MemoryOperand* operands) const {
    if (instruction.op != OpClass::async_copy || instruction.cached != 0) return {};
    return shifted(operands);
  }
  AccessCost of_atomic(const Instruction& instruction, AccessKind access, const MemoryOperand& operand,
                       const AtomicFootprint& packets) const;
  AtomicFootprint atomic(const Instruction& instruction, const MemoryOperand& operand) const {
    return {patterns_.pattern(operand.pattern), operand.base, instruction.atomic()};
  }
  std::int64_t tag_cycles(const Footprint& footprint, LineAddress base_line) const {
    return tags_.cycles(footprint, base_line);
  }
  const LanePattern& pattern(const MemoryOperand& operand) const { return patterns_.pattern(operand.pattern); }

 private:
  static constexpr auto kBases = static_cast<std::size_t>(kLineBytes);
  using FootprintsByBase = std::array<std::atomic<const Footprint*>, kBases>;
  struct BasedFootprint {
    std::size_t base = 0;
    Footprint footprint;
  };
  struct Entry {
    mutable std::atomic<const BasedFootprint*> first{nullptr};   // the first that was asked for
    mutable std::atomic<FootprintsByBase*> footprints{nullptr};  // made when another base is asked for
    ~Entry();
  };
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kChunks = PatternTable::kMost / kChunk;
  // A bank cost in one word: wavefronts, from bit 16 the ideal ones, from bit 24 joined registers, that it is known,
  // and that it is not kept because it depends on the base's place in its word (accesses narrower than a bank).
  static constexpr std::uint32_t kKnown = 1U << 31, kByWord = 1U << 30;
  struct Chunk {
    std::array<std::array<std::atomic<std::uint32_t>, 2>, kChunk> banks{};  // by SharedOp
    std::array<Entry, kChunk> entries;
  };

  const Chunk& chunk(PatternId id) const {
    const Chunk* known = chunks_[id / kChunk].load(std::memory_order_acquire);
    return known != nullptr ? *known : add_chunk(id / kChunk);
  }
  std::atomic<std::uint32_t>& bank_cost(PatternId id, SharedOp op) const {
    return const_cast<Chunk&>(chunk(id)).banks[id % kChunk][static_cast<std::size_t>(op)];
  }
  // Passes of the data stage that an atomic on global memory takes.
  std::int64_t atomic_wavefronts(const Instruction& instruction, AccessKind access, const MemoryOperand& operand) const;
  const Chunk& add_chunk(std::size_t index) const;
  BankCost shared_cost(const MemoryOperand& operand, SharedOp op) const;
  BankCost shared_atomic(const Instruction& instruction, const MemoryOperand& operand) const;
  std::optional<Footprint> shifted(const MemoryOperand* operands) const;
  const Footprint& first_footprint(const Entry& owner, PatternId id, std::size_t base) const;

  const PatternTable& patterns_;
  SharedBanks banks_;
  TagStage tags_;
  std::unique_ptr<std::atomic<Chunk*>[]> chunks_;
  mutable std::mutex mutex_;
};

}  // namespace tilescope
