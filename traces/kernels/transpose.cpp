#include "traces/kernels/transpose.h"

#include <algorithm>

#include "traces/kernels/device_buffers.h"
#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/transpose_code.h"

namespace tilescope {
namespace {

enum TransposeBuffer { kIn, kOut };

bool through_shared(const TransposeSpec& spec) { return spec.form == TransposeForm::tiled; }

// As compiled with four rows per thread: one row needs no more than the least that is allocated, and each has a value
// and pointers.
std::int64_t registers(const TransposeSpec& spec) {
  constexpr std::int64_t kLeast = 16;
  constexpr int kRows = 4, kPerRow = 3;
  std::int64_t with_four = 0;
  switch (spec.form) {
    case TransposeForm::naive:
      with_four = spec.bounds() ? 24 : 18;
      break;
    case TransposeForm::naive_write:
      with_four = spec.bounds() ? 24 : 22;
      break;
    case TransposeForm::tiled:
      with_four = spec.bounds() || spec.swizzle ? 26 : 24;
      break;
  }
  return std::clamp<std::int64_t>(with_four + kPerRow * (spec.rows_per_thread() - kRows), kLeast, 255);
}

}  // namespace

Transpose::Transpose(const TransposeSpec& spec) : spec_(spec) {
  DeviceBuffers buffers;
  in_ = buffers.allocate(spec_.rows * spec_.columns * kFloat);
  out_ = buffers.allocate(spec_.rows * spec_.columns * kFloat);
  raster_ = {.order = spec_.raster,
             .tiles_x = divide_up(spec_.columns, spec_.tile),
             .tiles_y = divide_up(spec_.rows, spec_.tile),
             .group = spec_.group};

  CodeBuilder code;
  emit_transpose(code, spec_);
  set_code(code);

  Launch launch;
  launch.kernel = "transpose";
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.tile, spec_.block_rows, 1};
  launch.registers_per_thread = registers(spec_);
  launch.static_smem_bytes = through_shared(spec_) ? std::int64_t{spec_.tile} * (spec_.tile + spec_.pad) * kFloat : 0;
  constexpr int kShapes = 4;  // bit 0: ragged right edge; bit 1: ragged bottom edge
  set_launch(std::move(launch), kShapes);
  const Access last{kTransposeStore, spec_.rows_per_thread() - 1};
  for (int shape = 0; shape < kShapes; ++shape) {
    leaves_.emplace_back();
    for (int warp = 0; warp < this->launch().warps_per_cta(); ++warp)
      leaves_.back().push_back(lanes(last, shape, warp).active == 0 ? 1 : 0);
  }
}

CtaPlace Transpose::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  const bool right = spec_.columns % spec_.tile != 0 && tile.x == raster_.tiles_x - 1;
  const bool bottom = spec_.rows % spec_.tile != 0 && tile.y == raster_.tiles_y - 1;
  return {.shape = (right ? 1 : 0) + (bottom ? 2 : 0), .tile = {tile.x, tile.y}};
}

bool Transpose::step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const {
  const std::int64_t x = place.tile[0] * spec_.tile;
  const std::int64_t y = place.tile[1] * spec_.tile;
  out.base[kIn] = in_ + static_cast<std::uint64_t>((y * spec_.columns + x) * kFloat);
  out.base[kOut] = out_ + static_cast<std::uint64_t>((x * spec_.rows + y) * kFloat);
  if (!spec_.bounds()) return index == 0;
  const bool leaves = leaves_[static_cast<std::size_t>(place.shape)][static_cast<std::size_t>(warp)] != 0;
  out.section = leaves ? kTransposeLeave : index == 0 ? kTransposeBody : kTransposeLast;
  return index < (leaves ? 1 : 2);
}

// Lanes run along the rows of the input; with naive_write along its columns.
Transpose::Element Transpose::loaded(std::int64_t thread, int row) const {
  const std::int64_t along = thread % spec_.tile;
  const std::int64_t across = thread / spec_.tile + std::int64_t{row} * spec_.block_rows;
  if (spec_.form == TransposeForm::naive_write) return {.row = along, .column = across};
  return {.row = across, .column = along};
}

// Straight, a thread stores what it loaded; through shared memory lanes run along the rows of the output.
Transpose::Element Transpose::stored(std::int64_t thread, int row) const {
  const Element element = loaded(thread, row);
  return through_shared(spec_) ? Element{.row = element.column, .column = element.row} : element;
}

LaneAddresses Transpose::lanes(const Access& access, int shape, int warp) const {
  const std::int64_t T = spec_.tile;
  const std::int64_t width = (shape & 1) != 0 ? spec_.columns % T : T;
  const std::int64_t height = (shape & 2) != 0 ? spec_.rows % T : T;
  const auto inside = [&](const Element& e) { return e.column < width && e.row < height; };
  const auto in_tile = [&](std::int64_t row, std::int64_t column) {
    return (row * (T + spec_.pad) + (spec_.swizzle ? column ^ row : column)) * kFloat;
  };
  // Of the reads from the tile, nvcc switches off the first and the last where nothing is stored.
  const bool checked = spec_.bounds() && (access.step == 0 || access.step == spec_.rows_per_thread() - 1);
  LaneAddresses out;
  if (access.role == kTransposeLoad || access.role == kTransposeStore)
    out.buffer = access.role == kTransposeLoad ? kIn : kOut;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread >= T * spec_.block_rows) break;
    const Element from = loaded(thread, access.step);
    const Element to = stored(thread, access.step);
    switch (access.role) {
      case kTransposeLoad:
        if (inside(from)) out.set(lane, (from.row * spec_.columns + from.column) * kFloat);
        break;
      case kTransposePut:
        out.set(lane, in_tile(from.row, from.column));
        break;
      case kTransposeGet:
        if (!checked || inside(to)) out.set(lane, in_tile(to.row, to.column));
        break;
      default:
        if (inside(to)) out.set(lane, (to.column * spec_.rows + to.row) * kFloat);
        break;
    }
  }
  return out;
}

}  // namespace tilescope
