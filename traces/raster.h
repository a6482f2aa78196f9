// Raster orders: which tile of the output a CTA works on, given its linear index (the order in which CTAs are issued).
//
// row      x fastest, as the hardware counts blocks
// column   y fastest
// grouped  bands of `group` rows of tiles; within a band y fastest (the last band may be lower)
// morton   Z-order over the smallest power-of-two square around the grid, tiles outside the grid left out
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilescope {

enum class Raster : std::uint8_t { row, column, grouped, morton };
inline constexpr std::array<std::string_view, 4> kRasterNames{"row", "column", "grouped", "morton"};

std::string_view name(Raster raster);
std::optional<Raster> raster_from(std::string_view name);

struct TileIndex {
  std::int64_t x = 0, y = 0;
  bool operator==(const TileIndex&) const = default;
};

struct RasterSpec {
  Raster order = Raster::row;
  std::int64_t tiles_x = 1, tiles_y = 1;
  std::int64_t group = 8;  // rows of a band; `grouped` only
};

// A bijection from [0, tiles_x * tiles_y) to the tiles, for any grid and any group of at least 1.
TileIndex tile_of(const RasterSpec& spec, std::int64_t cta);

}  // namespace tilescope
