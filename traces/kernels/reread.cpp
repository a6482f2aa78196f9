#include "traces/kernels/reread.h"

#include <algorithm>

#include "traces/kernels/device_buffers.h"
#include "traces/kernels/reread_code.h"

namespace tilescope {
namespace {

enum Shape { kWhole, kPartial, kNone };  // how much of the ragged row a CTA has

constexpr std::int64_t kLargestImmediate = 1 << 20;  // of a load's address

// As compiled, to within what is allocated at a time; nvcc begins to save at 32.
std::int64_t registers(std::int64_t width, int unroll) {
  if (unroll > 2) return std::min(32, 22 + 2 * unroll);
  const int size = width == 4 ? 0 : width == 8 ? 1 : 2;
  return 17 + size + (size + 1) * unroll;
}

}  // namespace

Reread::Reread(const RereadSpec& spec) : spec_(spec) {
  const bool grid_wide = spec_.form == RereadForm::cyclic;
  region_ = spec_.form == RereadForm::shared_set ? std::min(spec_.chunk, spec_.bytes) : spec_.bytes;
  row_stride_ = row_bytes() * (grid_wide ? spec_.ctas : 1);
  rows_ = region_ / row_stride_;
  rest_ = region_ % row_stride_;
  unroll_ = rows_ >= 1 && rows_ <= std::int64_t{2} * spec_.unroll ? static_cast<int>(rows_) : spec_.unroll;
  DeviceBuffers buffers;
  buffer_ = buffers.allocate(spec_.bytes);

  CodeBuilder code;
  const bool immediate = spec_.known_stride && row_stride_ < kLargestImmediate;
  emit_reread(code, {.unroll = unroll_, .width = spec_.width, .cached = spec_.cached, .immediate = immediate});
  set_code(code);
  set_advance(kRereadBlock, {unroll_ * row_stride_, 0, 0, 0});
  set_advance(kRereadOne, {row_stride_, 0, 0, 0});
  ragged_section_ = add_edge_section(kRereadOne, 0);

  Launch launch;
  launch.kernel = "reread";
  launch.grid = {spec_.ctas, 1, 1};
  launch.block = {spec_.threads, 1, 1};
  launch.registers_per_thread = spec_.known_stride ? spec_.width == 16 ? 48 : 32 : registers(spec_.width, unroll_);
  set_launch(std::move(launch), 3);
}

CtaPlace Reread::place(std::int64_t cta) const {
  CtaPlace place;
  std::int64_t rest = rest_;
  switch (spec_.form) {
    case RereadForm::shared_set:
      place.tile[0] = cta % std::max<std::int64_t>(1, spec_.bytes / region_) * region_;
      break;
    case RereadForm::per_sm_buffer:
      break;
    case RereadForm::cyclic:
      place.tile[0] = cta * row_bytes();
      rest -= cta * row_bytes();
      break;
  }
  place.shape = rest >= row_bytes() ? kWhole : rest > 0 ? kPartial : kNone;
  return place;
}

bool Reread::step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const {
  constexpr std::int64_t kStepsPerPass = 5;
  const std::uint64_t begin = buffer_ + static_cast<std::uint64_t>(place.tile[0]);
  out.base = {begin, 0, 0, 0};
  if (index == 0) {
    out.section = kRereadBegin;
    return true;
  }
  const std::int64_t pass = (index - 1) / kStepsPerPass;
  if (pass >= spec_.passes) {
    out.section = kRereadEnd;
    return index == kStepsPerPass * spec_.passes + 1;
  }
  const std::int64_t blocks = rows_ / unroll_;
  const std::int64_t whole_rest = rest_ > 0 && place.shape == kWhole ? 1 : 0;
  const bool has_part = place.shape == kPartial && warp * kLanes * spec_.width < partial_bytes();
  switch ((index - 1) % kStepsPerPass) {
    case 0:
      out.section = kRereadPass;
      break;
    case 1:
      out.section = kRereadBlock;
      out.repeats = blocks;
      break;
    case 2:
      out.section = kRereadOne;
      out.repeats = rows_ % unroll_ + whole_rest;
      out.base[0] = begin + static_cast<std::uint64_t>(blocks * unroll_ * row_stride_);
      break;
    case 3:
      out.section = ragged_section_;
      out.repeats = has_part ? 1 : 0;
      out.base[0] = begin + static_cast<std::uint64_t>(rows_ * row_stride_);
      break;
    default:
      out.section = kRereadPassEnd;
      break;
  }
  return true;
}

LaneAddresses Reread::lanes(const Access& access, int, int warp) const {
  LaneAddresses out;
  out.buffer = 0;
  out.bytes = static_cast<int>(spec_.width);
  const std::int64_t covered = access.edge ? partial_bytes() : row_bytes();
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread < spec_.threads && thread * spec_.width < covered)
      out.set(lane, access.step * row_stride_ + thread * spec_.width);
  }
  return out;
}

}  // namespace tilescope
