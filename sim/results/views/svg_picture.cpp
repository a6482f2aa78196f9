#include "sim/results/views/svg_picture.h"

#include <fmt/format.h>

#include <array>

#include "sim/results/views/xml_text.h"

namespace tilescope {
namespace {

std::string title_of(std::string_view title) {
  return title.empty() ? "/>\n" : fmt::format("><title>{}</title>", xml_text(std::string(title)));
}

std::string closed(const std::string& element, const std::string& name, std::string_view title) {
  return element + title_of(title) + (title.empty() ? "" : "</" + name + ">\n");
}

}  // namespace

const char* picture_colour(std::size_t i) {
  static constexpr std::array<const char*, 8> colours{"#3366aa", "#e0552f", "#2f8f4e", "#b8860b",
                                                      "#7b4fa3", "#1a9aa8", "#c2327a", "#5b6573"};
  return colours[i % colours.size()];
}

SvgPicture::SvgPicture(double width, double height)
    : document_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                            "viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                            "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
                            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                            width, height)) {}

void SvgPicture::text(double x, double y, std::string_view words, const TextStyle& style) {
  document_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\"", x, y, style.size, style.fill);
  if (std::string_view(style.anchor) != "start") document_ += fmt::format(" text-anchor=\"{}\"", style.anchor);
  if (style.halo)
    document_ +=
        fmt::format(" stroke=\"{}\" stroke-width=\"3.5\" stroke-linejoin=\"round\" paint-order=\"stroke\"", kPanel);
  if (style.bold) document_ += " font-weight=\"bold\"";
  if (style.mono) document_ += " font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" xml:space=\"preserve\"";
  if (style.turn != 0) document_ += fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"", style.turn, x, y);
  document_ += ">" + xml_text(std::string(words)) + "</text>\n";
}

void SvgPicture::line(double x1, double y1, double x2, double y2, const char* stroke, double width, const char* dash,
                      double opacity) {
  document_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"{:g}\"", x1, y1, x2,
                           y2, stroke, width);
  if (*dash != 0) document_ += fmt::format(" stroke-dasharray=\"{}\"", dash);
  if (opacity != 1) document_ += fmt::format(" opacity=\"{:g}\"", opacity);
  document_ += "/>\n";
}

void SvgPicture::box(double x, double y, double width, double height, const char* fill, const char* stroke,
                     double corner, std::string_view title) {
  std::string element = fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"", x,
                                    y, width, height, fill);
  if (std::string_view(stroke) != "none") element += fmt::format(" stroke=\"{}\"", stroke);
  if (corner != 0) element += fmt::format(" rx=\"{:g}\"", corner);
  document_ += closed(element, "rect", title);
}

void SvgPicture::marker(std::string_view shape, double x, double y, double size, const char* fill,
                        std::string_view title) {
  const double r = size / 2;
  std::string path;
  if (shape == "circle") {
    document_ += closed(
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"white\"", x, y, r, fill),
        "circle", title);
    return;
  }
  if (shape == "square")
    path = fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8, -r * 1.8);
  else if (shape == "triangle")
    path = fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}z", x, y - r * 1.15, r * 1.1, r * 1.95, -r * 2.2);
  else
    path = fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}z", x, y - r * 1.25, r * 1.25, r * 1.25,
                       -r * 1.25, r * 1.25, -r * 1.25, -r * 1.25);
  document_ += closed(fmt::format("<path d=\"{}\" fill=\"{}\" stroke=\"white\"", path, fill), "path", title);
}

std::string SvgPicture::take() {
  document_ += "</svg>\n";
  return std::move(document_);
}

}  // namespace tilescope
