#include "traces/kernels/gemm_tiled.h"

#include <cmath>
#include <cstdlib>

#include "traces/kernels/compiled_sample.h"
#include "traces/kernels/reshape.h"
#include "traces/kernels/template_numbers.h"

namespace tilescope {
namespace {

constexpr const char* kTiledFamily = "gemm_tiled";

enum TiledRole { kTiledLoadA, kTiledLoadB, kTiledStoreA, kTiledStoreB, kTiledReadA, kTiledReadB, kTiledStoreC };

GemmTiledSpec normalised(GemmTiledSpec spec) {
  spec.transpose_a = spec.transpose_a || spec.swizzle;
  return spec;
}

// Where along k the loads of A's tile begin.
std::vector<int> reads_of_a(const GemmTiledSpec& spec) {
  std::vector<int> begin;
  for (int k = 0; k < spec.tile; k += spec.transpose_a ? 1 : shared_read_width(spec.tile + spec.pad_a, k, spec.tile))
    begin.push_back(k);
  return begin;
}

// Bit 0 of `shape`: the ragged right edge of C; bit 1: the ragged bottom edge.
LaneAddresses lanes_of(const GemmTiledSpec& spec, const Access& access, int shape, int warp) {
  const GemmProblem& p = spec.problem;
  const std::int64_t T = spec.tile, pitch_a = T + spec.pad_a, shared_b = T * pitch_a;
  const std::int64_t ragged_k = access.edge ? p.k % T : T;
  const std::int64_t columns = (shape & 1) != 0 ? p.n % T : T, rows = (shape & 2) != 0 ? p.m % T : T;
  const auto swizzled = [&](std::int64_t column, std::int64_t line) { return spec.swizzle ? column ^ line : column; };
  std::int64_t k = access.part;
  LaneAddresses out;
  if (access.role == kTiledReadA) {
    k = reads_of_a(spec)[static_cast<std::size_t>(access.part)];
    if (!spec.transpose_a)
      out.bytes =
          static_cast<int>(shared_read_width(static_cast<int>(pitch_a), static_cast<int>(k), spec.tile) * kFloat);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread >= T * T) break;
    const std::int64_t tx = thread % T, ty = thread / T;
    switch (access.role) {
      case kTiledLoadA:
        out.buffer = kBufferA;
        if (tx < ragged_k && ty < rows) out.set(lane, (ty * p.k + access.step * T + tx) * kFloat);
        break;
      case kTiledLoadB:
        out.buffer = kBufferB;
        if (ty < ragged_k && tx < columns) out.set(lane, ((access.step * T + ty) * p.n + tx) * kFloat);
        break;
      case kTiledStoreC:
        out.buffer = kBufferC;
        if (tx < columns && ty < rows) out.set(lane, (ty * p.n + tx) * kFloat);
        break;
      case kTiledStoreA:
        out.set(lane, (spec.transpose_a ? tx * pitch_a + swizzled(ty, tx) : ty * pitch_a + tx) * kFloat);
        break;
      case kTiledReadA:
        out.set(lane, (spec.transpose_a ? k * pitch_a + swizzled(ty, k) : ty * pitch_a + k) * kFloat);
        break;
      case kTiledStoreB:
        out.set(lane, (shared_b + ty * (T + spec.pad_b) + tx) * kFloat);
        break;
      case kTiledReadB:
        out.set(lane, (shared_b + k * (T + spec.pad_b) + tx) * kFloat);
        break;
      default:
        break;
    }
  }
  return out;
}

StepAddresses addresses_of(const GemmTiledSpec& spec) {
  StepAddresses made;
  made.add(OpClass::global_load, kTiledLoadA, 1);
  made.add(OpClass::global_load, kTiledLoadB, 1);
  made.add(OpClass::shared_store, kTiledStoreA, 1);
  made.add(OpClass::shared_store, kTiledStoreB, 1);
  made.add(OpClass::shared_load, kTiledReadA, static_cast<int>(reads_of_a(spec).size()));
  made.add(OpClass::shared_load, kTiledReadB, spec.tile);
  made.add(OpClass::global_store, kTiledStoreC, 1);
  made.lanes = [spec](const Access& access, int warp) { return lanes_of(spec, access, 0, warp); };
  const GemmArrays arrays(spec.problem);
  made.base = {arrays.a, arrays.b, arrays.c};
  made.advance = {spec.tile * kFloat, spec.tile * spec.problem.n * kFloat};
  made.steps = divide_up(spec.problem.k, spec.tile);
  made.products = spec.tile;
  return made;
}

GemmTiledSpec tiled_shape(const std::string& function) {
  const std::vector<int> n = template_numbers(function);
  return {.problem = {},
          .tile = n[0],
          .pad_a = n[1],
          .pad_b = n[2],
          .transpose_a = n[3] != 0,
          .swizzle = n[4] != 0,
          .bounds = n[5] != 0};
}

// How unlike their loops are: above all in what they check; then in size, on which it depends how many steps the
// compiler puts into one pass of the loop (one of 32 lines; without checks four of 16); then in how they find A's words
// and how many they read at once. Pads only move addresses.
double distance(const GemmTiledSpec& a, const GemmTiledSpec& b) {
  const auto apart = [](double x, double y) { return std::abs(std::log2(x / y)); };
  const auto reads = [](const GemmTiledSpec& s) { return static_cast<double>(reads_of_a(s).size()) / s.tile; };
  return (a.bounds == b.bounds ? 0 : 1000) + 100 * apart(a.tile, b.tile) + (a.swizzle == b.swizzle ? 0 : 20) +
         (a.transpose_a == b.transpose_a ? 0 : 1) + 8 * apart(reads(a), reads(b)) + (a.pad_a == b.pad_a ? 0 : 0.25) +
         (a.pad_b == b.pad_b ? 0 : 0.125);
}

LoopCode code_of(const GemmTiledSpec& spec, const CompiledListing& listing, const std::string& function) {
  GemmTiledSpec sample = tiled_shape(function);
  const std::int64_t T = sample.tile;
  // One CTA of the sample, with as many tiles along K; then the same with one row of C.
  sample.problem = {.m = T, .n = T, .k = divide_up(spec.problem.k, spec.tile) * T};
  const GemmProblem& p = sample.problem;
  const GemmArrays arrays(p);
  SampleLaunch launch{.listing = &listing,
                      .function = function,
                      .grid = {},
                      .block = {T, T, 1},
                      .pointers = {arrays.a, arrays.b, arrays.c},
                      .numbers = {static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k)}};
  const CompiledSample compiled(launch);
  launch.numbers[0] = 1;
  const CompiledSample one_row(launch);
  WarpWalk idle{.warp = static_cast<int>(T * T / kLanes) - 1, .runs = {}};
  if (sample.bounds) idle.runs = one_row.walk(idle.warp);
  const StepAddresses from = addresses_of(sample), to = addresses_of(spec);
  LoopCode code = reshaped(loop_code(compiled, {{0, compiled.walk(0)}}, idle, from),
                           {.from = &from, .to = &to, .depth_from = sample.tile, .depth_to = spec.tile});
  // The swizzle keeps an address for every line of A's tile: 56 registers for 32 lines, 40 for 16, as compiled.
  constexpr int kOthers = 24;
  if (spec.swizzle) code.registers_per_thread = kOthers + spec.tile;
  return code;
}

}  // namespace

int shared_read_width(int pitch_words, int k, int length) {
  if (pitch_words % 4 == 0 && k % 4 == 0 && length - k >= 4) return 4;
  if (pitch_words % 2 == 0 && k % 2 == 0 && length - k >= 2) return 2;
  return 1;
}

std::string GemmTiled::nearest_sample(const GemmTiledSpec& spec, const std::string& without) {
  std::string nearest;
  double least = 0;
  for (const std::string& function : compiled_functions(kTiledFamily)) {
    const double here = distance(spec, tiled_shape(function));
    if (function == without || (!nearest.empty() && here >= least)) continue;
    nearest = function;
    least = here;
  }
  return nearest;
}

GemmTiled::GemmTiled(const GemmTiledSpec& spec, const std::string& sample, const CompiledListing* listing)
    : spec_(normalised(spec)), arrays_(spec.problem) {
  const GemmProblem& p = spec_.problem;
  const std::int64_t T = spec_.tile;
  raster_ = {.order = p.raster, .tiles_x = divide_up(p.n, T), .tiles_y = divide_up(p.m, T), .group = p.group};
  const LoopCode code = code_of(spec_, listing == nullptr ? compiled_listing(kTiledFamily) : *listing,
                                sample.empty() ? nearest_sample(spec_) : sample);
  set_loop(code, addresses_of(spec_).advance, p.k % T != 0, p.raster);

  Launch launch;
  launch.kernel = kTiledFamily;
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {T, T, 1};
  launch.registers_per_thread = code.registers_per_thread;
  launch.static_smem_bytes = T * (T + spec_.pad_a + T + spec_.pad_b) * kFloat;
  launch.flop = gemm_flop(p);
  constexpr int kShapes = 4;
  set_launch(std::move(launch), kShapes);
  if (spec_.bounds) find_idle_warps({.role = kTiledStoreC}, kShapes);
}

CtaPlace GemmTiled::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  const bool right = spec_.problem.n % spec_.tile != 0 && tile.x == raster_.tiles_x - 1;
  const bool bottom = spec_.problem.m % spec_.tile != 0 && tile.y == raster_.tiles_y - 1;
  return {.shape = (right ? 1 : 0) + (bottom ? 2 : 0), .tile = {tile.x, tile.y}};
}

std::array<std::uint64_t, kBuffers> GemmTiled::base(const CtaPlace& place) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t row = place.tile[1] * spec_.tile, column = place.tile[0] * spec_.tile;
  return {arrays_.a + static_cast<std::uint64_t>(row * p.k * kFloat),
          arrays_.b + static_cast<std::uint64_t>(column * kFloat),
          arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat)};
}

LaneAddresses GemmTiled::lanes(const Access& access, int shape, int warp) const {
  return lanes_of(spec_, access, shape, warp);
}

}  // namespace tilescope
