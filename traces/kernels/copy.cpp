#include "traces/kernels/copy.h"

#include <vector>

#include "traces/kernels/device_buffers.h"

namespace tilescope {
namespace {

enum Buffer { kFrom, kTo };
enum Role { kLoad, kStore };

}  // namespace

Copy::Copy(const CopySpec& spec) : spec_(spec) {
  DeviceBuffers buffers;
  const std::int64_t bytes = spec_.elements * spec_.width * spec_.stride;
  from_ = buffers.allocate(bytes);
  to_ = buffers.allocate(spec_.store ? bytes : 4);

  CodeBuilder code;
  code.section();
  code.emit(OpClass::constant_load);
  const Register thread = code.emit(OpClass::special);
  const Register cta = code.emit(OpClass::special);
  const Register count = code.emit(OpClass::constant_load);
  const Register from = code.emit(OpClass::constant_load);
  const Register to = code.emit(OpClass::constant_load);
  const Register index = code.emit(OpClass::imad, {cta, thread});
  const Register address = code.emit(OpClass::imad_wide, {index, from});
  std::vector<Register> values, inside;
  for (int i = 0; i < kUnroll; ++i) {
    const Register at = i == 0 ? index : code.emit(OpClass::alu, {index});
    inside.push_back(code.emit(OpClass::alu, {at, count}));
  }
  for (int i = 0; i < kUnroll; ++i)
    values.push_back(code.load(OpClass::global_load, {kLoad, i}, {address}, inside[static_cast<std::size_t>(i)]));
  const Register target = code.emit(OpClass::imad_wide, {index, to});
  if (spec_.store) {
    for (int i = 0; i < kUnroll; ++i) {
      const auto n = static_cast<std::size_t>(i);
      code.store(OpClass::global_store, {kStore, i}, {target, values[n]}, inside[n]);
    }
  } else {
    Register sum = values[0];
    for (const Register value : values) sum = code.emit(OpClass::fma, {value, sum});
    code.effect(OpClass::branch, {}, code.emit(OpClass::alu, {sum}));  // never taken: keeps the loads alive
  }
  code.effect(OpClass::exit);
  set_code(code);

  Launch launch;
  launch.kernel = spec_.name;
  launch.grid = {(spec_.elements + per_cta() - 1) / per_cta(), 1, 1};
  launch.block = {spec_.threads, 1, 1};
  launch.registers_per_thread = 32;
  set_launch(std::move(launch), 2);  // shape 1: the ragged last CTA
}

CtaPlace Copy::place(std::int64_t cta) const {
  const bool ragged = (cta + 1) * per_cta() > spec_.elements;
  return {.shape = ragged ? 1 : 0, .tile = {cta, 0}};
}

bool Copy::step(const CtaPlace& place, int, std::int64_t index, RouteStep& out) const {
  const auto skip = static_cast<std::uint64_t>(place.tile[0] * per_cta() * spec_.stride * spec_.width);
  out.base = {from_ + skip, to_ + skip, 0, 0};
  return index == 0;
}

LaneAddresses Copy::lanes(const Access& access, int shape, int warp) const {
  LaneAddresses out;
  out.buffer = access.role == kLoad ? kFrom : kTo;
  out.bytes = static_cast<int>(spec_.width);
  const std::int64_t end = shape == 1 ? spec_.elements - (launch().grid.x - 1) * per_cta() : per_cta();
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    const std::int64_t element = access.step * spec_.threads + thread;
    if (thread < spec_.threads && element < end) out.set(lane, element * spec_.stride * spec_.width);
  }
  return out;
}

}  // namespace tilescope
