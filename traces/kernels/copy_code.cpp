// With 16 bytes per lane nvcc orders the same instructions a little differently to get by with 32 registers.
#include "traces/kernels/copy_code.h"

#include <array>

#include "traces/kernels/copy.h"

namespace tilescope {
namespace {

constexpr std::size_t kElements = Copy::kUnroll;
constexpr std::size_t kFourth = kElements - 1;

class CopyWriter {
 public:
  explicit CopyWriter(CodeBuilder& code) : code_(code) {}

  void write() {
    body(OpClass::branch);
    code_.section();
    const Register out = code_.emit(OpClass::constant_load);
    store(kFourth, code_.emit(OpClass::imad_wide, {at_[kFourth], out}), kNoRegister);
    code_.effect(OpClass::exit);
    body(OpClass::exit);
  }

 private:
  void body(OpClass how) {
    code_.section();
    code_.emit(OpClass::constant_load);
    const Register cta = code_.emit(OpClass::warp_special);
    const Register threads = code_.emit(OpClass::uniform_move);
    const Register per_cta = code_.emit(OpClass::uniform, {threads});
    const Register thread = code_.emit(OpClass::special);
    at_[0] = code_.emit(OpClass::imad, {cta, per_cta, thread});
    const Register count = code_.emit(OpClass::uniform_move);
    for (std::size_t i = 0; i < kElements; ++i) {
      if (i > 0) at_[i] = code_.emit(OpClass::alu, {at_[i - 1], threads});
      inside_[i] = code_.emit(OpClass::alu, {at_[i], count});
    }
    std::array<Register, kElements> in{}, out{};
    for (std::size_t i = 0; i < kElements; ++i) {
      if (i == 1) code_.emit(OpClass::uniform_move);  // the descriptor of global memory
      in[i] = code_.emit(OpClass::constant_load, {}, inside_[i]);
    }
    for (std::size_t i = 0; i < kElements; ++i) {
      const Register address = code_.emit(OpClass::imad_wide, {at_[i], in[i]}, inside_[i]);
      if (i > 0) out[i - 1] = code_.emit(OpClass::constant_load, {}, inside_[i - 1]);
      value_[i] = code_.load(OpClass::global_load, {kCopyLoad, static_cast<int>(i)}, {address}, inside_[i]);
    }
    std::array<Register, kElements> target{};
    for (std::size_t i = 0; i < kFourth; ++i) target[i] = code_.emit(OpClass::imad_wide, {at_[i], out[i]}, inside_[i]);
    for (std::size_t i = 0; i < kFourth; ++i) store(i, target[i], inside_[i]);
    code_.effect(how, {}, inside_[kFourth]);
  }

  void store(std::size_t i, Register address, Register guard) {
    code_.store(OpClass::global_store, {kCopyStore, static_cast<int>(i)}, {address, value_[i]}, guard);
  }

  CodeBuilder& code_;
  std::array<Register, kElements> at_{}, inside_{}, value_{};
};

}  // namespace

void emit_copy(CodeBuilder& code) { CopyWriter(code).write(); }

void emit_strided(CodeBuilder& code) {
  code.section();
  code.emit(OpClass::constant_load);
  const Register thread = code.emit(OpClass::special);
  const Register cta = code.emit(OpClass::warp_special);
  const Register most = code.emit(OpClass::uniform_move);
  const Register threads = code.emit(OpClass::constant_load);
  const Register group = code.emit(OpClass::uniform, {cta});
  std::array<Register, kElements> at{}, inside{}, stride{}, in{}, value{};
  at[0] = code.emit(OpClass::imad, {threads, group, thread});
  const Register count = code.emit(OpClass::uniform_move);
  for (std::size_t i = 0; i < kElements; ++i) {
    if (i > 0) at[i] = code.emit(OpClass::alu, {at[i - 1], threads});
    inside[i] = code.emit(OpClass::alu, {at[i], count});
  }
  const auto parameters = [&](std::size_t i) {
    stride[i] = code.emit(OpClass::constant_load, {}, inside[i]);
    in[i] = code.emit(OpClass::constant_load, {}, inside[i]);
  };
  const auto load = [&](std::size_t i) {
    const Register index = code.emit(OpClass::imad, {at[i], stride[i]}, inside[i]);
    const Register address = code.emit(OpClass::imad_wide, {index, in[i]}, inside[i]);
    code.load_to(value[i], OpClass::global_load, {kCopyLoad, static_cast<int>(i)}, {address}, inside[i]);
  };
  parameters(0);
  code.emit(OpClass::uniform_move);  // the descriptor of global memory
  value[0] = code.name();
  // What a lane without an element adds.
  value[1] = code.emit(OpClass::half_tensor);
  parameters(1);
  load(0);
  parameters(2);
  load(1);
  parameters(3);
  value[2] = code.emit(OpClass::alu);
  load(2);
  value[3] = code.emit(OpClass::alu);
  load(3);
  Register sum = code.name();
  for (std::size_t i = 0; i < kElements; ++i) {
    const Register guard = i == 0 ? inside[0] : kNoRegister;
    sum = code.emit(OpClass::fma, {sum, value[i]}, guard);
  }
  code.effect(OpClass::exit, {}, code.emit(OpClass::alu, {sum, most}));
}

}  // namespace tilescope
