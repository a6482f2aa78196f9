#include "sim/cli/walk_command.h"

#include <charconv>

#include "models/support/diagnostic.h"
#include "sim/cli/kernel_argument.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/halo_walk_view.h"
#include "sim/results/views/tree_walk_view.h"
#include "sim/results/views/walk_view.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

Element element_from(const Values& values) {
  const auto& text = values["element"].as<std::string>();
  Element element;
  const char *from = text.data(), *end = text.data() + text.size();
  const auto row = std::from_chars(from, end, element.row);
  const bool comma = row.ec == std::errc{} && row.ptr != end && *row.ptr == ',';
  if (comma) {
    const auto column = std::from_chars(row.ptr + 1, end, element.column);
    if (column.ec == std::errc{} && column.ptr == end && element.row >= 0 && element.column >= 0) return element;
  }
  throw UsageError("--element: got " + in_quotes(text) + "; must be ROW,COLUMN, whole numbers from 0");
}

// Sketches of arithmetic, which no kernel is behind.
bool is_sketch(const std::string& name) { return name == "tree" || name == "halo"; }

template <class Walk>
std::string answer(const Walk& walk, const std::string& format, std::string (*text)(const Walk&),
                   nlohmann::ordered_json (*json)(const Walk&), std::string (*svg)(const Walk&)) {
  return format == "json" ? json(walk).dump(2) + "\n" : format == "svg" ? svg(walk) : text(walk);
}

template <class Walk>
const Walk& walked(const std::string& name, const tl::expected<Walk, std::vector<std::string>>& walk) {
  if (walk) return *walk;
  Diagnostics errors;
  for (const std::string& problem : walk.error()) errors.push_back({name, 0, 0, problem});
  throw DiagnosticsError(errors);
}

std::string sketch(const Values& values, const NamedParameters& named, const std::string& format) {
  if (!values["element"].defaulted())
    throw UsageError("--element is for a product; got KERNEL " + in_quotes(named.name));
  if (named.name == "tree")
    return answer(walked(named.name, walk_tree(named.parameters)), format, tree_text, tree_json, tree_svg);
  return answer(walked(named.name, walk_halo(named.parameters)), format, halo_text, halo_json, halo_svg);
}

int walk_kernel(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json", "svg"});
  const Element element = element_from(values);
  const auto& word = values["KERNEL"].as<std::string>();
  std::string text;
  if (is_sketch(word.substr(0, word.find(':')))) {
    text = sketch(values, named_parameters(values, word, is_sketch), format);
  } else {
    const auto kernel = kernel_of_argument(values, word);
    const auto walk = walk_gemm(*kernel, element);
    if (!walk) throw UsageError(walk.error());
    text = answer(*walk, format, walk_text, walk_json, walk_svg);
  }
  with_output(values, out, [&](std::ostream& stream) { stream << text; });
  return ok;
}

}  // namespace

Command walk_command() {
  Command command;
  command.name = "walk";
  command.summary = "Follow one output of a small GEMM, phase by phase; a tree of additions; a halo";
  command.usage = "walk KERNEL [options]";
  command.details =
      "KERNEL is gemm_naive or gemm_tiled, of a small launch. Says for each phase which lanes load which elements, "
      "where\n"
      "threads wait, which products are added, and what the output is so far, from the kernel's own addresses.\n"
      "Or one of two sketches, arithmetic without a kernel: tree (a reduction: which threads add in which step; "
      "values,\n"
      "addressing=interleaved|sequential|both) and halo (the tile that a CTA of a convolution loads; tile, radius).";
  command.examples =
      "tilescope walk gemm_tiled -p M=4 -p N=4 -p K=4 -p tile=2\n"
      "tilescope walk gemm_naive:block_x=4,block_y=4 -p M=4 -p N=4 -p K=4 --element 3,1\n"
      "tilescope walk gemm_tiled:tile=4 -p M=12 -p N=12 -p K=12 --format svg -o walk.svg\n"
      "tilescope walk tree -p values=256\n"
      "tilescope walk halo:tile=32,radius=1";
  command.declare = [](CommandLine& line) {
    line.words = {"KERNEL"};
    add_parameter_option(line.options);
    line.options.add_options()("element", po::value<std::string>()->default_value("0,0")->value_name("ROW,COLUMN"),
                               "of C, which is followed");
    line.options.add_options()("format", po::value<std::string>()->default_value("table")->value_name("table|json|svg"),
                               "of the answer; svg: a frame for each phase");
    add_limit_option(line.options);
    add_output_option(line.options);
  };
  command.run = walk_kernel;
  return command;
}

}  // namespace tilescope::cli
