// A picture of lines, boxes and words as SVG. Pixels; the origin is the upper left corner.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilescope {

// Ink and paper of all pictures.
inline constexpr const char* kInk = "#1f2933";
inline constexpr const char* kPaleInk = "#697586";
inline constexpr const char* kGrid = "#e4e9f0";
inline constexpr const char* kPanel = "#f7f9fc";

// The colour of the i-th kernel, tile or lane: apart for people who do not see all colours alike.
const char* picture_colour(std::size_t i);

struct TextStyle {
  double size = 12;
  const char* anchor = "start";  // start, middle or end
  const char* fill = kInk;
  bool bold = false;
  bool mono = false;
  double turn = 0;    // degrees, clockwise, about its own place
  bool halo = false;  // a pale rim, over lines
};

class SvgPicture {
 public:
  // White paper of this size.
  SvgPicture(double width, double height);

  void text(double x, double y, std::string_view words, const TextStyle& style = {});
  // `dash`: as stroke-dasharray; empty: none.
  void line(double x1, double y1, double x2, double y2, const char* stroke, double width = 1, const char* dash = "",
            double opacity = 1);
  // `stroke`: "none" for no outline. `title` is shown where a mouse rests on it.
  void box(double x, double y, double width, double height, const char* fill, const char* stroke = "none",
           double corner = 0, std::string_view title = "");
  // "square", "triangle", "diamond" or "circle" about a place.
  void marker(std::string_view shape, double x, double y, double size, const char* fill, std::string_view title = "");

  // The document. Nothing may be added afterwards.
  std::string take();

 private:
  std::string document_;
};

}  // namespace tilescope
