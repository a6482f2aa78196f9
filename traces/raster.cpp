#include "traces/raster.h"

#include <algorithm>
#include <bit>

namespace tilescope {
namespace {

TileIndex grouped(const RasterSpec& spec, std::int64_t cta) {
  const std::int64_t band = std::min(spec.group, spec.tiles_y);
  const std::int64_t first = cta / (band * spec.tiles_x) * band;
  const std::int64_t height = std::min(spec.tiles_y - first, band);
  const std::int64_t within = cta - first * spec.tiles_x;
  return {within / height, first + within % height};
}

// Descends the quadrants of the enclosing square, counting the tiles of each that lie in the grid.
TileIndex morton(const RasterSpec& spec, std::int64_t cta) {
  const auto widest = static_cast<std::uint64_t>(std::max(spec.tiles_x, spec.tiles_y));
  TileIndex corner;
  for (auto side = static_cast<std::int64_t>(std::bit_ceil(widest)); side > 1;) {
    side /= 2;
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const TileIndex at{corner.x + (quadrant % 2) * side, corner.y + (quadrant / 2) * side};
      const std::int64_t inside = std::clamp<std::int64_t>(spec.tiles_x - at.x, 0, side) *
                                  std::clamp<std::int64_t>(spec.tiles_y - at.y, 0, side);
      if (cta < inside) {
        corner = at;
        break;
      }
      cta -= inside;
    }
  }
  return corner;
}

}  // namespace

std::string_view name(Raster raster) { return kRasterNames[static_cast<std::size_t>(raster)]; }

std::optional<Raster> raster_from(std::string_view name) {
  const auto found = std::find(kRasterNames.begin(), kRasterNames.end(), name);
  if (found == kRasterNames.end()) return std::nullopt;
  return static_cast<Raster>(found - kRasterNames.begin());
}

TileIndex tile_of(const RasterSpec& spec, std::int64_t cta) {
  switch (spec.order) {
    case Raster::column:
      return {cta / spec.tiles_y, cta % spec.tiles_y};
    case Raster::grouped:
      return grouped(spec, cta);
    case Raster::morton:
      return morton(spec, cta);
    case Raster::row:
      break;
  }
  return {cta % spec.tiles_x, cta / spec.tiles_x};
}

}  // namespace tilescope
