#include "traces/kernels/pointer_chase.h"

#include <algorithm>

#include "traces/kernels/device_buffers.h"

namespace tilescope {
namespace {

enum Section { kBegin, kCount, kManyBegin, kEight, kCheckOne, kOne, kEnd };
enum ChaseBuffer { kPlace, kStart, kResult };
enum Role { kLoad, kStore };
constexpr std::int64_t kPointer = 8;  // byte

}  // namespace

PointerChase::PointerChase(const PointerChaseSpec& spec) : spec_(spec), elements_(spec.bytes / spec.stride) {
  DeviceBuffers buffers;
  buffer_ = buffers.allocate(spec_.bytes);
  result_ = buffers.allocate(kPointer);

  CodeBuilder code;
  write(code);
  set_code(code);

  Launch launch;
  launch.kernel = "pointer_chase";
  launch.registers_per_thread = 16;
  set_launch(std::move(launch), 1);
}

// `part` of a load is how many loads of its section come before the chain begins again.
void PointerChase::write(CodeBuilder& code) {
  const Register pointer = code.name();
  const Register left = code.name();
  const auto load = [&](int step, int before_wrap) {
    code.load_to(pointer, OpClass::global_load, {kLoad, step, before_wrap}, {pointer});
    if (!spec_.cached) code.uncached();
  };
  const auto eight = [&](int before_wrap) {
    const int section = code.section(true);
    for (int i = 0; i < 6; ++i) load(i, before_wrap);
    code.emit_to(left, OpClass::alu, {left});
    const Register more = code.emit(OpClass::alu, {left});
    for (int i = 6; i < kUnroll; ++i) load(i, before_wrap);
    code.effect(OpClass::branch, {}, more);
    return section;
  };

  code.section();
  code.emit(OpClass::constant_load);
  const Register steps = code.emit(OpClass::constant_load);
  const Register first = code.emit(OpClass::uniform_move);
  code.emit_to(pointer, OpClass::imad, {first});
  code.emit(OpClass::imad, {first});
  code.emit(OpClass::uniform_move);
  code.effect(OpClass::branch, {}, code.emit(OpClass::alu, {steps}));
  code.section();
  const Register last = code.emit(OpClass::alu, {steps});
  const Register ones = code.emit(OpClass::alu, {steps});
  const Register many = code.emit(OpClass::alu, {last});
  const Register any_one = code.emit(OpClass::alu, {ones});
  code.effect(OpClass::branch, {}, many);
  code.section();
  code.emit_to(left, OpClass::imad, {steps, ones});
  eight(kUnroll);
  code.section();
  code.effect(OpClass::branch, {}, any_one);
  code.section(true);
  code.emit_to(ones, OpClass::alu, {ones});
  load(0, kUnroll);
  code.effect(OpClass::branch, {}, code.emit(OpClass::alu, {ones}));
  code.section();
  const Register result = code.emit(OpClass::constant_load);
  code.store(OpClass::global_store, {kStore}, {result, pointer});
  code.effect(OpClass::exit);

  // The eight again, for chains that begin again in their middle.
  if (elements_ % kUnroll == 0) return;
  for (int before = 1; before < kUnroll; ++before) {
    const int section = eight(before);
    if (before == 1) first_wrapped_ = section;
  }
}

bool PointerChase::step(const CtaPlace&, int, std::int64_t index, RouteStep& out) const {
  const std::int64_t eights = spec_.steps / kUnroll;
  const std::int64_t ones = spec_.steps % kUnroll;
  out.base = {buffer_, buffer_, result_, 0};
  const auto go_to = [&](std::int64_t loads) {
    const std::int64_t element = loads % elements_;
    out.base[kPlace] = buffer_ + static_cast<std::uint64_t>(element * spec_.stride);
    return elements_ - element;
  };
  for (const int once : {kBegin, kCount, kManyBegin}) {
    if (once == kManyBegin && eights == 0) continue;
    out.section = once;
    if (index-- == 0) return true;
  }
  if (index < eights) {
    const std::int64_t before = go_to(index * kUnroll);
    out.section = before >= kUnroll ? kEight : first_wrapped_ + static_cast<int>(before) - 1;
    return true;
  }
  index -= eights;
  out.section = kCheckOne;
  if (index-- == 0) return true;
  if (index < ones) {
    go_to(eights * kUnroll + index);
    out.section = kOne;
    return true;
  }
  out.section = kEnd;
  return index == ones;
}

LaneAddresses PointerChase::lanes(const Access& access, int, int) const {
  LaneAddresses out;
  out.bytes = kPointer;
  if (access.role == kStore) {
    out.buffer = kResult;
    out.set(0, 0);
    return out;
  }
  const bool wrapped = access.step >= access.part;
  out.buffer = wrapped ? kStart : kPlace;
  out.set(0, (wrapped ? (access.step - access.part) % elements_ : access.step) * spec_.stride);
  return out;
}

}  // namespace tilescope
