#include "sim/cli/program.h"

#include <algorithm>
#include <stdexcept>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "sim/cli/command.h"
#include "sim/cli/outside_tolerance.h"
#include "sim/cli/parse.h"
#include "sim/cli/usage_error.h"
#include "sim/results/version.h"

namespace tilescope::cli {
namespace {

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  const bool option = name.starts_with('-');
  if (option) names = {"--help", "--version"};
  throw UsageError(
      (option ? "unknown option " + name : "unknown command " + in_quotes(name)) + did_you_mean(name, names),
      "see: tilescope --help");
}

// The command's action that the first of its words names, or the command.
const Command& action_of(const Command& command, std::vector<std::string>& words) {
  if (words.empty()) return command;
  for (const Command& action : command.actions) {
    if (action.name != command.name + " " + words.front()) continue;
    words.erase(words.begin());
    return action;
  }
  return command;
}

}  // namespace

int answer(const std::vector<std::string>& arguments, std::ostream& out) {
  if (arguments.empty()) throw UsageError("no command given", "see: tilescope --help");
  const std::string& first = arguments.front();
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (first == "--version") {
    out << "tilescope " << version() << "\n";
    return ok;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    if (rest.empty()) {
      out << help_text();
      return ok;
    }
    const Command& asked = find_command(rest.front());
    rest.erase(rest.begin());
    out << help_text(action_of(asked, rest));
    return ok;
  }
  const Command& command = action_of(find_command(first), rest);
  const Values values = parse(command, rest);
  if (values.count("help") != 0) {
    out << help_text(command);
    return ok;
  }
  return command.run(values, out);
}

int run_program(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    const int code = answer(arguments, out);
    out.flush();
    if (!out) throw std::runtime_error("not everything could be written to the standard output");
    return code;
  } catch (const UsageError& error) {
    err << "tilescope: " << error.what() << "\n";
    if (!error.hint().empty()) err << error.hint() << "\n";
    return wrong_usage;
  } catch (const DiagnosticsError& error) {
    err << error.what();
    return wrong_usage;
  } catch (const OutsideTolerance& error) {
    out.flush();
    err << "tilescope: outside the asked tolerance:\n" << error.what() << "\n";
    return outside_tolerance;
  } catch (const std::invalid_argument& error) {  // the library's word for an impossible parameter
    err << "tilescope: " << error.what() << "\n";
    return wrong_usage;
  } catch (const std::bad_alloc&) {
    err << "tilescope: out of memory\n";
  } catch (const std::exception& error) {
    err << "tilescope: " << error.what() << "\n";
  }
  return work_failed;
}

}  // namespace tilescope::cli
