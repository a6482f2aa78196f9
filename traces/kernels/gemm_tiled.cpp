#include "traces/kernels/gemm_tiled.h"

#include <algorithm>

#include "traces/kernels/gemm_tiled_code.h"

namespace tilescope {
namespace {

int reads_of_a(const GemmTiledSpec& spec) {
  if (spec.transpose_a) return spec.tile;
  int reads = 0;
  for (int k = 0; k < spec.tile; k += shared_read_width(spec.tile + spec.pad_a, k, spec.tile)) ++reads;
  return reads;
}

GemmTiledSpec normalised(GemmTiledSpec spec) {
  spec.transpose_a = spec.transpose_a || spec.swizzle;
  return spec;
}

}  // namespace

int shared_read_width(int pitch_words, int k, int length) {
  if (pitch_words % 4 == 0 && k % 4 == 0 && length - k >= 4) return 4;
  if (pitch_words % 2 == 0 && k % 2 == 0 && length - k >= 2) return 2;
  return 1;
}

// The compiler unrolls first in its middle end, up to 4 tiles while the body stays below about 120 operations of 8 + 4
// T per tile (4x at T = 4, 2x at 8, 1x at 16 and 32; the xor layout with bounds counts more), then in the assembler: a
// single-tile body of up to 64 instructions without conditions becomes 4 tiles (T = 16).
TileLoop tile_loop(const GemmTiledSpec& spec) {
  const int xor_cost = spec.swizzle && spec.bounds ? 8 : 0;
  const int tile_cost = 8 + xor_cost + 4 * spec.tile;
  for (const int unroll : {4, 2})
    if (unroll * tile_cost <= 120) return {.unroll = unroll, .halving = false};
  const int body = 2 * spec.tile + reads_of_a(spec) + 6 + 8;
  if (!spec.bounds && body <= 64) return {.unroll = 4, .halving = true};
  return {};
}

GemmTiled::GemmTiled(const GemmTiledSpec& spec) : spec_(normalised(spec)), arrays_(spec.problem) {
  const GemmProblem& p = spec_.problem;
  const std::int64_t T = spec_.tile;
  raster_ = {.order = p.raster, .tiles_x = divide_up(p.n, T), .tiles_y = divide_up(p.m, T), .group = p.group};

  CodeBuilder code;
  const GemmTiledSections s = emit_gemm_tiled(code, spec_);
  set_code(code);
  const TileLoop loop = tile_loop(spec_);
  tiles_of_.assign(code.sections().size(), 0);
  const auto holds = [&](int section, int tiles) {
    if (section < 0) return;
    tiles_of_[static_cast<std::size_t>(section)] = tiles;
    set_advance(section, {tiles * T * kFloat, tiles * T * p.n * kFloat, 0, 0});
  };
  holds(s.main, loop.unroll);
  holds(s.two, 2);
  holds(s.one, 1);

  const std::int64_t tiles = divide_up(p.k, T);
  const std::int64_t rest = tiles % loop.unroll;
  route_.push_back({s.prologue, 1, 0});
  add_run(s.main, tiles / loop.unroll, loop.unroll);
  if (s.rest_check >= 0) route_.push_back({s.rest_check, 1, planned_tiles_});
  if (loop.halving) {
    add_run(s.two, rest / 2, 2);
    route_.push_back({s.one_check, 1, planned_tiles_});
    add_run(s.one, rest % 2, 1);
  } else if (s.one >= 0) {
    add_run(s.one, rest, 1);
  }
  if (p.k % T != 0) split_last_run();
  route_.push_back({s.epilogue, 1, 0});
  exit_section_ = s.leave;

  Launch launch;
  launch.kernel = "gemm_tiled";
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {T, T, 1};
  launch.registers_per_thread = std::max<std::int64_t>(32, spec_.swizzle ? 24 + T : 0);
  launch.static_smem_bytes = T * (T + spec_.pad_a + T + spec_.pad_b) * kFloat;
  launch.flop = gemm_flop(p);
  constexpr int kShapes = 4;  // bit 0: ragged right edge; bit 1: ragged bottom edge
  set_launch(std::move(launch), kShapes);
  for (int shape = 0; shape < kShapes; ++shape) {
    idle_.emplace_back();
    for (int warp = 0; warp < this->launch().warps_per_cta(); ++warp)
      idle_.back().push_back(lanes({kTiledStoreC}, shape, warp).active == 0 ? 1 : 0);
  }
}

void GemmTiled::add_run(int section, std::int64_t repeats, int tiles) {
  if (repeats > 0) route_.push_back({section, repeats, planned_tiles_});
  planned_tiles_ += repeats * tiles;
}

// The last tile along K is not whole: the pass that holds it gets a section of its own.
void GemmTiled::split_last_run() {
  const auto holds_tiles = [&](const Planned& run) { return tiles_of_[static_cast<std::size_t>(run.section)] > 0; };
  const auto last = std::find_if(route_.rbegin(), route_.rend(), holds_tiles);
  const int tiles = tiles_of_[static_cast<std::size_t>(last->section)];
  const Planned edge{add_edge_section(last->section, tiles - 1), 1, last->first_tile + (last->repeats - 1) * tiles};
  --last->repeats;
  route_.insert(last.base(), edge);
}

CtaPlace GemmTiled::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  const bool right = spec_.problem.n % spec_.tile != 0 && tile.x == raster_.tiles_x - 1;
  const bool bottom = spec_.problem.m % spec_.tile != 0 && tile.y == raster_.tiles_y - 1;
  return {.shape = (right ? 1 : 0) + (bottom ? 2 : 0), .tile = {tile.x, tile.y}};
}

bool GemmTiled::step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const {
  if (index >= static_cast<std::int64_t>(route_.size())) return false;
  const auto i = static_cast<std::size_t>(index);
  const Planned& run = route_[i];
  out.section = run.section;
  out.repeats = run.repeats;
  const bool last = i + 1 == route_.size();
  if (last && idle_[static_cast<std::size_t>(place.shape)][static_cast<std::size_t>(warp)] != 0)
    out.section = exit_section_;
  const GemmProblem& p = spec_.problem;
  const std::int64_t T = spec_.tile;
  const std::int64_t row = place.tile[1] * T;
  const std::int64_t column = place.tile[0] * T;
  const std::int64_t k0 = run.first_tile * T;
  out.base[kBufferA] = arrays_.a + static_cast<std::uint64_t>((row * p.k + k0) * kFloat);
  out.base[kBufferB] = arrays_.b + static_cast<std::uint64_t>((k0 * p.n + column) * kFloat);
  out.base[kBufferC] = arrays_.c + static_cast<std::uint64_t>((row * p.n + column) * kFloat);
  return true;
}

bool GemmTiled::in_bounds(int shape, std::int64_t tx, std::int64_t ty) const {
  const bool column = (shape & 1) == 0 || tx < spec_.problem.n % spec_.tile;
  const bool row = (shape & 2) == 0 || ty < spec_.problem.m % spec_.tile;
  return column && row;
}

LaneAddresses GemmTiled::lanes(const Access& access, int shape, int warp) const {
  const GemmProblem& p = spec_.problem;
  const std::int64_t T = spec_.tile;
  const std::int64_t pitch_a = T + spec_.pad_a;
  const std::int64_t shared_b = T * pitch_a;
  const std::int64_t ragged_k = access.edge ? p.k % T : T;
  const auto swizzled = [&](std::int64_t column, std::int64_t line) { return spec_.swizzle ? column ^ line : column; };
  LaneAddresses out;
  if (access.role == kTiledReadA && !spec_.transpose_a)
    out.bytes = static_cast<int>(shared_read_width(static_cast<int>(pitch_a), access.part, spec_.tile) * kFloat);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread >= T * T) break;
    const std::int64_t tx = thread % T;
    const std::int64_t ty = thread / T;
    const std::int64_t k = access.part;
    switch (access.role) {
      case kTiledLoadA:
        out.buffer = kBufferA;
        if (tx < ragged_k && in_bounds(shape, 0, ty)) out.set(lane, (ty * p.k + access.step * T + tx) * kFloat);
        break;
      case kTiledLoadB:
        out.buffer = kBufferB;
        if (ty < ragged_k && in_bounds(shape, tx, 0)) out.set(lane, ((access.step * T + ty) * p.n + tx) * kFloat);
        break;
      case kTiledStoreC:
        out.buffer = kBufferC;
        if (in_bounds(shape, tx, ty)) out.set(lane, (ty * p.n + tx) * kFloat);
        break;
      case kTiledStoreA:
        out.set(lane, (spec_.transpose_a ? tx * pitch_a + swizzled(ty, tx) : ty * pitch_a + tx) * kFloat);
        break;
      case kTiledReadA:
        out.set(lane, (spec_.transpose_a ? k * pitch_a + swizzled(ty, k) : ty * pitch_a + k) * kFloat);
        break;
      case kTiledStoreB:
        out.set(lane, (shared_b + ty * (T + spec_.pad_b) + tx) * kFloat);
        break;
      case kTiledReadB:
        out.set(lane, (shared_b + k * (T + spec_.pad_b) + tx) * kFloat);
        break;
      default:
        break;
    }
  }
  return out;
}

}  // namespace tilescope
