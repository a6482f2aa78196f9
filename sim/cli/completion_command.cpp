#include "sim/cli/completion_command.h"

#include "sim/cli/completion.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"

namespace tilescope::cli {
namespace {

int print_completion(const Values& values, std::ostream& out) {
  const std::string shell = chosen(values, "SHELL", {"bash", "zsh"});
  with_output(values, out,
              [&](std::ostream& stream) { stream << (shell == "bash" ? bash_completion() : zsh_completion()); });
  return ok;
}

}  // namespace

Command completion_command() {
  Command command;
  command.name = "completion";
  command.summary = "Print the completion script for a shell";
  command.usage = "completion bash|zsh [options]";
  command.details =
      "An installed tilescope brings both along. Without an installation: source the bash script, or put the zsh "
      "script "
      "as\n_tilescope into a directory of $fpath before compinit.";
  command.examples =
      "source <(tilescope completion bash)\n"
      "tilescope completion zsh -o ~/.zsh/completions/_tilescope";
  command.declare = [](CommandLine& line) {
    line.words = {"SHELL"};
    add_output_option(line.options);
  };
  command.run = print_completion;
  return command;
}

}  // namespace tilescope::cli
