#include "traces/kernels/gemm_pipelined.h"

#include <algorithm>
#include <cmath>

#include "traces/kernels/compiled_sample.h"
#include "traces/kernels/join.h"
#include "traces/kernels/reshape.h"
#include "traces/kernels/ring.h"
#include "traces/kernels/template_numbers.h"

namespace tilescope {
namespace {

constexpr std::string_view kPipelinedFamily = "gemm_pipelined", kGroupedFamily = "gemm_grouped";
constexpr std::int64_t kPipeChunk = GemmPipelinedSpec::kChunk, kPipeFragment = GemmPipelinedSpec::kFragment;
constexpr int kStoresOfProduct = 2;  // 8 rows each

enum PipelinedRole { kPipeFromA, kPipeToA, kPipeFromB, kPipeToB, kPipeReadA, kPipeReadB, kPipeStoreC };

// Byte of a chunk within a tile.
std::int64_t place_of(const GemmPipelinedSpec& spec, std::int64_t row, std::int64_t chunk) {
  const std::int64_t permuted = spec.padded ? chunk : spec.chunks() == 8 ? chunk ^ (row & 7) : chunk ^ (row >> 1 & 3);
  return row * spec.pitch() + permuted * kPipeChunk;
}

// Access::part: of copies which of the thread's; of reads product by product along K, and which fragment; of stores to
// C the products row by row, and which half. Access::turn: the stage.
LaneAddresses lanes_of(const GemmPipelinedSpec& spec, const Access& access, int warp) {
  const GemmProblem& p = spec.problem;
  const std::int64_t stage = access.turn * spec.stage_bytes(), tile_b = spec.bm * spec.pitch();
  const std::int64_t warp_row = warp / (spec.bn / spec.wn) * spec.wm,
                     warp_column = warp % (spec.bn / spec.wn) * spec.wn;
  const std::int64_t high = spec.wm / kPipeFragment, wide = spec.wn / kPipeFragment, part = access.part;
  LaneAddresses out;
  if (access.role == kPipeFromA) out.buffer = kBufferA;
  if (access.role == kPipeFromB) out.buffer = kBufferB;
  if (access.role == kPipeStoreC) out.buffer = kBufferC;
  out.bytes = static_cast<int>(access.role == kPipeStoreC ? 2 * kFloat : kPipeChunk);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t copy = std::int64_t{warp} * kLanes + lane + part * spec.threads();
    const std::int64_t row = copy / spec.chunks(), chunk = copy % spec.chunks();
    switch (access.role) {
      case kPipeFromA:
      case kPipeFromB:
        out.set(lane, row * p.k * spec.element() + access.step * spec.step_bytes() + chunk * kPipeChunk);
        break;
      case kPipeToA:
        out.set(lane, stage + place_of(spec, row, chunk));
        break;
      case kPipeToB:
        out.set(lane, stage + tile_b + place_of(spec, row, chunk));
        break;
      case kPipeReadA:
        out.set(lane, stage + place_of(spec, warp_row + part % high * kPipeFragment + lane % 16,
                                       part / high * 2 + lane / 16));
        break;
      case kPipeReadB:
        out.set(lane, stage + tile_b +
                          place_of(spec, warp_column + part % wide * kPipeFragment + lane / 16 * 8 + lane % 8,
                                   part / wide * 2 + lane / 8 % 2));
        break;
      case kPipeStoreC: {
        const std::int64_t product = part / kStoresOfProduct, below = part % kStoresOfProduct;
        out.set(lane, ((warp_row + product / (2 * wide) * 16 + below * 8 + lane / 4) * p.n + warp_column +
                       product % (2 * wide) * 8 + lane % 4 * 2) *
                          kFloat);
        break;
      }
      default:
        break;
    }
  }
  return out;
}

int depth_of(const GemmPipelinedSpec& spec) {
  return static_cast<int>(spec.step_bytes() / GemmPipelinedSpec::kProductBytes);
}

std::int64_t copies_a(const GemmPipelinedSpec& spec) { return spec.bm * spec.chunks() / spec.threads(); }
std::int64_t copies_b(const GemmPipelinedSpec& spec) { return spec.bn * spec.chunks() / spec.threads(); }

StepAddresses addresses_of(const GemmPipelinedSpec& spec) {
  const int deep = depth_of(spec);
  const auto high = static_cast<int>(spec.wm / kPipeFragment), wide = static_cast<int>(spec.wn / kPipeFragment);
  const auto of_a = static_cast<int>(copies_a(spec)), of_b = static_cast<int>(copies_b(spec));
  StepAddresses made;
  made.add(OpClass::async_copy, kPipeFromA, of_a);
  made.add(OpClass::async_copy, kPipeToA, of_a, spec.stages);
  made.add(OpClass::async_copy, kPipeFromB, of_b);
  made.add(OpClass::async_copy, kPipeToB, of_b, spec.stages);
  made.add(OpClass::matrix_load, kPipeReadA, deep * high, spec.stages);
  made.add(OpClass::matrix_load, kPipeReadB, deep * wide, spec.stages);
  made.add(OpClass::global_store, kPipeStoreC, high * 2 * wide * kStoresOfProduct);
  made.lanes = [spec](const Access& access, int warp) { return lanes_of(spec, access, warp); };
  const GemmArrays arrays(spec.problem, spec.element());
  made.base = {arrays.a, arrays.b, arrays.c};
  made.advance = {spec.step_bytes(), spec.step_bytes()};
  made.steps = spec.problem.k / spec.bk;
  made.products = std::int64_t{2} * deep * high * wide;
  return made;
}

// How unlike their loops are, in halvings and doublings: what a warp multiplies, how deep, what a thread copies.
double distance(const GemmPipelinedSpec& a, const GemmPipelinedSpec& b) {
  const auto apart = [](auto x, auto y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  return 4 * (apart(a.wm, b.wm) + apart(a.wn, b.wn)) + 2 * apart(a.bk, b.bk) + apart(copies_a(a), copies_a(b)) +
         apart(copies_b(a), copies_b(b)) + apart(a.stages, b.stages) / 2;
}

// The sums of a lane, each pair with the address that it is stored to, as far as two shapes differ in them.
std::int64_t registers_of(const GemmPipelinedSpec& spec, const GemmPipelinedSpec& sample, std::int64_t of_sample) {
  constexpr std::int64_t kLeast = 32, kMost = 255;
  const auto size = [](const GemmPipelinedSpec& s) { return 2 * s.wm * s.wn / kLanes; };
  return std::clamp<std::int64_t>(of_sample + size(spec) - size(sample), kLeast, kMost);
}

bool is_grouped(const std::string& function) { return function.find(kGroupedFamily) != std::string::npos; }

LoopCode code_of(const GemmPipelinedSpec& spec, const CompiledListing& listing, const std::string& function,
                 std::int64_t tiles_y) {
  GemmPipelinedSpec sample = GemmPipelined::shape_of(function, listing.architecture);
  // One CTA of the sample, with as many steps along K; to give its ring other stages, with some of all kinds of steps.
  const bool same_ring = sample.stages == spec.stages;
  const std::int64_t steps = spec.problem.k / spec.bk;
  sample.problem = {.m = sample.bm, .n = sample.bn, .k = (same_ring ? steps : 2 * sample.stages) * sample.bk};
  const GemmProblem& p = sample.problem;
  const GemmArrays arrays(p, sample.element());
  SampleLaunch launch{.listing = &listing,
                      .function = function,
                      .grid = {},
                      .block = {sample.threads(), 1, 1},
                      .dynamic_smem_bytes = sample.stages * sample.stage_bytes(),
                      .pointers = {arrays.a, arrays.b, arrays.c},
                      .numbers = {static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k)}};
  if (is_grouped(function)) {
    // In column order all rows of tiles are one band.
    const Raster raster = spec.problem.raster;
    launch.numbers.push_back(static_cast<int>(raster == Raster::grouped  ? spec.problem.group
                                              : raster == Raster::column ? tiles_y
                                                                         : 1));
  }
  const CompiledSample compiled(launch);
  const StepAddresses from = addresses_of(sample), to = addresses_of(spec);
  LoopCode code = reshaped(
      loop_code(compiled, {{0, compiled.walk(0)}}, {}, from),
      {.from = &from, .to = &to, .depth_from = depth_of(sample), .depth_to = depth_of(spec), .results = kPipeStoreC});
  code = same_ring ? joined(code) : with_stages(code, sample.stages, spec.stages, steps);
  code.registers_per_thread = registers_of(spec, sample, compiled.registers_per_thread);
  return code;
}

std::string_view family_of(const GemmPipelinedSpec& spec) { return spec.padded ? kGroupedFamily : kPipelinedFamily; }

}  // namespace

GemmPipelinedSpec GemmPipelined::shape_of(const std::string& function, int architecture) {
  constexpr std::string_view kType = "TensorTypeE";
  const std::vector<int> n = template_numbers(function);
  GemmPipelinedSpec spec{.problem = {},
                         .dtype = static_cast<TensorInput>(function.at(function.find(kType) + kType.size()) - '0'),
                         .bm = n[0],
                         .bn = n[1],
                         .bk = n[2],
                         .wm = n[3],
                         .wn = n[4],
                         .stages = n[5],
                         .padded = n.size() > 6 && n[6] != 0,
                         .architecture = architecture};
  spec.bk /= static_cast<int>(spec.element());
  return spec;
}

std::string GemmPipelined::nearest_sample(const GemmPipelinedSpec& spec, const std::string& without) {
  std::string nearest;
  double least = 0;
  for (const std::string& function : compiled_functions(family_of(spec), spec.architecture)) {
    const GemmPipelinedSpec sample = shape_of(function, spec.architecture);
    if (function == without || sample.dtype != spec.dtype || sample.padded != spec.padded) continue;
    const double here = distance(spec, sample);
    if (!nearest.empty() && here >= least) continue;
    nearest = function;
    least = here;
  }
  return nearest;
}

GemmPipelined::GemmPipelined(const GemmPipelinedSpec& spec, const std::string& sample, const CompiledListing* listing)
    : spec_(spec), arrays_(spec.problem, spec.element()) {
  const GemmProblem& p = spec_.problem;
  raster_ = {.order = p.raster, .tiles_x = p.n / spec_.bn, .tiles_y = p.m / spec_.bm, .group = p.group};
  const std::string function = sample.empty() ? nearest_sample(spec_) : sample;
  const LoopCode code =
      code_of(spec_,
              listing != nullptr
                  ? *listing
                  : compiled_listing(is_grouped(function) ? kGroupedFamily : kPipelinedFamily, spec.architecture),
              function, raster_.tiles_y);
  const bool own_raster = is_grouped(function) && p.raster != Raster::morton;
  set_loop(code, addresses_of(spec_).advance, false, own_raster ? Raster::row : p.raster);

  Launch launch;
  launch.kernel = "gemm_tensor";
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.threads(), 1, 1};
  launch.registers_per_thread = code.registers_per_thread;
  launch.dynamic_smem_bytes = spec_.stages * spec_.stage_bytes();
  launch.flop = gemm_flop(p);
  set_launch(std::move(launch), 1);
}

CtaPlace GemmPipelined::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  return {.shape = 0, .tile = {tile.x, tile.y}};
}

std::array<std::uint64_t, kBuffers> GemmPipelined::base(const CtaPlace& place) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t row = place.tile[1] * spec_.bm, column = place.tile[0] * spec_.bn;
  return {arrays_.a + static_cast<std::uint64_t>(row * p.k * spec_.element()),
          arrays_.b + static_cast<std::uint64_t>(column * p.k * spec_.element()),
          arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat)};
}

LaneAddresses GemmPipelined::lanes(const Access& access, int, int warp) const { return lanes_of(spec_, access, warp); }

}  // namespace tilescope
