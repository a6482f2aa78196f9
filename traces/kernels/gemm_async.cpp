#include "traces/kernels/gemm_async.h"

#include <cmath>

#include "traces/kernels/compiled_sample.h"
#include "traces/kernels/join.h"
#include "traces/kernels/reshape.h"
#include "traces/kernels/template_numbers.h"

namespace tilescope {
namespace {

constexpr const char* kAsyncFamily = "gemm_async";
constexpr int kTurns = 2;             // tiles of each matrix in shared memory
constexpr std::int64_t kReadOfA = 4;  // elements that one load fetches along a row of A's tile

enum AsyncRole { kAsyncFromA, kAsyncToA, kAsyncFromB, kAsyncToB, kAsyncReadA, kAsyncReadB, kAsyncStoreC };

LaneAddresses lanes_of(const GemmAsyncSpec& spec, const Access& access, int warp) {
  const GemmProblem& p = spec.problem;
  const std::int64_t T = spec.tile, in_row = T / spec.vector, copies = spec.copies();
  const std::int64_t shared_a = access.turn * T * T, shared_b = (kTurns + access.turn) * T * T;
  const bool of_a = access.role == kAsyncFromA || access.role == kAsyncToA;
  const bool copy = access.role <= kAsyncToB;
  const std::int64_t first = !of_a && spec.vector > 1 ? copies : 0;  // thread that copies
  LaneAddresses out;
  if (access.role == kAsyncFromA) out.buffer = kBufferA;
  if (access.role == kAsyncFromB) out.buffer = kBufferB;
  if (access.role == kAsyncStoreC) out.buffer = kBufferC;
  out.bytes = static_cast<int>((copy ? spec.vector : access.role == kAsyncReadA ? kReadOfA : 1) * kFloat);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane, tx = thread % T, ty = thread / T;
    if (thread >= T * T) break;
    if (copy && (thread < first || thread >= first + copies)) continue;
    const std::int64_t row = thread % copies / in_row, column = thread % in_row * spec.vector;
    switch (access.role) {
      case kAsyncFromA:
        out.set(lane, (row * p.k + access.step * T + column) * kFloat);
        break;
      case kAsyncFromB:
        out.set(lane, ((access.step * T + row) * p.n + column) * kFloat);
        break;
      case kAsyncToA:
      case kAsyncToB:
        out.set(lane, ((of_a ? shared_a : shared_b) + row * T + column) * kFloat);
        break;
      case kAsyncReadA:
        out.set(lane, (shared_a + ty * T + access.part * kReadOfA) * kFloat);
        break;
      case kAsyncReadB:
        out.set(lane, (shared_b + access.part * T + tx) * kFloat);
        break;
      case kAsyncStoreC:
        out.set(lane, (ty * p.n + tx) * kFloat);
        break;
      default:
        break;
    }
  }
  return out;
}

StepAddresses addresses_of(const GemmAsyncSpec& spec) {
  StepAddresses made;
  made.add(OpClass::async_copy, kAsyncFromA, 1);
  made.add(OpClass::async_copy, kAsyncToA, 1, kTurns);
  made.add(OpClass::async_copy, kAsyncFromB, 1);
  made.add(OpClass::async_copy, kAsyncToB, 1, kTurns);
  made.add(OpClass::shared_load, kAsyncReadA, static_cast<int>(spec.tile / kReadOfA), kTurns);
  made.add(OpClass::shared_load, kAsyncReadB, spec.tile, kTurns);
  made.add(OpClass::global_store, kAsyncStoreC, 1);
  made.lanes = [spec](const Access& access, int warp) { return lanes_of(spec, access, warp); };
  const GemmArrays arrays(spec.problem);
  made.base = {arrays.a, arrays.b, arrays.c};
  made.advance = {spec.tile * kFloat, spec.tile * spec.problem.n * kFloat};
  made.steps = spec.problem.k / spec.tile;
  made.products = spec.tile;
  return made;
}

GemmAsyncSpec async_shape(const std::string& function, int architecture) {
  const std::vector<int> n = template_numbers(function);
  return {.problem = {}, .tile = n[0], .vector = n[1], .architecture = architecture};
}

// How unlike their loops are: in who copies, then in size.
double distance(const GemmAsyncSpec& a, const GemmAsyncSpec& b) {
  return (a.vector == b.vector ? 0 : 100) + std::abs(std::log2(static_cast<double>(a.tile) / b.tile));
}

LoopCode code_of(const GemmAsyncSpec& spec, const CompiledListing& listing, const std::string& function) {
  GemmAsyncSpec sample = async_shape(function, listing.architecture);
  const std::int64_t T = sample.tile;
  // One CTA of the sample, with as many tiles along K.
  sample.problem = {.m = T, .n = T, .k = spec.problem.k / spec.tile * T};
  const GemmProblem& p = sample.problem;
  const GemmArrays arrays(p);
  const CompiledSample compiled({.listing = &listing,
                                 .function = function,
                                 .grid = {},
                                 .block = {T, T, 1},
                                 .pointers = {arrays.a, arrays.b, arrays.c},
                                 .numbers = {static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k)}});
  // The first warp copies of A; with 16 bytes a copy another one of B.
  std::vector<WarpWalk> walks{{0, compiled.walk(0)}};
  const int copies_b = sample.vector > 1 ? sample.copies() / kLanes : 0;
  if (copies_b > 0) walks.push_back({copies_b, compiled.walk(copies_b)});
  const StepAddresses from = addresses_of(sample), to = addresses_of(spec);
  return joined(reshaped(loop_code(compiled, walks, {}, from),
                         {.from = &from, .to = &to, .depth_from = sample.tile, .depth_to = spec.tile}));
}

}  // namespace

std::string GemmAsync::nearest_sample(const GemmAsyncSpec& spec, const std::string& without) {
  std::string nearest;
  double least = 0;
  for (const std::string& function : compiled_functions(kAsyncFamily, spec.architecture)) {
    const double here = distance(spec, async_shape(function, spec.architecture));
    if (function == without || (!nearest.empty() && here >= least)) continue;
    nearest = function;
    least = here;
  }
  return nearest;
}

GemmAsync::GemmAsync(const GemmAsyncSpec& spec, const std::string& sample, const CompiledListing* listing)
    : spec_(spec), arrays_(spec.problem) {
  const GemmProblem& p = spec_.problem;
  const std::int64_t T = spec_.tile;
  raster_ = {.order = p.raster, .tiles_x = p.n / T, .tiles_y = p.m / T, .group = p.group};
  const LoopCode code =
      code_of(spec_, listing == nullptr ? compiled_listing(kAsyncFamily, spec.architecture) : *listing,
              sample.empty() ? nearest_sample(spec_) : sample);
  set_loop(code, addresses_of(spec_).advance, false, p.raster);

  Launch launch;
  launch.kernel = kAsyncFamily;
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {T, T, 1};
  launch.registers_per_thread = code.registers_per_thread;
  launch.static_smem_bytes = 2 * kTurns * T * T * kFloat;
  launch.flop = gemm_flop(p);
  set_launch(std::move(launch), 1);
}

CtaPlace GemmAsync::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  return {.shape = 0, .tile = {tile.x, tile.y}};
}

std::array<std::uint64_t, kBuffers> GemmAsync::base(const CtaPlace& place) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t row = place.tile[1] * spec_.tile, column = place.tile[0] * spec_.tile;
  return {arrays_.a + static_cast<std::uint64_t>(row * p.k * kFloat),
          arrays_.b + static_cast<std::uint64_t>(column * kFloat),
          arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat)};
}

LaneAddresses GemmAsync::lanes(const Access& access, int, int warp) const { return lanes_of(spec_, access, warp); }

}  // namespace tilescope
