#include "sim/results/views/text_canvas.h"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

// Bits of U+2800 by the dot's place: column 0 or 1, row 0 to 3.
constexpr std::uint8_t kDotBits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

std::string braille(std::uint8_t dots) {
  return {'\xe2', static_cast<char>(0xa0 | dots >> 6), static_cast<char>(0x80 | (dots & 0x3f))};
}

}  // namespace

TextCanvas::TextCanvas(int columns, int rows, bool ascii)
    : columns_(columns),
      rows_(rows),
      ascii_(ascii),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

TextCanvas::Cell* TextCanvas::cell(int column, int row) {
  if (column < 0 || column >= columns_ || row < 0 || row >= rows_) return nullptr;
  return &cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column)];
}

void TextCanvas::dot(double column, double row) {
  const double left = std::floor(column), top = std::floor(row);
  Cell* at = cell(static_cast<int>(left), static_cast<int>(top));
  if (at != nullptr) at->dots |= kDotBits[column - left < 0.5 ? 0 : 1][static_cast<int>((row - top) * 4)];
}

void TextCanvas::line(double from_column, double from_row, double to_column, double to_row) {
  const double columns = to_column - from_column, rows = to_row - from_row;
  const int steps = std::max(1, static_cast<int>(std::ceil(std::max(std::abs(columns) * 2, std::abs(rows) * 4))));
  for (int i = 0; i <= steps; ++i) dot(from_column + columns * i / steps, from_row + rows * i / steps);
}

void TextCanvas::put(int column, int row, const std::string& glyph) {
  if (Cell* at = cell(column, row)) at->glyph = glyph;
}

void TextCanvas::put_text(int column, int row, const std::string& ascii_text) {
  for (const char c : ascii_text) put(column++, row, std::string(1, c));
}

std::string TextCanvas::text_of(const Cell& cell) const {
  if (!cell.glyph.empty()) return cell.glyph;
  if (cell.dots == 0) return " ";
  return ascii_ ? "." : braille(cell.dots);
}

std::vector<std::string> TextCanvas::lines() const {
  std::vector<std::string> all;
  for (int row = 0; row < rows_; ++row) {
    std::string line;
    for (int column = 0; column < columns_; ++column)
      line += text_of(cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                             static_cast<std::size_t>(column)]);
    line.erase(line.find_last_not_of(' ') + 1);
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace tilescope
