#include "traces/kernels/gemm_naive.h"

#include "traces/kernels/gemm_naive_code.h"

namespace tilescope {

GemmNaive::GemmNaive(const GemmNaiveSpec& spec)
    : spec_(spec),
      arrays_(spec.problem),
      fast_(spec.lanes_along_rows ? spec.problem.m : spec.problem.n),
      slow_(spec.lanes_along_rows ? spec.problem.n : spec.problem.m) {
  const GemmProblem& p = spec_.problem;
  raster_ = {.order = p.raster,
             .tiles_x = divide_up(fast_, spec_.block_x),
             .tiles_y = divide_up(slow_, spec_.block_y),
             .group = p.group};

  CodeBuilder code;
  const GemmNaiveSections s = emit_gemm_naive(code, p.raster);
  set_code(code);
  std::int64_t k = 0;
  const auto run = [&](int section, std::int64_t repeats, int steps) {
    set_advance(section, {steps * kFloat, steps * p.n * kFloat, 0, 0});
    if (repeats > 0) route_.push_back({section, repeats, k});
    k += repeats * steps;
  };
  run(s.enter, 1, 0);
  run(s.start, 1, 0);
  if (p.k >= 4) {
    run(s.start_unrolled, 1, 0);
    if (p.k >= 16) {
      run(s.enter_sixteen, 1, 0);
      run(s.sixteen, p.k / 16, 16);
    }
    run(s.check_eight, 1, 0);
    run(s.eight, p.k % 16 / 8, 8);
    run(s.check_four, 1, 0);
    run(s.four, p.k % 8 / 4, 4);
  }
  run(s.check_one, 1, 0);
  if (p.k % 4 != 0) run(s.setup_one, 1, 0);
  run(s.one, p.k % 4, 1);
  run(s.store, 1, 0);
  exit_section_ = s.leave;

  Launch launch;
  launch.kernel = "gemm_naive";
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.block_x, spec_.block_y, 1};
  launch.registers_per_thread = 32;
  launch.flop = gemm_flop(p);
  constexpr int kShapes = 4;  // bit 0: ragged along threadIdx.x; bit 1: along threadIdx.y
  set_launch(std::move(launch), kShapes);
  for (int shape = 0; shape < kShapes; ++shape) {
    idle_.emplace_back();
    for (int warp = 0; warp < this->launch().warps_per_cta(); ++warp)
      idle_.back().push_back(lanes({kNaiveStoreC}, shape, warp).active == 0 ? 1 : 0);
  }
}

CtaPlace GemmNaive::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  const bool fast = fast_ % spec_.block_x != 0 && tile.x == raster_.tiles_x - 1;
  const bool slow = slow_ % spec_.block_y != 0 && tile.y == raster_.tiles_y - 1;
  return {.shape = (fast ? 1 : 0) + (slow ? 2 : 0), .tile = {tile.x, tile.y}};
}

bool GemmNaive::step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const {
  if (idle_[static_cast<std::size_t>(place.shape)][static_cast<std::size_t>(warp)] != 0) {
    out.section = exit_section_;
    return index == 0;
  }
  if (index >= static_cast<std::int64_t>(route_.size())) return false;
  const Planned& run = route_[static_cast<std::size_t>(index)];
  out.section = run.section;
  out.repeats = run.repeats;
  const GemmProblem& p = spec_.problem;
  std::int64_t row = place.tile[1] * spec_.block_y;
  std::int64_t column = place.tile[0] * spec_.block_x;
  if (spec_.lanes_along_rows) {
    row = place.tile[0] * spec_.block_x;
    column = place.tile[1] * spec_.block_y;
  }
  out.base[kBufferA] = arrays_.a + static_cast<std::uint64_t>((row * p.k + run.first_k) * kFloat);
  out.base[kBufferB] = arrays_.b + static_cast<std::uint64_t>((run.first_k * p.n + column) * kFloat);
  out.base[kBufferC] = arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat);
  return true;
}

LaneAddresses GemmNaive::lanes(const Access& access, int shape, int warp) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t width = (shape & 1) != 0 ? fast_ % spec_.block_x : spec_.block_x;
  const std::int64_t height = (shape & 2) != 0 ? slow_ % spec_.block_y : spec_.block_y;
  LaneAddresses out;
  out.buffer = access.role == kNaiveLoadA ? kBufferA : access.role == kNaiveLoadB ? kBufferB : kBufferC;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    const std::int64_t tx = thread % spec_.block_x;
    const std::int64_t ty = thread / spec_.block_x;
    if (ty >= height || tx >= width) continue;
    const std::int64_t row = spec_.lanes_along_rows ? tx : ty;
    const std::int64_t column = spec_.lanes_along_rows ? ty : tx;
    switch (access.role) {
      case kNaiveLoadA:
        out.set(lane, (row * p.k + access.step) * kFloat);
        break;
      case kNaiveLoadB:
        out.set(lane, (access.step * p.n + column) * kFloat);
        break;
      default:
        out.set(lane, (row * p.n + column) * kFloat);
        break;
    }
  }
  return out;
}

}  // namespace tilescope
