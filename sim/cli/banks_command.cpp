#include "sim/cli/banks_command.h"

#include <unistd.h>

#include <iostream>
#include <optional>

#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/usage_error.h"
#include "sim/results/banks/bank_report.h"
#include "sim/results/views/bank_view.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

LaneExpression expression_from(const std::string& text) {
  try {
    return LaneExpression(text);
  } catch (const ExpressionError& error) {
    throw UsageError(std::string("--expr: ") + error.what());
  }
}

LaneMap checked(const tl::expected<LaneMap, std::string>& map, const std::string& option) {
  if (!map) throw UsageError(option + ": " + map.error());
  return *map;
}

BankReport report_from(const Values& values) {
  const int bytes = std::stoi(chosen(values, "width", {"32", "64", "128"})) / 8;
  const SharedOp op = chosen(values, "op", {"ld", "st"}) == "ld" ? SharedOp::load : SharedOp::store;
  const bool lanes = values.count("lanes") != 0;
  const bool formula = values.count("expr") != 0;
  if (lanes && formula)
    throw UsageError("--lanes and --expr are both given; must be one of them", "see: tilescope banks --help");
  if (!lanes && !formula)
    throw UsageError("neither --lanes nor --expr is given; must be one of them", "see: tilescope banks --help");
  if (lanes) return bank_report(checked(lane_map_of(values["lanes"].as<std::string>()), "--lanes"), bytes, op);
  const LaneExpression expression = expression_from(values["expr"].as<std::string>());
  BankReport report = bank_report(checked(lane_map_of(expression), "--expr"), bytes, op);
  report.fixes = bank_fixes(expression, bytes, op);
  return report;
}

int run_banks(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json"});
  const BankReport report = report_from(values);
  with_output(values, out, [&](std::ostream& stream) {
    const bool terminal = &stream == &std::cout && isatty(STDOUT_FILENO) != 0;
    stream << (format == "json"
                   ? bank_json(report).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
                   : bank_table(report, terminal));
  });
  return ok;
}

}  // namespace

Command banks_command() {
  Command command;
  command.name = "banks";
  command.summary = "Count the bank conflicts of one shared-memory instruction, and show where they are";
  command.usage = "banks --lanes \"0 1 2 ...\" | --expr FORMULA [options]";
  command.details =
      "The index of each lane is in units of the width, from the start of the array; -1: the lane is inactive.\n"
      "A formula has whole numbers, lane, parentheses and C's operators ?: || && | ^ & == != < <= > >= << >> + - * / % "
      "~ !;\n"
      "with one, a padding or XOR swizzle that takes the conflict away is looked for.";
  command.examples =
      "tilescope banks --expr 'lane*32'\n"
      "tilescope banks --width 128 --op st --expr '(lane%8)*9 + lane/8'\n"
      "tilescope banks --width 64 --expr 'lane < 16 ? lane*2 : -1' --format json\n"
      "tilescope banks --lanes \"0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 "
      "-1\"";
  command.declare = [](CommandLine& line) {
    line.options.add_options()("width", po::value<std::string>()->default_value("32")->value_name("32|64|128"),
                               "bits per lane");
    line.options.add_options()("op", po::value<std::string>()->default_value("ld")->value_name("ld|st"),
                               "load or store");
    line.options.add_options()("lanes", po::value<std::string>()->value_name("INDICES"), "32 indices");
    line.options.add_options()("expr", po::value<std::string>()->value_name("FORMULA"),
                               "the index of lane 0 to 31, such as lane*33");
    line.options.add_options()("format", po::value<std::string>()->default_value("table")->value_name("table|json"),
                               "of the answer");
    add_output_option(line.options);
  };
  command.run = run_banks;
  return command;
}

}  // namespace tilescope::cli
