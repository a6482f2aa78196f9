#include "traces/kernels/transpose.h"

#include <vector>

#include "traces/kernels/device_buffers.h"
#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/raster_code.h"

namespace tilescope {
namespace {

enum Buffer { kIn, kOut };
enum Role { kLoad, kPut, kGet, kStore };

}  // namespace

Transpose::Transpose(const TransposeSpec& spec) : spec_(spec) {
  DeviceBuffers buffers;
  in_ = buffers.allocate(spec_.rows * spec_.columns * kFloat);
  out_ = buffers.allocate(spec_.rows * spec_.columns * kFloat);
  raster_ = {.order = spec_.raster,
             .tiles_x = divide_up(spec_.columns, spec_.tile),
             .tiles_y = divide_up(spec_.rows, spec_.tile),
             .group = spec_.group};
  const int steps = spec_.tile / spec_.block_rows;

  CodeBuilder code;
  code.section();
  code.emit(OpClass::constant_load);
  const Register cta_x = code.emit(OpClass::special);
  const Register tx = code.emit(OpClass::special);
  const Register cta_y = code.emit(OpClass::special);
  const Register ty = code.emit(OpClass::special);
  const Register in = code.emit(OpClass::constant_load);
  const Register extent = code.emit(OpClass::constant_load);
  emit_raster(code, spec_.raster);
  const Register x = code.emit(OpClass::imad, {cta_x, tx});
  const Register y = code.emit(OpClass::imad, {cta_y, ty});
  const Register inside = code.emit(OpClass::alu, {x, y, extent});
  const Register index = code.emit(OpClass::imad, {x, y, extent});
  Register address = code.emit(OpClass::imad_wide, {index, in});
  std::vector<Register> values;
  for (int i = 0; i < steps; ++i) {
    if (i > 0) address = code.emit(OpClass::imad_wide, {address, extent});
    values.push_back(code.load(OpClass::global_load, {kLoad, i}, {address}, inside));
  }
  if (spec_.through_shared) {
    const Register window = code.emit(OpClass::special);
    const Register put = code.emit(OpClass::alu, {window, tx, ty});
    const Register get = code.emit(OpClass::alu, {window, tx, ty});
    if (spec_.swizzle) code.filler(OpClass::alu, 2 * steps);
    for (int i = 0; i < steps; ++i)
      code.store(OpClass::shared_store, {kPut, i}, {put, values[static_cast<std::size_t>(i)]});
    code.effect(OpClass::barrier);
    for (int i = 0; i < steps; ++i)
      values[static_cast<std::size_t>(i)] = code.load(OpClass::shared_load, {kGet, i}, {get});
  }
  const Register out = code.emit(OpClass::constant_load);
  const Register turned = code.emit(OpClass::imad, {y, x, extent});
  Register target = code.emit(OpClass::imad_wide, {turned, out});
  for (int i = 0; i < steps; ++i) {
    if (i > 0) target = code.emit(OpClass::imad_wide, {target, extent});
    code.store(OpClass::global_store, {kStore, i}, {target, values[static_cast<std::size_t>(i)]}, inside);
  }
  code.effect(OpClass::exit);
  set_code(code);

  Launch launch;
  launch.kernel = "transpose";
  launch.grid = {raster_.tiles_x, raster_.tiles_y, 1};
  launch.block = {spec_.tile, spec_.block_rows, 1};
  launch.registers_per_thread = 32;
  launch.static_smem_bytes = spec_.through_shared ? std::int64_t{spec_.tile} * (spec_.tile + spec_.pad) * kFloat : 0;
  set_launch(std::move(launch), 4);  // bit 0: ragged right edge; bit 1: ragged bottom edge
}

CtaPlace Transpose::place(std::int64_t cta) const {
  const TileIndex tile = tile_of(raster_, cta);
  const bool right = spec_.columns % spec_.tile != 0 && tile.x == raster_.tiles_x - 1;
  const bool bottom = spec_.rows % spec_.tile != 0 && tile.y == raster_.tiles_y - 1;
  return {.shape = (right ? 1 : 0) + (bottom ? 2 : 0), .tile = {tile.x, tile.y}};
}

bool Transpose::step(const CtaPlace& place, int, std::int64_t index, RouteStep& out) const {
  const std::int64_t x = place.tile[0] * spec_.tile;
  const std::int64_t y = place.tile[1] * spec_.tile;
  out.base[kIn] = in_ + static_cast<std::uint64_t>((y * spec_.columns + x) * kFloat);
  out.base[kOut] = out_ + static_cast<std::uint64_t>((x * spec_.rows + y) * kFloat);
  return index == 0;
}

LaneAddresses Transpose::lanes(const Access& access, int shape, int warp) const {
  const std::int64_t T = spec_.tile;
  const std::int64_t width = (shape & 1) != 0 ? spec_.columns % T : T;
  const std::int64_t height = (shape & 2) != 0 ? spec_.rows % T : T;
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return (row * (T + spec_.pad) + (spec_.swizzle ? column ^ row : column)) * kFloat;
  };
  LaneAddresses out;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t thread = std::int64_t{warp} * kLanes + lane;
    if (thread >= T * spec_.block_rows) break;
    const std::int64_t tx = thread % T;
    const std::int64_t row = thread / T + std::int64_t{access.step} * spec_.block_rows;
    switch (access.role) {
      case kLoad:
        out.buffer = kIn;
        if (tx < width && row < height) out.set(lane, (row * spec_.columns + tx) * kFloat);
        break;
      case kPut:
        out.set(lane, at(row, tx));
        break;
      case kGet:
        out.set(lane, at(tx, row));
        break;
      default:
        out.buffer = kOut;
        // Through shared memory neighbouring lanes write neighbouring elements of a row of the output; straight, of a
        // column.
        if (spec_.through_shared && tx < height && row < width) out.set(lane, (row * spec_.rows + tx) * kFloat);
        if (!spec_.through_shared && tx < width && row < height) out.set(lane, (tx * spec_.rows + row) * kFloat);
        break;
    }
  }
  return out;
}

}  // namespace tilescope
