#include "traces/kernels/gemm_register.h"

#include <algorithm>

#include "traces/kernels/gemm_register_code.h"

namespace tilescope {

namespace {

// Accumulators, two fragments of each operand, addresses: 64, 80 and 128 for 4x4, 8x4 and 8x8 as compiled. With scalar
// loads two more for each pointer beyond eight, unless that would leave room for one CTA of 256 threads instead of two;
// with so many that both matrices' addresses are computed (gemm_register_code), an offset and a high word for each.
std::int64_t registers(const GemmRegisterSpec& spec) {
  constexpr int kTwoCtas = 128, kMost = 255, kPointers = 8, kPointersOfOneMatrix = 12;
  const int tile = spec.tm * spec.tn + std::max(48, 4 * (spec.tm + spec.tn));
  const int loads = spec.steps_a() + spec.steps_b();
  if (spec.vector != 1 || loads <= kPointers) return std::min(kMost, tile);
  if (loads > kPointersOfOneMatrix) return std::min(kMost, tile + 2 * loads);
  return std::min(std::max(kTwoCtas, tile), tile + 2 * (loads - kPointers));
}

}  // namespace

GemmRegister::GemmRegister(const GemmRegisterSpec& spec) : spec_(spec), arrays_(spec.problem) {
  const GemmProblem& p = spec_.problem;
  raster_ = {.order = p.raster, .tiles_x = p.n / spec_.bn, .tiles_y = p.m / spec_.bm, .group = p.group};
  CodeBuilder code;
  emit_gemm_register(code, spec_);
  set_code(code);
  set_advance(1, {spec_.bk * kFloat, spec_.bk * p.n * kFloat, 0, 0});

  Launch launch;
  launch.kernel = "gemm_register";
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.threads(), 1, 1};
  launch.registers_per_thread = registers(spec_);
  launch.static_smem_bytes = spec_.bk * (spec_.bm + spec_.bn) * kFloat;
  launch.flop = gemm_flop(p);
  set_launch(std::move(launch), 1);
}

CtaPlace GemmRegister::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  return {.shape = 0, .tile = {tile.x, tile.y}};
}

bool GemmRegister::step(const CtaPlace& place, int, std::int64_t index, RouteStep& out) const {
  if (index > 2) return false;
  const GemmProblem& p = spec_.problem;
  out.section = static_cast<int>(index);
  out.repeats = index == 1 ? p.k / spec_.bk : 1;
  const std::int64_t row = place.tile[1] * spec_.bm;
  const std::int64_t column = place.tile[0] * spec_.bn;
  out.base[kBufferA] = arrays_.a + static_cast<std::uint64_t>(row * p.k * kFloat);
  out.base[kBufferB] = arrays_.b + static_cast<std::uint64_t>(column * kFloat);
  out.base[kBufferC] = arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat);
  return true;
}

LaneAddresses GemmRegister::lanes(const Access& access, int, int warp) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t vector = spec_.vector;
  const std::int64_t shared_b = std::int64_t{spec_.bk} * spec_.bm;
  LaneAddresses out;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread >= spec_.threads()) break;
    const std::int64_t tx = thread % (spec_.bn / spec_.tn);
    const std::int64_t ty = thread / (spec_.bn / spec_.tn);
    const std::int64_t i = thread + std::int64_t{access.step} * spec_.threads();  // which access to the tile
    const std::int64_t row_a = i / (spec_.bk / vector);
    const std::int64_t col_a = i % (spec_.bk / vector) * vector;
    const std::int64_t row_b = i / (spec_.bn / vector);
    const std::int64_t col_b = i % (spec_.bn / vector) * vector;
    switch (access.role) {
      case kRegLoadA:
        out.buffer = kBufferA;
        out.bytes = static_cast<int>(vector * kFloat);
        if (i < spec_.accesses_a()) out.set(lane, (row_a * p.k + col_a) * kFloat);
        break;
      case kRegLoadB:
        out.buffer = kBufferB;
        out.bytes = static_cast<int>(vector * kFloat);
        if (i < spec_.accesses_b()) out.set(lane, (row_b * p.n + col_b) * kFloat);
        break;
      case kRegStoreA:
        if (i < spec_.accesses_a()) out.set(lane, ((col_a + access.part) * spec_.bm + row_a) * kFloat);
        break;
      case kRegStoreB:
        out.bytes = static_cast<int>(vector * kFloat);
        if (i < spec_.accesses_b()) out.set(lane, (shared_b + row_b * spec_.bn + col_b) * kFloat);
        break;
      case kRegReadA:
        out.bytes = static_cast<int>(fragment_width(spec_.tm) * kFloat);
        out.set(lane, (access.step * spec_.bm + ty * spec_.tm + access.part) * kFloat);
        break;
      case kRegReadB:
        out.bytes = static_cast<int>(fragment_width(spec_.tn) * kFloat);
        out.set(lane, (shared_b + access.step * spec_.bn + tx * spec_.tn + access.part) * kFloat);
        break;
      default:
        out.buffer = kBufferC;
        out.bytes = static_cast<int>(vector * kFloat);
        out.set(lane, ((ty * spec_.tm + access.step) * p.n + tx * spec_.tn + access.part) * kFloat);
        break;
    }
  }
  return out;
}

}  // namespace tilescope
