#include "traces/kernels/pointer_chase.h"

#include <algorithm>

#include "traces/kernels/device_buffers.h"

namespace tilescope {
namespace {

enum Section { kBegin, kEight, kOne, kEnd };
enum Role { kLoad, kStore };
constexpr std::int64_t kPointer = 8;  // byte

}  // namespace

PointerChase::PointerChase(const PointerChaseSpec& spec) : spec_(spec), elements_(spec.bytes / spec.stride) {
  DeviceBuffers buffers;
  buffer_ = buffers.allocate(spec_.bytes);
  result_ = buffers.allocate(kPointer);

  CodeBuilder code;
  const Register pointer = code.name();
  const Register left = code.name();
  code.section();
  code.emit(OpClass::constant_load);
  code.emit_to(pointer, OpClass::constant_load);
  code.emit_to(left, OpClass::constant_load);
  for (const int unroll : {kUnroll, 1}) {
    code.section(true);
    for (int i = 0; i < unroll; ++i) {
      code.load_to(pointer, OpClass::global_load, {kLoad, i}, {pointer});
      if (!spec_.cached) code.uncached();
    }
    code.emit_to(left, OpClass::alu, {left});
    code.effect(OpClass::branch, {}, code.emit(OpClass::alu, {left}));
  }
  code.section();
  const Register result = code.emit(OpClass::constant_load);
  code.store(OpClass::global_store, {kStore}, {result, pointer});
  code.effect(OpClass::exit);
  set_code(code);
  set_advance(kEight, {kUnroll * spec_.stride, 0, 0, 0});
  set_advance(kOne, {spec_.stride, 0, 0, 0});

  Launch launch;
  launch.kernel = "pointer_chase";
  launch.registers_per_thread = 16;
  set_launch(std::move(launch), 1);
}

// Walks round the chain as eights, then the rest of the round as ones; the last round stops after `steps` loads.
bool PointerChase::step(const CtaPlace&, int, std::int64_t index, RouteStep& out) const {
  const std::int64_t rounds = (spec_.steps + elements_ - 1) / elements_;
  out.base = {buffer_, result_, 0, 0};
  if (index == 0) {
    out.section = kBegin;
    return true;
  }
  const std::int64_t round = (index - 1) / 2;
  if (round >= rounds) {
    out.section = kEnd;
    return index == 2 * rounds + 1;
  }
  const std::int64_t loads = std::min(elements_, spec_.steps - round * elements_);
  const std::int64_t eights = loads / kUnroll;
  const bool ones = (index - 1) % 2 == 1;
  out.section = ones ? kOne : kEight;
  out.repeats = ones ? loads % kUnroll : eights;
  if (ones) out.base[0] += static_cast<std::uint64_t>(eights * kUnroll * spec_.stride);
  return true;
}

LaneAddresses PointerChase::lanes(const Access& access, int, int) const {
  LaneAddresses out;
  out.buffer = access.role == kLoad ? 0 : 1;
  out.bytes = kPointer;
  out.set(0, access.step * spec_.stride);
  return out;
}

}  // namespace tilescope
