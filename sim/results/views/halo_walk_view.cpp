#include "sim/results/views/halo_walk_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/svg_picture.h"

namespace tilescope {
namespace {

constexpr std::int64_t kHaloDrawn = 40;  // a side; larger squares are not drawn in text

bool is_halo(const HaloWalk& halo, std::int64_t row, std::int64_t column) {
  const auto outside = [&](std::int64_t at) { return at < halo.radius || at >= halo.radius + halo.tile; };
  return outside(row) || outside(column);
}

double more(std::int64_t whole, std::int64_t part) {
  return 100 * (static_cast<double>(whole) / static_cast<double>(part) - 1);
}

std::string headline(const HaloWalk& halo) {
  return fmt::format(
      "{0} x {0} elements for {1} x {1} outputs: {2:.3g} % more than the outputs ({3:.3g} % along one side)",
      halo.side(), halo.tile, more(halo.elements(), halo.tile * halo.tile), more(halo.side(), halo.tile));
}

std::string sectors_text(const HaloWalk& halo) {
  return fmt::format(
      "{} sectors of 32 bytes, the outputs alone {}: {:.3g} % more; floats, the first output of a row begins a sector",
      halo.sectors, halo.inner_sectors, more(halo.sectors, halo.inner_sectors));
}

std::string round_text(const HaloWalk& halo, std::size_t index) {
  const HaloRound& round = halo.rounds[index];
  return fmt::format("round {}: {} of {} threads, in {} warp{}, load elements {} to {}", index + 1, round.threads,
                     halo.tile * halo.tile, round.warps, round.warps == 1 ? "" : "s", round.first,
                     round.first + round.threads - 1);
}

}  // namespace

std::string halo_text(const HaloWalk& halo) {
  std::string text = headline(halo) + "\n" + sectors_text(halo) + "\n\n";
  for (std::size_t i = 0; i < halo.rounds.size(); ++i) text += "  " + round_text(halo, i) + "\n";
  if (halo.side() > kHaloDrawn) return text;
  text += "\n  # output and input, + halo, input alone\n\n";
  for (std::int64_t row = 0; row < halo.side(); ++row) {
    text += "  ";
    for (std::int64_t column = 0; column < halo.side(); ++column) text += is_halo(halo, row, column) ? '+' : '#';
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json halo_json(const HaloWalk& halo) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "tilescope.walk_halo/1"},
               {"tile", halo.tile},
               {"radius", halo.radius},
               {"side", halo.side()},
               {"elements", halo.elements()},
               {"more_elements_pct", more(halo.elements(), halo.tile * halo.tile)},
               {"sectors", halo.sectors},
               {"tile_sectors", halo.inner_sectors},
               {"rounds", Json::array()}};
  for (const HaloRound& round : halo.rounds)
    json["rounds"].push_back({{"first", round.first}, {"threads", round.threads}, {"warps", round.warps}});
  return json;
}

std::string halo_svg(const HaloWalk& halo) {
  const double margin = 30, cell = std::clamp(420.0 / static_cast<double>(halo.side()), 4.0, 28.0);
  const double side = cell * static_cast<double>(halo.side()), top = 88;
  SvgPicture picture(std::max(side + 2 * margin, 740.0),
                     top + side + 40 + 18 * static_cast<double>(halo.rounds.size()));
  picture.text(margin, 32, fmt::format("Tile of {0} x {0} with a halo of {1}", halo.tile, halo.radius),
               {.size = 18, .bold = true});
  picture.text(margin, 52, headline(halo), {.size = 12, .fill = kPaleInk});
  picture.text(margin, 70, sectors_text(halo), {.size = 12, .fill = kPaleInk});
  const std::int64_t threads = halo.tile * halo.tile;
  for (std::int64_t row = 0; row < halo.side(); ++row)
    for (std::int64_t column = 0; column < halo.side(); ++column) {
      const auto round = static_cast<std::size_t>((row * halo.side() + column) / threads);
      picture.box(margin + cell * static_cast<double>(column), top + cell * static_cast<double>(row), cell - 0.5,
                  cell - 0.5, picture_colour(round));
    }
  const double from = margin + cell * static_cast<double>(halo.radius), inner = cell * static_cast<double>(halo.tile);
  const double upper = top + cell * static_cast<double>(halo.radius);
  for (const double edge : {0.0, inner}) {
    picture.line(from, upper + edge, from + inner, upper + edge, "#ffffff", 2.5);
    picture.line(from + edge, upper, from + edge, upper + inner, "#ffffff", 2.5);
  }
  for (std::size_t i = 0; i < halo.rounds.size(); ++i) {
    const double y = top + side + 26 + 18 * static_cast<double>(i);
    picture.box(margin, y - 10, 10, 10, picture_colour(i));
    picture.text(margin + 18, y, round_text(halo, i));
  }
  return picture.take();
}

}  // namespace tilescope
