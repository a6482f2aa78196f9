#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/svg_picture.h"
#include "sim/results/views/walk_view.h"

namespace tilescope {
namespace {

constexpr double kWalkMargin = 30, kMatrixGap = 70;  // pixels
constexpr const char *kTileA = "#cfe0f7", *kTileB = "#fbd9cd", *kTileC = "#d5eedb";

double cell_of(const GemmWalk& walk) {
  return std::clamp(420.0 / static_cast<double>(std::max({walk.m, walk.n, walk.k})), 9.0, 34.0);
}

// A matrix of cells; `colour` says how one is painted, nullptr: pale. Words only where they fit.
template <class Colour, class Words>
void draw_matrix(SvgPicture& picture, double x, double y, double cell, std::int64_t rows, std::int64_t columns,
                 const std::string& title, const Colour& colour, const Words& words) {
  picture.text(x, y - 8, title, {.size = 13, .bold = true});
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      const char* paint = colour(row, column);
      const double left = x + cell * static_cast<double>(column), top = y + cell * static_cast<double>(row);
      picture.box(left, top, cell, cell, paint == nullptr ? kPanel : paint, "#c5cedb");
      if (cell >= 24)
        picture.text(left + cell / 2, top + cell / 2 + 4, words(row, column),
                     {.size = 11, .anchor = "middle", .fill = paint == nullptr ? kPaleInk : kInk});
    }
}

const PhaseLoad* tile_of(const Phase& phase, char matrix) {
  for (const PhaseLoad& load : phase.loads)
    if (load.matrix == matrix) return &load;
  return nullptr;
}

bool in_tile(const PhaseLoad* load, std::int64_t row, std::int64_t column) {
  return load != nullptr && row >= load->first.row && row <= load->last.row && column >= load->first.column &&
         column <= load->last.column;
}

bool is_multiplied(const Phase& phase, std::int64_t k) {
  return std::any_of(phase.products.begin(), phase.products.end(), [k](const Product& one) { return one.k == k; });
}

void draw_frame(SvgPicture& picture, const GemmWalk& walk, std::size_t index, double y) {
  const Phase& phase = walk.phases[index];
  const double cell = cell_of(walk);
  const PhaseLoad *tile_a = tile_of(phase, 'A'), *tile_b = tile_of(phase, 'B');
  std::string title = fmt::format("phase {} of {}", index + 1, walk.phases.size());
  if (!phase.products.empty())
    title += fmt::format(": k = {} to {}", phase.products.front().k, phase.products.back().k);
  picture.text(kWalkMargin, y + 16, title, {.size = 15, .bold = true});
  const double top = y + 52;
  double x = kWalkMargin;
  const double strong = 2.2;
  const auto outline = [&](double left, double upper, double wide, double high) {
    picture.line(left, upper, left + wide, upper, kInk, strong);
    picture.line(left, upper + high, left + wide, upper + high, kInk, strong);
    picture.line(left, upper, left, upper + high, kInk, strong);
    picture.line(left + wide, upper, left + wide, upper + high, kInk, strong);
  };
  draw_matrix(
      picture, x, top, cell, walk.m, walk.k, "A",
      [&](std::int64_t r, std::int64_t c) { return in_tile(tile_a, r, c) ? kTileA : nullptr; },
      [&](std::int64_t r, std::int64_t c) {
        return fmt::format("{:g}", walk.a({r, c}));
      });
  for (std::int64_t k = 0; k < walk.k; ++k)
    if (is_multiplied(phase, k))
      outline(x + cell * static_cast<double>(k), top + cell * static_cast<double>(walk.output.row), cell, cell);
  x += cell * static_cast<double>(walk.k) + kMatrixGap;
  draw_matrix(
      picture, x, top, cell, walk.k, walk.n, "B",
      [&](std::int64_t r, std::int64_t c) { return in_tile(tile_b, r, c) ? kTileB : nullptr; },
      [&](std::int64_t r, std::int64_t c) {
        return fmt::format("{:g}", walk.b({r, c}));
      });
  for (std::int64_t k = 0; k < walk.k; ++k)
    if (is_multiplied(phase, k))
      outline(x + cell * static_cast<double>(walk.output.column), top + cell * static_cast<double>(k), cell, cell);
  x += cell * static_cast<double>(walk.n) + kMatrixGap;
  draw_matrix(
      picture, x, top, cell, walk.m, walk.n, "C",
      [&](std::int64_t r, std::int64_t c) {
        return Element{r, c} == walk.output ? kTileC : nullptr;
      },
      [&](std::int64_t r, std::int64_t c) {
        return Element{r, c} == walk.output ? fmt::format("{:g}", phase.value) : std::string();
      });
  outline(x + cell * static_cast<double>(walk.output.column), top + cell * static_cast<double>(walk.output.row), cell,
          cell);
}

std::string step_words(const GemmWalk& walk, std::size_t index) {
  const Phase& phase = walk.phases[index];
  std::string sum;
  for (std::size_t i = 0; i < phase.products.size(); ++i)
    sum += i == 4 && phase.products.size() > 5 ? " + ..."
           : i > 4 && phase.products.size() > 5
               ? ""
               : fmt::format("{}{:g} x {:g}", sum.empty() ? "" : " + ", phase.products[i].a, phase.products[i].b);
  const double before = index == 0 ? 0 : walk.phases[index - 1].value;
  return fmt::format("load{}, compute: C[{}][{}] = {:g} + {} = {:g}", phase.barriers_before > 0 ? ", sync" : "",
                     walk.output.row, walk.output.column, before, sum, phase.value);
}

}  // namespace

std::string walk_svg(const GemmWalk& walk) {
  const double cell = cell_of(walk);
  const double frame = 52 + cell * static_cast<double>(std::max(walk.m, walk.k)) + 50;
  const double wide = 2 * kWalkMargin + cell * static_cast<double>(walk.k + 2 * walk.n) + 2 * kMatrixGap;
  SvgPicture picture(std::max(wide, 640.0), 74 + frame * static_cast<double>(walk.phases.size()));
  picture.text(kWalkMargin, 32, fmt::format("{}, {}x{}x{}", walk.kernel, walk.m, walk.n, walk.k),
               {.size = 18, .bold = true});
  picture.text(kWalkMargin, 52,
               fmt::format("coloured: what CTA ({}, {}) loads; framed: what is multiplied for C[{}][{}]", walk.cta_x,
                           walk.cta_y, walk.output.row, walk.output.column),
               {12, "start", kPaleInk});
  double y = 74;
  for (std::size_t i = 0; i < walk.phases.size(); ++i, y += frame) {
    draw_frame(picture, walk, i, y);
    picture.text(kWalkMargin, y + frame - 22, step_words(walk, i), {.size = 13});
  }
  return picture.take();
}

}  // namespace tilescope
