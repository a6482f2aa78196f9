// How long the tensor core of a sub-partition is busy with an instruction, and when products of a warpgroup are done.
//
// A product of one warp (mma.sync) takes the time of its multiply-adds, but at least a few cycles. One of a warpgroup
// (wgmma) runs behind the warps that issue it, at the full rate; its core waits for what it reads: 32 bytes of each of
// 64 rows of A and of each column of B from shared memory, through the data stage that loads and stores use, or A from
// registers. Neither the element type nor the swizzle mode matters beyond the bits along K.
//
// Source: gpu/microbench/tensor.cu, wgmma.cu, wgmma_shared.cu on an H100. mma.sync m16n8 with 256 bits along K 6.05
// cycles, with 128 bits 4.1; FP64 m8n8k4 16.1. wgmma m64nN with 256 bits along K: N / 2 cycles; from shared memory at
// least 16 + N / 4, A from registers at least 13. Loads and stores beside wgmma get what it leaves of 128 B a cycle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/gpu_spec.h"
#include "models/isa/instruction.h"
#include "models/support/units.h"

namespace tilescope {

class TensorCores {
 public:
  explicit TensorCores(const PipesSpec& spec)
      : fma_per_cycle_(spec.tensor_fma_per_cycle),
        issue_cycles_(spec.tensor_issue_cycles),
        double_cycles_(spec.tensor_double_cycles),
        operand_cycles_(spec.tensor_operand_cycles),
        group_fma_per_cycle_(spec.group_tensor_fma_per_cycle),
        group_register_cycles_(spec.group_tensor_register_cycles) {}

  // Cycles until the core takes the next instruction, waiting for shared memory apart.
  Cycle interval(const Instruction& instruction) const {
    const Cycle fma = Cycle{instruction.work} * 256;
    if (instruction.op == OpClass::group_tensor) {
      const Cycle products = (fma + group_fma_per_cycle_ - 1) / group_fma_per_cycle_;
      return instruction.a_in_registers() ? std::max(products, group_register_cycles_) : products;
    }
    if (instruction.multiplies_doubles()) return double_cycles_;
    return std::max(issue_cycles_, (fma + fma_per_cycle_ / 2) / fma_per_cycle_);
  }

  // Cycles for which a product of one warp reads registers, which others can not read meanwhile: HMMA.16816 reads five
  // of each bank. Source: a product and 1 to 31 FFMA, FADD, IMAD, HADD2, LOP3, DFMA or MUFU behind it, again and again
  // (gpu/instructions).
  Cycle operands(const Instruction& product) const { return std::min(operand_cycles_, interval(product)); }

  // Data-stage wavefronts of a warpgroup's product: four rows of 32 bytes each.
  static Cycle wavefronts(const Instruction& instruction) { return (instruction.rows_read() + 3) / 4; }
  // Of the sub-partition's share of it; those of all four are whole.
  static Cycle wavefronts(const Instruction& instruction, unsigned sub_partition) {
    const Cycle all = wavefronts(instruction), sub = sub_partition % 4;
    return all * (sub + 1) / 4 - all * sub / 4;
  }

 private:
  Cycle fma_per_cycle_, issue_cycles_, double_cycles_, operand_cycles_, group_fma_per_cycle_, group_register_cycles_;
};

// The warpgroup products that one warp has under way, in the groups that it waits for.
class GroupProducts {
 public:
  // A product is done at `done`, and no sooner than those before it; `closes`: it is the last one of its group.
  void add(Cycle done, bool closes) {
    last_ = std::max(last_, done);
    if (closes) closed_[count_++ % closed_.size()] = last_;
  }
  // From when on at most `most` groups are under way.
  Cycle at_most(unsigned most) const {
    return most >= closed_.size() || most >= count_ ? 0 : closed_[(count_ - 1 - most) % closed_.size()];
  }

 private:
  std::array<Cycle, 8> closed_{};  // the newest; wgmma.wait_group names 7 at most
  std::uint32_t count_ = 0;
  Cycle last_ = 0;
};

}  // namespace tilescope
