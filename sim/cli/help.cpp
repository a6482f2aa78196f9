#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "sim/cli/parse.h"

namespace tilescope::cli {
namespace {

std::string indented(const std::string& lines) {
  std::istringstream in(lines);
  std::string text;
  for (std::string line; std::getline(in, line);) text += "  " + line + "\n";
  return text;
}

// "merge" of "sweep merge", one line each.
std::string action_list(const Command& command) {
  if (command.actions.empty()) return "";
  std::string list;
  std::size_t width = 0;
  for (const Command& action : command.actions) width = std::max(width, action.name.size());
  for (const Command& action : command.actions)
    list += fmt::format("  tilescope {:<{}}  {}\n", action.name, width, action.summary);
  return "\nActions, each with a --help of its own:\n" + list;
}

}  // namespace

std::string help_text(const Command& command) {
  CommandLine line;
  command.declare(line);
  line.options.add_options()("help,h", "this text");
  std::ostringstream options;
  options << line.options;
  return fmt::format("tilescope {}\n\n{}.\n{}{}\n{}\nExamples:\n{}", command.usage, command.summary,
                     command.details.empty() ? "" : "\n" + command.details + "\n", action_list(command), options.str(),
                     indented(command.examples));
}

std::string help_text() {
  std::string list;
  std::size_t width = 0;
  for (const Command& command : commands()) width = std::max(width, command.name.size());
  for (const Command& command : commands()) list += fmt::format("  {:<{}}  {}\n", command.name, width, command.summary);
  return fmt::format(
      "tilescope COMMAND ...\n\n"
      "Predicts what a CUDA kernel does to a GPU's memory hierarchy, without the GPU.\n\n"
      "Commands:\n{}\n"
      "Options:\n"
      "  --help, -h  this text; tilescope COMMAND --help for one command's\n"
      "  --version   the version\n\n"
      "Examples:\n"
      "  tilescope run gemm_tiled --gpu h100 -p M=1024 -p N=1024 -p K=1024\n"
      "  tilescope banks --width 32 --op ld --expr 'lane*33'\n"
      "  tilescope config show --resolved h200\n\n"
      "Exit codes: 0 done; 1 the work failed; 2 wrong usage, configuration or input; 3 outside the asked tolerance\n",
      list);
}

}  // namespace tilescope::cli
