// The kernel behind the published bandwidth curves: as traces/kernels/reread.h, but the distance between two loads of a
// thread is known to the compiler, so that the loads of an iteration share one pointer and sixteen stay in flight.
#pragma once

#include <algorithm>
#include <vector>

#include "traces/kernels/device_buffers.h"
#include "traces/kernels/reread.h"

namespace tilescope::test {

class PublishedReread final : public GeneratedKernel {
 public:
  explicit PublishedReread(const RereadSpec& spec);

 private:
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const tilescope::Access& access, int shape, int warp) const override;

  enum Section { kBegin, kPassBegin, kBlock, kOne, kPassEnd, kEnd };
  enum Role { kLoad, kStore };
  enum Shape { kWhole, kPartial, kNone };                                 // how much of the ragged row a CTA has
  std::int64_t row_bytes() const { return spec_.threads * spec_.width; }  // one load of one CTA

  RereadSpec spec_;
  std::int64_t region_;      // byte: what one pass of a CTA (of the grid, for cyclic) covers
  std::int64_t row_stride_;  // byte between two rows of a CTA
  std::int64_t rows_;        // whole rows
  int unroll_;               // loads in flight
  std::int64_t rest_;        // byte in the ragged row after them; 0: none
  std::uint64_t buffer_, result_;
  int ragged_section_ = -1;
};

inline PublishedReread::PublishedReread(const RereadSpec& spec) : spec_(spec) {
  const bool grid_wide = spec_.form == RereadForm::cyclic;
  region_ = spec_.form == RereadForm::shared_set ? std::min(spec_.chunk, spec_.bytes) : spec_.bytes;
  row_stride_ = row_bytes() * (grid_wide ? spec_.ctas : 1);
  rows_ = region_ / row_stride_;
  rest_ = region_ % row_stride_;
  unroll_ = rows_ >= 1 && rows_ <= std::int64_t{2} * spec_.unroll ? static_cast<int>(rows_)
                                                                  : spec_.unroll;  // short loops vanish
  DeviceBuffers buffers;
  buffer_ = buffers.allocate(spec_.bytes);
  result_ = buffers.allocate(4);

  CodeBuilder code;
  const Register first = code.name();
  const Register pointer = code.name();
  const Register left = code.name();
  const Register passes = code.name();
  const Register sum = code.name();
  code.section();
  code.emit(OpClass::constant_load);
  const Register thread = code.emit(OpClass::special);
  const Register cta = code.emit(OpClass::special);
  const Register base = code.emit(OpClass::constant_load);
  code.emit_to(passes, OpClass::constant_load);
  code.emit_to(sum, OpClass::alu);
  const Register index = code.emit(OpClass::imad, {cta, thread});
  code.emit_to(first, OpClass::imad, {index, base});
  code.section();
  code.emit_to(pointer, OpClass::alu, {first});
  code.emit_to(left, OpClass::alu);
  for (const int unroll : {unroll_, 1}) {
    code.section(true);
    std::vector<Register> values;
    Register address = pointer;
    for (int i = 0; i < unroll; ++i) {
      values.push_back(code.load(OpClass::global_load, {kLoad, i}, {address}));
      if (!spec_.cached) code.uncached();
      if (i + 1 < unroll && row_stride_ >= 1 << 20)
        address = code.emit(OpClass::imad, {address});  // beyond an immediate
    }
    code.emit_to(pointer, OpClass::imad, {address});
    code.emit_to(left, OpClass::alu, {left});
    const Register more = code.emit(OpClass::alu, {left});
    for (const Register value : values)
      for (std::int64_t word = 0; word < spec_.width / 4; ++word) code.emit_to(sum, OpClass::fma, {value, sum});
    code.effect(OpClass::branch, {}, more);
  }
  code.section();
  code.emit_to(passes, OpClass::alu, {passes});
  code.effect(OpClass::branch, {}, code.emit(OpClass::alu, {passes}));
  code.section();
  // The sum is stored only if it has a value it never has: the store keeps the loads alive and does not happen.
  const Register never = code.emit(OpClass::alu, {sum});
  const Register result = code.emit(OpClass::constant_load, {}, never);
  code.store(OpClass::global_store, {kStore}, {result, sum}, never);
  code.effect(OpClass::exit);
  set_code(code);
  set_advance(kBlock, {unroll_ * row_stride_, 0, 0, 0});
  set_advance(kOne, {row_stride_, 0, 0, 0});
  ragged_section_ = add_edge_section(kOne, 0);

  Launch launch;
  launch.kernel = "reread";
  launch.grid = {spec_.ctas, 1, 1};
  launch.block = {spec_.threads, 1, 1};
  launch.registers_per_thread = spec_.width == 16 ? 48 : 32;
  set_launch(std::move(launch), 3);
}

inline CtaPlace PublishedReread::place(std::int64_t cta) const {
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

inline bool PublishedReread::step(const CtaPlace& place, int, std::int64_t index, RouteStep& out) const {
  constexpr std::int64_t kStepsPerPass = 5;
  const std::uint64_t begin = buffer_ + static_cast<std::uint64_t>(place.tile[0]);
  out.base = {begin, result_, 0, 0};
  if (index == 0) {
    out.section = kBegin;
    return true;
  }
  const std::int64_t pass = (index - 1) / kStepsPerPass;
  if (pass >= spec_.passes) {
    out.section = kEnd;
    return index == kStepsPerPass * spec_.passes + 1;
  }
  const std::int64_t blocks = rows_ / unroll_;
  const std::int64_t whole_rest = rest_ > 0 && place.shape == kWhole ? 1 : 0;
  switch ((index - 1) % kStepsPerPass) {
    case 0:
      out.section = kPassBegin;
      break;
    case 1:
      out.section = kBlock;
      out.repeats = blocks;
      break;
    case 2:
      out.section = kOne;
      out.repeats = rows_ % unroll_ + whole_rest;
      out.base[0] = begin + static_cast<std::uint64_t>(blocks * unroll_ * row_stride_);
      break;
    case 3:
      out.section = ragged_section_;
      out.repeats = place.shape == kPartial ? 1 : 0;
      out.base[0] = begin + static_cast<std::uint64_t>(rows_ * row_stride_);
      break;
    default:
      out.section = kPassEnd;
      break;
  }
  return true;
}

inline LaneAddresses PublishedReread::lanes(const tilescope::Access& access, int, int warp) const {
  LaneAddresses out;
  out.buffer = access.role == kLoad ? 0 : 1;
  if (access.role == kStore) return out;  // never happens: no lane
  out.bytes = static_cast<int>(spec_.width);
  // Of the ragged row, one CTA has some threads only.
  const std::int64_t covered = access.edge ? rest_ % row_bytes() : row_bytes();
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread < spec_.threads && thread * spec_.width < covered)
      out.set(lane, access.step * row_stride_ + thread * spec_.width);
  }
  return out;
}

}  // namespace tilescope::test
