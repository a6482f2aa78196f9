// A field of characters to draw on, for charts in terminals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

class TextCanvas {
 public:
  // `ascii`: nothing but ASCII; otherwise lines are Braille dots, eight to a character.
  TextCanvas(int columns, int rows, bool ascii);

  int columns() const { return columns_; }
  int rows() const { return rows_; }

  // In characters from the upper left corner; what lies outside is left out.
  void line(double from_column, double from_row, double to_column, double to_row);
  // One character, over what lines are there.
  void put(int column, int row, const std::string& glyph);
  void put_text(int column, int row, const std::string& ascii_text);

  // From above, without spaces at the end.
  std::vector<std::string> lines() const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    std::string glyph;  // in place of the dots
  };

  void dot(double column, double row);
  Cell* cell(int column, int row);
  std::string text_of(const Cell& cell) const;

  int columns_, rows_;
  bool ascii_;
  std::vector<Cell> cells_;
};

}  // namespace tilescope
