#include <stdexcept>

#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/sweep_actions.h"
#include "sim/cli/sweep_table_options.h"
#include "sim/studies/sweep/table_text.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

int run_sweep_export(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"csv", "json"});
  sweep::SweepTable table = selected_table(values, values.count("wall") != 0);
  const auto columns = columns_from(values);
  if (!columns.empty()) table = with_columns(std::move(table), columns);
  with_output(values, out, [&](std::ostream& stream) {
    stream << (format == "csv"
                   ? table_csv(table)
                   : table_json(table).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  });
  return ok;
}

}  // namespace

Command sweep_export_command() {
  Command command;
  command.name = "sweep export";
  command.summary = "Write a store's results as tidy CSV or JSON";
  command.usage = "sweep export STORE.db [options]";
  command.details =
      "One row per point, in the order of the study, whoever computed it when: stores of the same study give the same\n"
      "bytes. Points without a result are left out. Units stand in the header.";
  command.examples =
      "tilescope sweep export tiles.db -o tiles.csv\n"
      "tilescope sweep export tiles.db --format json | jq '.points[0].metrics'\n"
      "tilescope sweep export tiles.db --where 'M == 1024' --columns kernel,bm,bn,tflops";
  command.declare = [](CommandLine& line) {
    line.words = {"STORE"};
    line.options.add_options()("format", po::value<std::string>()->default_value("csv")->value_name("csv|json"),
                               "of the answer");
    add_selection_options(line.options);
    line.options.add_options()("wall", "also the program's version and the seconds each point took");
    add_output_option(line.options);
  };
  command.run = run_sweep_export;
  return command;
}

}  // namespace tilescope::cli
