#include "traces/kernels/gemm_tensor.h"

#include <algorithm>
#include <cmath>

#include "traces/kernels/compiled_sample.h"
#include "traces/kernels/join.h"
#include "traces/kernels/reshape.h"
#include "traces/kernels/template_numbers.h"

namespace tilescope {
namespace {

constexpr const char* kTensorFamily = "gemm_tensor";
constexpr std::int64_t kHalf = GemmTensorSpec::kHalf, kVector = GemmTensorSpec::kVector, kPad = GemmTensorSpec::kPad,
                       kFragment = GemmTensorSpec::kFragment;
constexpr int kStoresOfFragment = 4;  // 8 rows times 8 columns each

enum TensorRole { kTensorLoadA, kTensorLoadB, kTensorStoreA, kTensorStoreB, kTensorReadA, kTensorReadB, kTensorStoreC };

// Access::part: of copies which of the thread's; of reads k in fragments, and which fragment; of stores to C the
// fragment row by row, and which of its quarters: right of the first, below it, both.
LaneAddresses lanes_of(const GemmTensorSpec& spec, const Access& access, int warp) {
  const GemmProblem& p = spec.problem;
  const std::int64_t pitch_a = spec.bk + kPad, pitch_b = spec.bn + kPad, shared_b = spec.bm * pitch_a;
  const std::int64_t warp_row = warp / (spec.bn / spec.wn) * spec.wm,
                     warp_column = warp % (spec.bn / spec.wn) * spec.wn;
  const std::int64_t high = spec.wm / kFragment, wide = spec.wn / kFragment, part = access.part;
  LaneAddresses out;
  if (access.role == kTensorLoadA) out.buffer = kBufferA;
  if (access.role == kTensorLoadB) out.buffer = kBufferB;
  if (access.role == kTensorStoreC) out.buffer = kBufferC;
  out.bytes = static_cast<int>(access.role == kTensorStoreC ? 2 * kFloat : kVector * kHalf);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t copy = std::int64_t{warp} * kLanes + lane + part * spec.threads();
    const std::int64_t row_a = copy / (spec.bk / kVector), column_a = copy % (spec.bk / kVector) * kVector;
    const std::int64_t row_b = copy / (spec.bn / kVector), column_b = copy % (spec.bn / kVector) * kVector;
    // The row of 16 byte of a fragment that this lane names for ldmatrix.
    const std::int64_t row = lane % 16, column = lane / 16 * 8;
    switch (access.role) {
      case kTensorLoadA:
        out.set(lane, (row_a * p.k + access.step * spec.bk + column_a) * kHalf);
        break;
      case kTensorLoadB:
        out.set(lane, ((access.step * spec.bk + row_b) * p.n + column_b) * kHalf);
        break;
      case kTensorStoreA:
        out.set(lane, (row_a * pitch_a + column_a) * kHalf);
        break;
      case kTensorStoreB:
        out.set(lane, (shared_b + row_b * pitch_b + column_b) * kHalf);
        break;
      case kTensorReadA:
        out.set(lane,
                ((warp_row + part % high * kFragment + row) * pitch_a + part / high * kFragment + column) * kHalf);
        break;
      case kTensorReadB:
        out.set(lane, (shared_b + (part / wide * kFragment + row) * pitch_b + warp_column + part % wide * kFragment +
                       column) *
                          kHalf);
        break;
      case kTensorStoreC: {
        const std::int64_t fragment = part / kStoresOfFragment, below = part / 2 % 2, right = part % 2;
        out.set(lane, ((warp_row + fragment / wide * kFragment + below * 8 + lane / 4) * p.n + warp_column +
                       fragment % wide * kFragment + right * 8 + lane % 4 * 2) *
                          kFloat);
        break;
      }
      default:
        break;
    }
  }
  return out;
}

StepAddresses addresses_of(const GemmTensorSpec& spec) {
  constexpr int kProducts = 2;  // HMMA.16816 of a product of fragments
  const auto deep = static_cast<int>(spec.bk / kFragment), high = static_cast<int>(spec.wm / kFragment),
             wide = static_cast<int>(spec.wn / kFragment);
  const auto loads_a = static_cast<int>(spec.copies_a() / spec.threads()),
             loads_b = static_cast<int>(spec.copies_b() / spec.threads());
  StepAddresses made;
  made.add(OpClass::global_load, kTensorLoadA, loads_a);
  made.add(OpClass::global_load, kTensorLoadB, loads_b);
  made.add(OpClass::shared_store, kTensorStoreA, loads_a);
  made.add(OpClass::shared_store, kTensorStoreB, loads_b);
  made.add(OpClass::matrix_load, kTensorReadA, deep * high);
  made.add(OpClass::matrix_load, kTensorReadB, deep * wide);
  made.add(OpClass::global_store, kTensorStoreC, high * wide * kStoresOfFragment);
  made.lanes = [spec](const Access& access, int warp) { return lanes_of(spec, access, warp); };
  const GemmArrays arrays(spec.problem, kHalf);
  made.base = {arrays.a, arrays.b, arrays.c};
  made.advance = {spec.bk * kHalf, spec.bk * spec.problem.n * kHalf};
  made.steps = spec.problem.k / spec.bk;
  made.products = std::int64_t{kProducts} * deep * high * wide;
  return made;
}

GemmTensorSpec tensor_shape(const std::string& function, int architecture) {
  const std::vector<int> n = template_numbers(function);
  return {.problem = {}, .bm = n[0], .bn = n[1], .bk = n[2], .wm = n[3], .wn = n[4], .architecture = architecture};
}

// How unlike their loops are, in halvings and doublings: what a warp multiplies, how deep, what a thread copies.
double distance(const GemmTensorSpec& a, const GemmTensorSpec& b) {
  const auto apart = [](auto x, auto y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  return 4 * (apart(a.wm, b.wm) + apart(a.wn, b.wn)) + 2 * apart(a.bk, b.bk) +
         apart(a.copies_a() * b.threads(), b.copies_a() * a.threads()) +
         apart(a.copies_b() * b.threads(), b.copies_b() * a.threads());
}

// The sums of a lane, and two fragments of each operand, as far as two shapes differ in them.
std::int64_t registers_of(const GemmTensorSpec& spec, const GemmTensorSpec& sample, std::int64_t of_sample) {
  constexpr std::int64_t kLeast = 32, kMost = 255;
  const auto size = [](const GemmTensorSpec& s) { return s.wm * s.wn / kLanes + (s.wm + s.wn) / 4; };
  return std::clamp<std::int64_t>(of_sample + size(spec) - size(sample), kLeast, kMost);
}

LoopCode code_of(const GemmTensorSpec& spec, const CompiledListing& listing, const std::string& function) {
  GemmTensorSpec sample = tensor_shape(function, listing.architecture);
  // One CTA of the sample, with as many steps along K.
  sample.problem = {.m = sample.bm, .n = sample.bn, .k = spec.problem.k / spec.bk * sample.bk};
  const GemmProblem& p = sample.problem;
  const GemmArrays arrays(p, kHalf);
  const CompiledSample compiled({.listing = &listing,
                                 .function = function,
                                 .grid = {},
                                 .block = {sample.threads(), 1, 1},
                                 .pointers = {arrays.a, arrays.b, arrays.c},
                                 .numbers = {static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k)}});
  const StepAddresses from = addresses_of(sample), to = addresses_of(spec);
  constexpr int kDepth = static_cast<int>(kFragment);
  LoopCode code =
      joined(reshaped(loop_code(compiled, {{0, compiled.walk(0)}}, {}, from),
                      {.from = &from, .to = &to, .depth_from = sample.bk / kDepth, .depth_to = spec.bk / kDepth}));
  code.registers_per_thread = registers_of(spec, sample, compiled.registers_per_thread);
  return code;
}

}  // namespace

std::string GemmTensor::nearest_sample(const GemmTensorSpec& spec, const std::string& without) {
  std::string nearest;
  double least = 0;
  for (const std::string& function : compiled_functions(kTensorFamily, spec.architecture)) {
    const double here = distance(spec, tensor_shape(function, spec.architecture));
    if (function == without || (!nearest.empty() && here >= least)) continue;
    nearest = function;
    least = here;
  }
  return nearest;
}

GemmTensor::GemmTensor(const GemmTensorSpec& spec, const std::string& sample, const CompiledListing* listing)
    : spec_(spec), arrays_(spec.problem, kHalf) {
  const GemmProblem& p = spec_.problem;
  raster_ = {.order = p.raster, .tiles_x = p.n / spec_.bn, .tiles_y = p.m / spec_.bm, .group = p.group};
  const LoopCode code =
      code_of(spec_, listing == nullptr ? compiled_listing(kTensorFamily, spec.architecture) : *listing,
              sample.empty() ? nearest_sample(spec_) : sample);
  set_loop(code, addresses_of(spec_).advance, false, p.raster);

  Launch launch;
  launch.kernel = kTensorFamily;
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.threads(), 1, 1};
  launch.registers_per_thread = code.registers_per_thread;
  launch.static_smem_bytes = (spec_.bm * (spec_.bk + kPad) + spec_.bk * (spec_.bn + kPad)) * kHalf;
  launch.flop = gemm_flop(p);
  set_launch(std::move(launch), 1);
}

CtaPlace GemmTensor::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  return {.shape = 0, .tile = {tile.x, tile.y}};
}

std::array<std::uint64_t, kBuffers> GemmTensor::base(const CtaPlace& place) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t row = place.tile[1] * spec_.bm, column = place.tile[0] * spec_.bn;
  return {arrays_.a + static_cast<std::uint64_t>(row * p.k * kHalf),
          arrays_.b + static_cast<std::uint64_t>(column * kHalf),
          arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat)};
}

LaneAddresses GemmTensor::lanes(const Access& access, int, int warp) const { return lanes_of(spec_, access, warp); }

}  // namespace tilescope
