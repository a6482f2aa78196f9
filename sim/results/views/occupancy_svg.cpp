#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/occupancy_view.h"
#include "sim/results/views/svg_picture.h"

namespace tilescope {
namespace {

constexpr double kOccupancyWide = 470, kOccupancyGap = 34, kOccupancyMargin = 30, kRow = 24;  // pixels

const char* limit_colour(const std::string& limiter) {
  return limiter == "threads"         ? picture_colour(0)
         : limiter == "registers"     ? picture_colour(1)
         : limiter == "shared memory" ? picture_colour(2)
                                      : picture_colour(3);
}

struct OccupancyRow {
  std::string label;
  double percent = 0;
  std::string words;  // behind the bar
  const char* colour = kInk;
};

double panel_height(std::size_t rows) { return 34 + kRow * static_cast<double>(rows) + 8; }

void draw_panel(SvgPicture& picture, double x, double y, const std::string& title,
                const std::vector<OccupancyRow>& rows) {
  constexpr double label_wide = 172, bar_wide = 160;
  picture.text(x, y + 14, title, {.size = 13, .bold = true});
  y += 26;
  for (const OccupancyRow& row : rows) {
    picture.text(x + label_wide - 10, y + 14, row.label, {11, "end"});
    picture.box(x + label_wide, y + 3, bar_wide, 14, kGrid, "none", 2);
    if (row.percent > 0)
      picture.box(x + label_wide, y + 3, bar_wide * std::min(1.0, row.percent / 100), 14, row.colour, "none", 2);
    picture.text(x + label_wide + bar_wide + 8, y + 14, row.words, {11, "start", kPaleInk});
    y += kRow;
  }
}

std::vector<OccupancyRow> rows_of(const std::vector<OccupancyCase>& cases) {
  std::vector<OccupancyRow> rows;
  for (const OccupancyCase& one : cases)
    if (one.launchable)
      rows.push_back({one.label, one.occupancy.percent,
                      fmt::format("{:.0f} %, {} CTA{}", one.occupancy.percent, one.occupancy.ctas_per_sm,
                                  one.occupancy.ctas_per_sm == 1 ? "" : "s"),
                      limit_colour(one.occupancy.limiter)});
    else
      rows.push_back({one.label, 0, "can not be launched"});
  return rows;
}

std::vector<OccupancyRow> rows_of_limits(const OccupancyReport& report) {
  std::vector<OccupancyRow> rows;
  for (const OccupancyLimit& limit : report.limits)
    rows.push_back({limit.name, static_cast<double>(limit.percent),
                    fmt::format("{} CTAs{}", limit.ctas, limit.binds ? ": binds" : ""), limit_colour(limit.name)});
  return rows;
}

std::vector<std::string> advice_words(const OccupancyReport& report) {
  std::vector<std::string> words;
  const CtaResources& cta = report.cta;
  if (report.registers_for_more)
    words.push_back(fmt::format("{} registers per thread ({} less): {:.0f} %", *report.registers_for_more,
                                cta.registers_per_thread - *report.registers_for_more,
                                report.with_those_registers.percent));
  if (report.shared_for_more)
    words.push_back(fmt::format("{} bytes of shared memory ({} less): {:.0f} %", *report.shared_for_more,
                                cta.shared_bytes - *report.shared_for_more, report.with_that_shared.percent));
  if (words.empty()) words.emplace_back("neither fewer registers nor less shared memory alone brings a CTA more");
  words.push_back(fmt::format("for nothing: up to {} registers, or {} bytes of shared memory",
                              report.registers_for_same, report.shared_for_same));
  return words;
}

double left_height(const OccupancyReport& report) {
  return panel_height(report.limits.size()) + 84 +
         (report.by_tile.empty() ? 0 : panel_height(report.by_tile.size()) + 10);
}

double kernel_height(const OccupancyReport& report) {
  return 62 + std::max(left_height(report), panel_height(report.by_block.size()));
}

}  // namespace

std::string occupancy_svg(const OccupancyView& view) {
  double height = 84;
  for (const auto& [label, report] : view.kernels) height += kernel_height(report);
  SvgPicture picture(2 * kOccupancyMargin + 2 * kOccupancyWide + kOccupancyGap, height);
  picture.text(kOccupancyMargin, 32, "Occupancy, " + view.gpu, {.size = 18, .bold = true});
  double x = kOccupancyMargin;
  picture.text(x, 56, "the limit that decides:", {12, "start", kPaleInk});
  x += 140;
  for (const char* limit : {"threads", "registers", "shared memory", "CTA slots"}) {
    picture.box(x, 46, 12, 12, limit_colour(limit), "none", 2);
    picture.text(x + 17, 56, limit, {.size = 12});
    x += 40 + 7.0 * static_cast<double>(std::string_view(limit).size());
  }
  double y = 84;
  for (const auto& [label, report] : view.kernels) {
    picture.line(kOccupancyMargin, y - 10, kOccupancyMargin + 2 * kOccupancyWide + kOccupancyGap, y - 10, "#c5cedb");
    picture.text(kOccupancyMargin, y + 12, label, {.size = 14, .bold = true});
    picture.text(
        kOccupancyMargin, y + 31,
        fmt::format("{} threads, {} registers per thread, {} bytes of shared memory per CTA: {} CTA{} per SM, {} "
                    "of {} warps, {:.0f} %",
                    report.cta.threads, report.cta.registers_per_thread, report.cta.shared_bytes,
                    report.now.ctas_per_sm, report.now.ctas_per_sm == 1 ? "" : "s",
                    report.now.ctas_per_sm * report.now.warps_per_cta, view.max_warps, report.now.percent),
        {12, "start", kPaleInk});
    double down = y + 46;
    draw_panel(picture, kOccupancyMargin, down, "what each limit alone allows", rows_of_limits(report));
    down += panel_height(report.limits.size());
    picture.text(kOccupancyMargin, down + 12, "what it takes to change that", {.size = 13, .bold = true});
    double line = down + 32;
    for (const std::string& words : advice_words(report)) {
      picture.text(kOccupancyMargin + 12, line, words, {.size = 11});
      line += 17;
    }
    down += 84;
    if (!report.by_tile.empty())
      draw_panel(picture, kOccupancyMargin, down, "with other tiles", rows_of(report.by_tile));
    draw_panel(picture, kOccupancyMargin + kOccupancyWide + kOccupancyGap, y + 46,
               "with other numbers of threads per CTA, all else as it is", rows_of(report.by_block));
    y += kernel_height(report);
  }
  return picture.take();
}

}  // namespace tilescope
