#include "traces/kernels/code_builder.h"

#include "traces/kernels/control_codes.h"

namespace tilescope {

int CodeBuilder::section(bool loop) {
  sections_.push_back({.first = code_.size(), .length = 0, .loop = loop, .accesses = {}});
  return static_cast<int>(sections_.size()) - 1;
}

DraftInstruction& CodeBuilder::add(OpClass op, Register result, Sources sources, Register guard) {
  if (sections_.empty()) section();
  ++sections_.back().length;
  code_.push_back({.op = op, .result = result, .guard = guard, .sources = sources});
  return code_.back();
}

Register CodeBuilder::emit(OpClass op, Sources sources, Register guard) {
  const Register result = name();
  add(op, result, sources, guard);
  return result;
}

void CodeBuilder::emit_to(Register result, OpClass op, Sources sources, Register guard) {
  add(op, result, sources, guard);
}

void CodeBuilder::effect(OpClass op, Sources sources, Register guard) { add(op, kNoRegister, sources, guard); }

Register CodeBuilder::load(OpClass op, Access access, Sources sources, Register guard) {
  const Register result = name();
  load_to(result, op, access, sources, guard);
  return result;
}

void CodeBuilder::load_to(Register result, OpClass op, Access access, Sources sources, Register guard) {
  add(op, result, sources, guard);
  sections_.back().accesses.push_back(access);
}

void CodeBuilder::store(OpClass op, Access access, Sources sources, Register guard) {
  add(op, kNoRegister, sources, guard);
  sections_.back().accesses.push_back(access);
}

void CodeBuilder::filler(OpClass op, int count) {
  for (int i = 0; i < count; ++i) emit(op);
}

std::vector<Instruction> CodeBuilder::finish() const { return assign_control_codes(code_, sections_); }

}  // namespace tilescope
