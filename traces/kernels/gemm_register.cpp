#include "traces/kernels/gemm_register.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "traces/kernels/compiled_sample.h"
#include "traces/kernels/reshape.h"
#include "traces/kernels/template_numbers.h"

namespace tilescope {
namespace {

enum RegisterRole { kRegLoadA, kRegLoadB, kRegStoreA, kRegStoreB, kRegReadA, kRegReadB, kRegStoreC };

// Elements of one shared-memory load of `count` neighbours that begin at a multiple of `count`.
constexpr int fragment_width(int count) { return count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1; }

// Where in the CTA's tile the y-th row and the x-th column of a thread lie.
std::int64_t row_of(const GemmRegisterSpec& spec, std::int64_t thread, std::int64_t y) {
  if (spec.wm == 0) return thread / (spec.bn / spec.tn) * spec.tm + y;
  return thread / kLanes / (spec.bn / spec.wn) * spec.wm + thread % kLanes / 8 * 4 + y / 4 * 16 + y % 4;
}
std::int64_t column_of(const GemmRegisterSpec& spec, std::int64_t thread, std::int64_t x) {
  if (spec.wn == 0) return thread % (spec.bn / spec.tn) * spec.tn + x;
  return thread / kLanes % (spec.bn / spec.wn) * spec.wn + thread % 8 * 4 + x / 4 * 32 + x % 4;
}

// Access::part: of loads and of stores to B's tile which of the thread's; of stores to A's tile the same, and which
// word; of reads k, and which fragment; of stores to C the row, and which in it.
LaneAddresses lanes_of(const GemmRegisterSpec& spec, const Access& access, int warp) {
  const GemmProblem& p = spec.problem;
  const std::int64_t vector = spec.vector, shared_b = std::int64_t{spec.bk} * spec.bm;
  const std::int64_t width_a = fragment_width(spec.tm), width_b = fragment_width(spec.tn);
  const std::int64_t in_row = access.role == kRegStoreA   ? vector
                              : access.role == kRegReadA  ? spec.tm / width_a
                              : access.role == kRegReadB  ? spec.tn / width_b
                              : access.role == kRegStoreC ? spec.tn / vector
                                                          : 1;
  const std::int64_t row = access.part / in_row, column = access.part % in_row;
  LaneAddresses out;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread >= spec.threads()) break;
    const std::int64_t i = thread + row * spec.threads();  // which access to the tile
    const std::int64_t row_a = i / (spec.bk / vector), col_a = i % (spec.bk / vector) * vector;
    const std::int64_t row_b = i / (spec.bn / vector), col_b = i % (spec.bn / vector) * vector;
    switch (access.role) {
      case kRegLoadA:
        out.buffer = kBufferA;
        out.bytes = static_cast<int>(vector * kFloat);
        if (i < spec.accesses_a()) out.set(lane, (row_a * p.k + col_a) * kFloat);
        break;
      case kRegLoadB:
        out.buffer = kBufferB;
        out.bytes = static_cast<int>(vector * kFloat);
        if (i < spec.accesses_b()) out.set(lane, (row_b * p.n + col_b) * kFloat);
        break;
      case kRegStoreA:
        if (i < spec.accesses_a()) out.set(lane, ((col_a + column) * spec.bm + row_a) * kFloat);
        break;
      case kRegStoreB:
        out.bytes = static_cast<int>(vector * kFloat);
        if (i < spec.accesses_b()) out.set(lane, (shared_b + row_b * spec.bn + col_b) * kFloat);
        break;
      case kRegReadA:
        out.bytes = static_cast<int>(width_a * kFloat);
        out.set(lane, (row * spec.bm + row_of(spec, thread, column * width_a)) * kFloat);
        break;
      case kRegReadB:
        out.bytes = static_cast<int>(width_b * kFloat);
        out.set(lane, (shared_b + row * spec.bn + column_of(spec, thread, column * width_b)) * kFloat);
        break;
      case kRegStoreC:
        out.buffer = kBufferC;
        out.bytes = static_cast<int>(vector * kFloat);
        out.set(lane, (row_of(spec, thread, row) * p.n + column_of(spec, thread, column * vector)) * kFloat);
        break;
      default:
        break;
    }
  }
  return out;
}

StepAddresses addresses_of(const GemmRegisterSpec& spec) {
  StepAddresses made;
  made.add(OpClass::global_load, kRegLoadA, spec.steps_a());
  made.add(OpClass::global_load, kRegLoadB, spec.steps_b());
  made.add(OpClass::shared_store, kRegStoreA, spec.steps_a() * spec.vector);
  made.add(OpClass::shared_store, kRegStoreB, spec.steps_b());
  made.add(OpClass::shared_load, kRegReadA, spec.bk * (spec.tm / fragment_width(spec.tm)));
  made.add(OpClass::shared_load, kRegReadB, spec.bk * (spec.tn / fragment_width(spec.tn)));
  made.add(OpClass::global_store, kRegStoreC, spec.tm * (spec.tn / spec.vector));
  made.lanes = [spec](const Access& access, int warp) { return lanes_of(spec, access, warp); };
  const GemmArrays arrays(spec.problem);
  made.base = {arrays.a, arrays.b, arrays.c};
  made.advance = {spec.bk * kFloat, spec.bk * spec.problem.n * kFloat, 0};
  made.steps = spec.problem.k / spec.bk;
  made.products = std::int64_t{spec.bk} * spec.tm * spec.tn;
  return made;
}

GemmRegisterSpec register_shape(const std::string& function, bool warps) {
  const std::vector<int> n = template_numbers(function);
  GemmRegisterSpec spec{.problem = {}, .bm = n[0], .bn = n[1], .bk = n[2], .tm = n[3], .tn = n[4], .vector = n[5]};
  if (!warps) return spec;
  spec.wm = n[3], spec.wn = n[4];
  spec.tm = spec.wm / 4, spec.tn = spec.wn / 8;
  return spec;
}

// How unlike their loops are, in halvings and doublings.
double distance(const GemmRegisterSpec& a, const GemmRegisterSpec& b) {
  const auto apart = [](double x, double y) { return std::abs(std::log2(x / y)); };
  const auto idle = [](const GemmRegisterSpec& s) {
    return (s.accesses_a() % s.threads() != 0 ? 1 : 0) + (s.accesses_b() % s.threads() != 0 ? 2 : 0);
  };
  return (a.vector == b.vector ? 0 : 100) + 8 * (apart(a.tm, b.tm) + apart(a.tn, b.tn)) + (idle(a) == idle(b) ? 0 : 3) +
         apart(a.bk, b.bk) + (apart(a.steps_a(), b.steps_a()) + apart(a.steps_b(), b.steps_b())) / 2;
}

// Sums, two fragments of each operand and, with many scalar loads, a pointer for each, as far as two shapes differ in
// them.
std::int64_t registers_of(const GemmRegisterSpec& spec, const GemmRegisterSpec& sample, std::int64_t of_sample) {
  constexpr std::int64_t kLeast = 32, kMost = 255;
  const auto size = [](const GemmRegisterSpec& s) {
    constexpr int kPointersOfOneMatrix = 12;
    const int loads = s.steps_a() + s.steps_b();
    return s.tm * s.tn + 2 * (s.tm + s.tn) + (s.vector == 1 && loads > kPointersOfOneMatrix ? 2 * loads : 0);
  };
  if (size(spec) == size(sample)) return of_sample;
  return std::clamp<std::int64_t>(of_sample + size(spec) - size(sample), kLeast, kMost);
}

LoopCode code_of(const GemmRegisterSpec& spec, const CompiledListing& listing, const std::string& function,
                 std::int64_t tiles_y) {
  GemmRegisterSpec sample = register_shape(function, spec.wm > 0);
  // One CTA of the sample, with as many steps along K. In column order all rows of tiles are one band.
  const Raster raster = spec.problem.raster;
  const std::int64_t group = raster == Raster::grouped ? spec.problem.group : raster == Raster::column ? tiles_y : 1;
  sample.problem = {.m = sample.bm, .n = sample.bn, .k = spec.problem.k / spec.bk * sample.bk};
  const GemmProblem& p = sample.problem;
  const GemmArrays arrays(p);
  const CompiledSample compiled(
      {.listing = &listing,
       .function = function,
       .grid = {},
       .block = {sample.threads(), 1, 1},
       .pointers = {arrays.a, arrays.b, arrays.c},
       .numbers = {static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k), static_cast<int>(group)}});
  const StepAddresses from = addresses_of(sample), to = addresses_of(spec);
  LoopCode code = reshaped(loop_code(compiled, {{0, compiled.walk(0)}}, {}, from),
                           {.from = &from, .to = &to, .depth_from = sample.bk, .depth_to = spec.bk});
  code.registers_per_thread = registers_of(spec, sample, compiled.registers_per_thread);
  return code;
}

}  // namespace

std::string GemmRegister::nearest_sample(const GemmRegisterSpec& spec, const std::string& without) {
  std::string nearest;
  double least = 0;
  for (const std::string& function : compiled_functions(spec.family())) {
    const double here = distance(spec, register_shape(function, spec.wm > 0));
    if (function == without || (!nearest.empty() && here >= least)) continue;
    nearest = function;
    least = here;
  }
  return nearest;
}

GemmRegister::GemmRegister(const GemmRegisterSpec& spec, const std::string& sample, const CompiledListing* listing)
    : spec_(spec), arrays_(spec.problem) {
  const GemmProblem& p = spec_.problem;
  raster_ = {.order = p.raster, .tiles_x = p.n / spec_.bn, .tiles_y = p.m / spec_.bm, .group = p.group};
  const LoopCode code = code_of(spec_, listing == nullptr ? compiled_listing(spec_.family()) : *listing,
                                sample.empty() ? nearest_sample(spec_) : sample, raster_.tiles_y);
  set_loop(code, addresses_of(spec_).advance, false, p.raster == Raster::morton ? Raster::morton : Raster::row);

  Launch launch;
  launch.kernel = spec_.family();
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.threads(), 1, 1};
  launch.registers_per_thread = code.registers_per_thread;
  launch.static_smem_bytes = spec_.bk * (spec_.bm + spec_.bn) * kFloat;
  launch.flop = gemm_flop(p);
  set_launch(std::move(launch), 1);
}

CtaPlace GemmRegister::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  return {.shape = 0, .tile = {tile.x, tile.y}};
}

std::array<std::uint64_t, kBuffers> GemmRegister::base(const CtaPlace& place) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t row = place.tile[1] * spec_.bm, column = place.tile[0] * spec_.bn;
  return {arrays_.a + static_cast<std::uint64_t>(row * p.k * kFloat),
          arrays_.b + static_cast<std::uint64_t>(column * kFloat),
          arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat)};
}

LaneAddresses GemmRegister::lanes(const Access& access, int, int warp) const { return lanes_of(spec_, access, warp); }

}  // namespace tilescope
