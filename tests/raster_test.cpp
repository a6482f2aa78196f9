#include "traces/raster.h"

#include <doctest/doctest.h>

#include <set>
#include <utility>
#include <vector>

using namespace tilescope;

TEST_CASE("every raster visits every tile of any grid exactly once") {
  for (const Raster order : {Raster::row, Raster::column, Raster::grouped, Raster::morton})
    for (const auto& [x, y] : {std::pair{1, 1}, {7, 1}, {1, 9}, {8, 8}, {5, 3}, {13, 29}, {33, 2}, {3, 64}, {17, 17}})
      for (const int group : {1, 2, 3, 8, 100}) {
        const RasterSpec spec{.order = order, .tiles_x = x, .tiles_y = y, .group = group};
        std::set<std::pair<std::int64_t, std::int64_t>> seen;
        for (std::int64_t cta = 0; cta < std::int64_t{x} * y; ++cta) {
          const TileIndex tile = tile_of(spec, cta);
          const bool inside = tile.x >= 0 && tile.x < x && tile.y >= 0 && tile.y < y;
          CAPTURE(name(order));
          CAPTURE(cta);
          REQUIRE(inside);
          REQUIRE(seen.insert({tile.x, tile.y}).second);
        }
      }
}

TEST_CASE("rasters begin as their names say") {
  const auto first = [](Raster order, std::int64_t x, std::int64_t y) {
    std::vector<TileIndex> tiles;
    tiles.reserve(5);
    for (int cta = 0; cta < 5; ++cta)
      tiles.push_back(tile_of({.order = order, .tiles_x = x, .tiles_y = y, .group = 2}, cta));
    return tiles;
  };
  CHECK(first(Raster::row, 3, 4) == std::vector<TileIndex>{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}});
  CHECK(first(Raster::column, 4, 3) == std::vector<TileIndex>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}});
  CHECK(first(Raster::grouped, 4, 4) == std::vector<TileIndex>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}});
  CHECK(first(Raster::morton, 4, 4) == std::vector<TileIndex>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}});
}

TEST_CASE("a group of one row is row order, and one of all rows is column order") {
  for (std::int64_t cta = 0; cta < 35; ++cta) {
    const auto at = [&](Raster order, std::int64_t group) {
      return tile_of({.order = order, .tiles_x = 7, .tiles_y = 5, .group = group}, cta);
    };
    CHECK(at(Raster::grouped, 1) == at(Raster::row, 1));
    CHECK(at(Raster::grouped, 5) == at(Raster::column, 1));
  }
}
