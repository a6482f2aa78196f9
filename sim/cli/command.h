// What a subcommand is. Each has one file, sim/cli/NAME_command.cpp, with one function `Command NAME_command()`, listed
// in commands.cpp. A command's run() writes its answer to `out` and throws UsageError, DiagnosticsError or anything
// else; the dispatcher prints those and chooses the exit code.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tilescope::cli {

enum ExitCode : int { ok = 0, work_failed = 1, wrong_usage = 2, outside_tolerance = 3 };

// What a command takes. Words without a dash go to `words` in order, each required; the last takes any number, none
// too, if `many`.
struct CommandLine {
  boost::program_options::options_description options{"Options"};
  std::vector<std::string>
      words;  // read them as values["NAME"]: std::string, or std::vector<std::string> for the last if many
  bool many = false;
};

using Values = boost::program_options::variables_map;

struct Command {
  std::string name;
  std::string summary;   // one line for `tilescope --help`
  std::string usage;     // "run KERNEL [options]"
  std::string details;   // a paragraph, may be empty
  std::string examples;  // whole lines, without indentation
  std::function<void(CommandLine&)> declare;
  std::function<int(const Values&, std::ostream& out)> run;
  std::vector<Command> actions = {};  // named "sweep merge": chosen by the word after "sweep"; else the command itself
};

// The commands, in the order of `tilescope --help`.
const std::vector<Command>& commands();

}  // namespace tilescope::cli
