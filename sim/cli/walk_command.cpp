#include "sim/cli/walk_command.h"

#include <charconv>

#include "models/support/diagnostic.h"
#include "sim/cli/kernel_argument.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/usage_error.h"
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

int walk_kernel(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json", "svg"});
  const Element element = element_from(values);
  const auto kernel = kernel_of_argument(values, values["KERNEL"].as<std::string>());
  const auto walk = walk_gemm(*kernel, element);
  if (!walk) throw UsageError(walk.error());
  with_output(values, out, [&](std::ostream& stream) {
    stream << (format == "json"  ? walk_json(*walk).dump(2) + "\n"
               : format == "svg" ? walk_svg(*walk)
                                 : walk_text(*walk));
  });
  return ok;
}

}  // namespace

Command walk_command() {
  Command command;
  command.name = "walk";
  command.summary = "Follow one output of a small GEMM, phase by phase";
  command.usage = "walk KERNEL [options]";
  command.details =
      "KERNEL is gemm_naive or gemm_tiled, of a small launch. Says for each phase which lanes load which elements, "
      "where\n"
      "threads wait, which products are added, and what the output is so far, from the kernel's own addresses.";
  command.examples =
      "tilescope walk gemm_tiled -p M=4 -p N=4 -p K=4 -p tile=2\n"
      "tilescope walk gemm_naive:block_x=4,block_y=4 -p M=4 -p N=4 -p K=4 --element 3,1\n"
      "tilescope walk gemm_tiled:tile=4 -p M=12 -p N=12 -p K=12 --format svg -o walk.svg";
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
