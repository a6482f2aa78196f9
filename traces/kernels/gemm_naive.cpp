#include "traces/kernels/gemm_naive.h"

#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/compiled_sample.h"

namespace tilescope {
namespace {

constexpr const char* kNaiveFamily = "gemm_naive";

enum NaiveRole { kNaiveLoadA, kNaiveLoadB, kNaiveStoreC };

// Extents of C along threadIdx.x and threadIdx.y.
std::int64_t fast(const GemmNaiveSpec& spec) { return spec.lanes_along_rows ? spec.problem.m : spec.problem.n; }
std::int64_t slow(const GemmNaiveSpec& spec) { return spec.lanes_along_rows ? spec.problem.n : spec.problem.m; }

// Bit 0 of `shape`: ragged along threadIdx.x; bit 1: along threadIdx.y.
LaneAddresses lanes_of(const GemmNaiveSpec& spec, const Access& access, int shape, int warp) {
  const GemmProblem& p = spec.problem;
  const std::int64_t width = (shape & 1) != 0 ? fast(spec) % spec.block_x : spec.block_x;
  const std::int64_t height = (shape & 2) != 0 ? slow(spec) % spec.block_y : spec.block_y;
  LaneAddresses out;
  out.buffer = access.role == kNaiveLoadA ? kBufferA : access.role == kNaiveLoadB ? kBufferB : kBufferC;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    const std::int64_t tx = thread % spec.block_x, ty = thread / spec.block_x;
    if (ty >= height || tx >= width) continue;
    const std::int64_t row = spec.lanes_along_rows ? tx : ty, column = spec.lanes_along_rows ? ty : tx;
    switch (access.role) {
      case kNaiveLoadA:
        out.set(lane, (row * p.k + access.step) * kFloat);
        break;
      case kNaiveLoadB:
        out.set(lane, (access.step * p.n + column) * kFloat);
        break;
      case kNaiveStoreC:
        out.set(lane, (row * p.n + column) * kFloat);
        break;
      default:
        break;
    }
  }
  return out;
}

StepAddresses addresses_of(const GemmNaiveSpec& spec) {
  StepAddresses made;
  made.accesses = {{OpClass::global_load, {.role = kNaiveLoadA}},
                   {OpClass::global_load, {.role = kNaiveLoadB}},
                   {OpClass::global_store, {.role = kNaiveStoreC}}};
  made.lanes = [spec](const Access& access, int warp) { return lanes_of(spec, access, 0, warp); };
  const GemmArrays arrays(spec.problem);
  made.base = {arrays.a, arrays.b, arrays.c};
  made.advance = {kFloat, spec.problem.n * kFloat};
  made.steps = spec.problem.k;
  made.products = 1;
  return made;
}

// Both warps of a CTA that makes one row, or column, of C: the first has work, the second none.
LoopCode code_of(const GemmNaiveSpec& spec) {
  const std::string lanes = spec.lanes_along_rows ? "LanesE1E" : "LanesE0E";
  std::string function;
  for (const std::string& one : compiled_functions(kNaiveFamily))
    if (one.find(lanes) != std::string::npos) function = one;
  GemmNaiveSpec sample = spec;
  sample.block_x = kLanes;
  sample.block_y = 2;
  sample.problem = {.m = 1, .n = 1, .k = spec.problem.k};
  (spec.lanes_along_rows ? sample.problem.m : sample.problem.n) = kLanes;
  const GemmProblem& p = sample.problem;
  const GemmArrays arrays(p);
  const CompiledSample compiled({.listing = &compiled_listing(kNaiveFamily),
                                 .function = function,
                                 .grid = {},
                                 .block = {sample.block_x, sample.block_y, 1},
                                 .pointers = {arrays.a, arrays.b, arrays.c},
                                 .numbers = {static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k)}});
  return loop_code(compiled, {{0, compiled.walk(0)}}, {1, compiled.walk(1)}, addresses_of(sample));
}

}  // namespace

GemmNaive::GemmNaive(const GemmNaiveSpec& spec) : spec_(spec), arrays_(spec.problem) {
  const GemmProblem& p = spec_.problem;
  raster_ = {.order = p.raster,
             .tiles_x = divide_up(fast(spec_), spec_.block_x),
             .tiles_y = divide_up(slow(spec_), spec_.block_y),
             .group = p.group};
  const LoopCode code = code_of(spec_);
  set_loop(code, addresses_of(spec_).advance, false, p.raster);

  Launch launch;
  launch.kernel = kNaiveFamily;
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.block_x, spec_.block_y, 1};
  launch.registers_per_thread = code.registers_per_thread;
  launch.flop = gemm_flop(p);
  constexpr int kShapes = 4;
  set_launch(std::move(launch), kShapes);
  find_idle_warps({.role = kNaiveStoreC}, kShapes);
}

CtaPlace GemmNaive::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  const bool right = fast(spec_) % spec_.block_x != 0 && tile.x == raster_.tiles_x - 1;
  const bool bottom = slow(spec_) % spec_.block_y != 0 && tile.y == raster_.tiles_y - 1;
  return {.shape = (right ? 1 : 0) + (bottom ? 2 : 0), .tile = {tile.x, tile.y}};
}

std::array<std::uint64_t, kBuffers> GemmNaive::base(const CtaPlace& place) const {
  const GemmProblem& p = spec_.problem;
  std::int64_t row = place.tile[1] * spec_.block_y, column = place.tile[0] * spec_.block_x;
  if (spec_.lanes_along_rows) {
    row = place.tile[0] * spec_.block_x;
    column = place.tile[1] * spec_.block_y;
  }
  return {arrays_.a + static_cast<std::uint64_t>(row * p.k * kFloat),
          arrays_.b + static_cast<std::uint64_t>(column * kFloat),
          arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat)};
}

LaneAddresses GemmNaive::lanes(const Access& access, int shape, int warp) const {
  return lanes_of(spec_, access, shape, warp);
}

}  // namespace tilescope
