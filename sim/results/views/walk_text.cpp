#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/walk_view.h"

namespace tilescope {
namespace {

constexpr std::int64_t kDrawn = 16;          // larger matrices are not drawn
constexpr std::size_t kListedElements = 16;  // of a load

std::string range_text(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

std::string box_text(const PhaseLoad& load) {
  return fmt::format("{}[{}][{}]", load.matrix, range_text(load.first.row, load.last.row),
                     range_text(load.first.column, load.last.column));
}

bool inside(const PhaseLoad& load, std::int64_t row, std::int64_t column) {
  return row >= load.first.row && row <= load.last.row && column >= load.first.column && column <= load.last.column;
}

const PhaseLoad* load_of(const Phase& phase, char matrix) {
  for (const PhaseLoad& load : phase.loads)
    if (load.matrix == matrix) return &load;
  return nullptr;
}

// A row of a matrix, what is loaded in brackets.
std::string row_text(std::int64_t row, std::int64_t columns, std::int64_t width, const PhaseLoad* load) {
  std::string text;
  bool open = false;
  for (std::int64_t column = 0; column <= columns; ++column) {
    const bool now = column < columns && load != nullptr && inside(*load, row, column);
    text += now && !open ? "[" : open && !now ? "]" : " ";
    open = now;
    if (column < columns) text += fmt::format("{:>{}}", row * columns + column + 1, width);
  }
  return text;
}

std::string pictures(const GemmWalk& walk, const Phase& phase) {
  if (std::max({walk.m, walk.n, walk.k}) > kDrawn) return "";
  const auto width = static_cast<std::int64_t>(fmt::format("{}", std::max(walk.m * walk.k, walk.k * walk.n)).size());
  const std::size_t wide = row_text(0, walk.k, width, nullptr).size() + 4;
  std::string text = fmt::format("    {:<{}} {}\n", "A", wide - 1, "B");
  for (std::int64_t row = 0; row < std::max(walk.m, walk.k); ++row) {
    const std::string a = row < walk.m ? row_text(row, walk.k, width, load_of(phase, 'A')) : "";
    const std::string b = row < walk.k ? row_text(row, walk.n, width, load_of(phase, 'B')) : "";
    std::string line = fmt::format("  {:<{}}{}", a, wide, b);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "\n";
}

std::string lanes_text(const GemmWalk& walk, const PhaseLoad& load) {
  const bool several = walk.block.count() > kLanes;
  if (load.lanes.size() > kListedElements)
    return fmt::format("{} elements by {} lanes", load.lanes.size(), [&] {
      std::vector<std::pair<int, int>> lanes;
      for (const LoadedElement& one : load.lanes) lanes.emplace_back(one.warp, one.lane);
      std::sort(lanes.begin(), lanes.end());
      return std::unique(lanes.begin(), lanes.end()) - lanes.begin();
    }());
  std::string text;
  for (const LoadedElement& one : load.lanes)
    text += fmt::format("{}{}lane {} {}[{}][{}]", text.empty() ? "" : ", ",
                        several ? fmt::format("warp {} ", one.warp) : "", one.lane, load.matrix, one.element.row,
                        one.element.column);
  return text;
}

std::string phase_text(const GemmWalk& walk, std::size_t index) {
  const Phase& phase = walk.phases[index];
  std::string text = fmt::format("\nphase {} of {}", index + 1, walk.phases.size());
  if (!phase.products.empty()) text += fmt::format(": k = {} to {}", phase.products.front().k, phase.products.back().k);
  text += "\n\n" + pictures(walk, phase);
  for (const PhaseLoad& load : phase.loads)
    text += fmt::format("  load     {}{}: {}\n", box_text(load), load.to_shared ? " into shared memory" : "",
                        lanes_text(walk, load));
  if (phase.barriers_before > 0) text += "  sync     every thread waits until both tiles are there\n";
  std::string sum;
  for (const Product& one : phase.products) sum += fmt::format("{}{:g} x {:g}", sum.empty() ? "" : " + ", one.a, one.b);
  const double before = index == 0 ? 0 : walk.phases[index - 1].value;
  text += fmt::format("  compute  C[{}][{}] = {:g} + {} = {:g}\n", walk.output.row, walk.output.column, before,
                      sum.empty() ? "0" : sum, phase.value);
  if (phase.barriers_after > 0) text += "  sync     every thread waits until nobody reads the tiles any more\n";
  return text;
}

}  // namespace

std::string walk_text(const GemmWalk& walk) {
  std::string text = fmt::format(
      "{}, C = A B, M={} N={} K={}; A and B are 1, 2, 3, ... row by row\n"
      "{} x {} CTAs of {} x {} threads; C[{}][{}] is made by CTA ({}, {}), warp {}, lane {}\n",
      walk.kernel, walk.m, walk.n, walk.k, walk.grid.x, walk.grid.y, walk.block.x, walk.block.y, walk.output.row,
      walk.output.column, walk.cta_x, walk.cta_y, walk.warp, walk.lane);
  for (std::size_t i = 0; i < walk.phases.size(); ++i) text += phase_text(walk, i);
  const double value = walk.phases.empty() ? 0 : walk.phases.back().value;
  text += fmt::format("\nC[{}][{}] = {:g}\n", walk.output.row, walk.output.column, value);
  return text + fmt::format("threads of the launch load {} elements from global memory, {:g} for each element of C\n",
                            walk.loaded_elements,
                            static_cast<double>(walk.loaded_elements) / static_cast<double>(walk.m * walk.n));
}

nlohmann::ordered_json walk_json(const GemmWalk& walk) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "tilescope.walk/1"}, {"kernel", walk.kernel}, {"M", walk.m}, {"N", walk.n}, {"K", walk.k}};
  json["grid"] = {walk.grid.x, walk.grid.y, walk.grid.z};
  json["block"] = {walk.block.x, walk.block.y, walk.block.z};
  json["output"] = {{"row", walk.output.row},
                    {"column", walk.output.column},
                    {"cta", {walk.cta_x, walk.cta_y}},
                    {"warp", walk.warp},
                    {"lane", walk.lane}};
  json["phases"] = Json::array();
  for (const Phase& phase : walk.phases) {
    Json one;
    one["loads"] = Json::array();
    for (const PhaseLoad& load : phase.loads) {
      Json entry = {{"matrix", std::string(1, load.matrix)},
                    {"first", {load.first.row, load.first.column}},
                    {"last", {load.last.row, load.last.column}},
                    {"to_shared", load.to_shared}};
      for (const LoadedElement& lane : load.lanes)
        entry["lanes"].push_back(
            {{"warp", lane.warp}, {"lane", lane.lane}, {"element", {lane.element.row, lane.element.column}}});
      one["loads"].push_back(entry);
    }
    one["barriers_before"] = phase.barriers_before;
    one["products"] = Json::array();
    for (const Product& product : phase.products)
      one["products"].push_back({{"k", product.k}, {"a", product.a}, {"b", product.b}});
    one["barriers_after"] = phase.barriers_after;
    one["value"] = phase.value;
    json["phases"].push_back(one);
  }
  json["loaded_elements"] = walk.loaded_elements;
  return json;
}

}  // namespace tilescope
