// Writes the static instructions of a generated kernel, section by section, with logical registers; `finish` then
// assigns the control codes (stall counts, scoreboards, wait masks) as ptxas would: see control_codes.h.
//
// A section is a straight run of instructions; a loop is a section that may follow itself. Sections are laid out in the
// order in which they are begun, which is also the order in which registers flow from one to the next.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "models/isa/instruction.h"
#include "traces/kernels/access.h"

namespace tilescope {

// A logical register or predicate: any number of them, no allocation. 0 is none.
using Register = std::uint32_t;
inline constexpr Register kNoRegister = 0;

struct DraftInstruction {
  OpClass op = OpClass::nop;
  Register result = kNoRegister;
  Register guard = kNoRegister;  // the predicate that switches it on, or that a branch tests
  std::vector<Register> sources;
  bool cached = true;
  std::uint16_t work = 0;
};

struct DraftSection {
  std::size_t first = 0;
  std::size_t length = 0;
  bool loop = false;
  std::vector<Access> accesses;  // one for each memory operand, in order
};

class CodeBuilder {
 public:
  using Sources = std::initializer_list<Register>;

  Register name() { return ++names_; }

  // Begins a section and returns its index. The previous one ends here.
  int section(bool loop = false);

  // An instruction with a new result.
  Register emit(OpClass op, Sources sources = {}, Register guard = kNoRegister);
  // An instruction that writes `result`, a register made before.
  void emit_to(Register result, OpClass op, Sources sources = {}, Register guard = kNoRegister);
  // One without a result: a store, a branch, a barrier.
  void effect(OpClass op, Sources sources = {}, Register guard = kNoRegister);
  Register load(OpClass op, Access access, Sources sources, Register guard = kNoRegister);
  void load_to(Register result, OpClass op, Access access, Sources sources, Register guard = kNoRegister);
  void store(OpClass op, Access access, Sources sources, Register guard = kNoRegister);
  // The last instruction bypasses L1.
  void uncached() { code_.back().cached = false; }
  // `count` instructions that nothing waits for, each of class `op`.
  void filler(OpClass op, int count);

  std::size_t size() const { return code_.size(); }
  const std::vector<DraftInstruction>& draft() const { return code_; }
  const std::vector<DraftSection>& sections() const { return sections_; }

  // The instructions with their control codes.
  std::vector<Instruction> finish() const;

 private:
  DraftInstruction& add(OpClass op, Register result, Sources sources, Register guard);

  Register names_ = kNoRegister;
  std::vector<DraftInstruction> code_;
  std::vector<DraftSection> sections_;
};

}  // namespace tilescope
