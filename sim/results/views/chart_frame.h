// What stands around a chart's canvas: both axes with their values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/results/views/chart_style.h"
#include "sim/results/views/text_canvas.h"

namespace tilescope {

// Values beside an axis, by their place along the canvas in characters.
using AxisMarks = std::vector<std::pair<int, std::string>>;

// The canvas's width where the marks of the vertical axis stand to its left.
int canvas_width(const AxisMarks& vertical, const ChartStyle& style);

// The canvas between its axes. Marks below that would touch the one before them are left out. `name` stands below in
// the middle.
std::string framed(const TextCanvas& canvas, const AxisMarks& vertical, const AxisMarks& below, const std::string& name,
                   const ChartStyle& style);

}  // namespace tilescope
