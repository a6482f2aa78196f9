#include "traces/kernels/copy.h"

#include <algorithm>

#include "traces/kernels/copy_code.h"
#include "traces/kernels/device_buffers.h"

namespace tilescope {
namespace {

enum CopyBuffer { kFrom, kTo };
constexpr int kWord = 4;  // byte

}  // namespace

Copy::Copy(const CopySpec& spec) : spec_(spec) {
  DeviceBuffers buffers;
  const std::int64_t bytes = spec_.elements * spec_.width * spec_.stride;
  from_ = buffers.allocate(bytes);
  to_ = buffers.allocate(spec_.store ? bytes : 4);

  CodeBuilder code;
  if (spec_.store)
    emit_copy(code);
  else
    emit_strided(code);
  set_code(code);

  Launch launch;
  launch.kernel = spec_.name;
  launch.grid = {(spec_.elements + per_cta() - 1) / per_cta(), 1, 1};
  launch.block = {spec_.threads, 1, 1};
  // As compiled: four elements and addresses, to the 32 at which nvcc begins to save; strided adds up as it goes.
  launch.registers_per_thread = spec_.store ? std::min<std::int64_t>(32, 22 + spec_.width) : 20;
  set_launch(std::move(launch), 2);  // shape 1: the ragged last CTA
}

CtaPlace Copy::place(std::int64_t cta) const {
  const bool ragged = (cta + 1) * per_cta() > spec_.elements;
  return {.shape = ragged ? 1 : 0, .tile = {cta, 0}};
}

std::int64_t Copy::elements_of(int shape) const {
  return shape == 1 ? spec_.elements - (launch().grid.x - 1) * per_cta() : per_cta();
}

bool Copy::step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const {
  const auto skip = static_cast<std::uint64_t>(place.tile[0] * per_cta() * spec_.stride * spec_.width);
  out.base = {from_ + skip, to_ + skip, 0, 0};
  if (!spec_.store) return index == 0;
  const bool leaves = (kUnroll - 1) * spec_.threads + std::int64_t{warp} * kLanes >= elements_of(place.shape);
  out.section = leaves ? kCopyLeave : index == 0 ? kCopyBody : kCopyLast;
  return index < (leaves ? 1 : 2);
}

LaneAddresses Copy::lanes(const Access& access, int shape, int warp) const {
  LaneAddresses out;
  out.buffer = access.role == kCopyLoad ? kFrom : kTo;
  out.bytes = spec_.store ? static_cast<int>(spec_.width) : kWord;
  const std::int64_t end = elements_of(shape);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    const std::int64_t element = access.step * spec_.threads + thread;
    if (thread < spec_.threads && element < end) out.set(lane, element * spec_.stride * spec_.width);
  }
  return out;
}

}  // namespace tilescope
