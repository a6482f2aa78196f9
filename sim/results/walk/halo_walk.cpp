#include "sim/results/walk/halo_walk.h"

#include <algorithm>

#include "models/isa/lane_pattern.h"

namespace tilescope {
namespace {

constexpr std::int64_t kFloatsOfSector = 8;

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

}  // namespace

const std::vector<ParameterInfo>& halo_parameters() {
  static const std::vector<ParameterInfo> known = {
      {"tile", "32", "rows and columns of outputs, and of a CTA's threads", 1, 32},
      {"radius", "1", "elements of the halo on each side: 1 for 3x3, 3 for 7x7", 0, 32}};
  return known;
}

tl::expected<HaloWalk, std::vector<std::string>> walk_halo(const ParameterTexts& parameters) {
  std::vector<std::string> problems;
  const Parameters read(halo_parameters(), parameters, problems);
  if (!problems.empty()) return tl::unexpected(problems);
  HaloWalk walk;
  walk.tile = read.number("tile");
  walk.radius = read.number("radius");
  const std::int64_t inner = divided_up(walk.tile, kFloatsOfSector);
  walk.inner_sectors = walk.tile * inner;
  // To the left of the tile's first sector, and from there to the right.
  walk.sectors =
      walk.side() * (divided_up(walk.radius, kFloatsOfSector) + divided_up(walk.tile + walk.radius, kFloatsOfSector));
  const std::int64_t threads = walk.tile * walk.tile;
  for (std::int64_t first = 0; first < walk.elements(); first += threads) {
    const std::int64_t loading = std::min(threads, walk.elements() - first);
    walk.rounds.push_back({first, loading, divided_up(loading, kLanes)});
  }
  return walk;
}

}  // namespace tilescope
