#include <fmt/format.h>

#include "sim/cli/completion.h"
#include "sim/cli/find_config.h"
#include "sim/cli/option_table.h"
#include "traces/kernels/registry.h"

namespace tilescope::cli {
namespace {

std::string spaced(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string bash_source(Offer offer, const std::vector<std::string>& choices) {
  switch (offer) {
    case Offer::choices:
      return fmt::format("_tilescope_of '{}'", spaced(choices));
    case Offer::files:
      return "_tilescope_files";
    case Offer::kernels:
      return "_tilescope_of \"$kernels\"; _tilescope_files";
    case Offer::gpus:
      return "_tilescope_of \"$gpus\"; _tilescope_files";
    case Offer::parameters:
      return "_tilescope_of \"$parameters\"; compopt -o nospace 2>/dev/null";
    case Offer::nothing:
      break;
  }
  return ":";
}

}  // namespace

std::string bash_completion() {
  const std::vector<CommandTable> tables = command_tables();
  std::vector<std::string> names, kernels;
  for (const Command& command : commands()) names.push_back(command.name);
  for (const KernelInfo& kernel : builtin_kernels()) kernels.push_back(kernel.name);
  std::string two_words, values, options, words;
  for (const CommandTable& table : tables) {
    const std::string& name = table.command->name;
    if (name.find(' ') != std::string::npos) two_words += (two_words.empty() ? "" : " | ") + fmt::format("'{}'", name);
    std::vector<std::string> dashed;
    for (const OptionRow& option : table.options) {
      dashed.push_back("--" + option.name);
      if (option.value.empty()) continue;
      values += fmt::format("    '{} --{}'", name, option.name);
      if (!option.letter.empty()) values += fmt::format(" | '{} -{}'", name, option.letter);
      values += fmt::format(") {}; return ;;\n", bash_source(option.offer, option.choices));
    }
    options += fmt::format("    '{}') _tilescope_of '{}' ;;\n", name, spaced(dashed));
    std::string ways;
    if (!table.first_words.empty())
      ways = fmt::format("if ((place == 0)); then _tilescope_of '{}'; fi; ", spaced(table.first_words));
    const bool only_first = table.words.size() == 1 && !table.many && table.offers.front() == Offer::choices;
    const std::string last = table.words.empty() || (only_first && table.command->actions.empty())
                                 ? ":"
                                 : bash_source(only_first ? Offer::files : table.offers.back(), {});
    words += fmt::format("    '{}') {}{} ;;\n", name, ways, last);
  }
  return fmt::format(
      R"(# Completion of tilescope's commands, options and their values for bash; made by: tilescope completion bash
_tilescope_of() {{ COMPREPLY+=($(compgen -W "$1" -- "$current")); }}
_tilescope_files() {{
  local IFS=$'\n'
  COMPREPLY+=($(compgen -f -- "$current"))
  compopt -o filenames 2>/dev/null
}}
_tilescope() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command='' place=0 i
  local kernels='{}'
  local gpus='{}'
  local parameters='{}'
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _tilescope_of '{} --help --version'
    return
  fi
  command=${{COMP_WORDS[1]}}
  if ((COMP_CWORD > 2)); then
    case "$command ${{COMP_WORDS[2]}}" in
      {}) command="$command ${{COMP_WORDS[2]}}" ;;
      *) place=1 ;;
    esac
  fi
  case "$command $previous" in
{}  esac
  if [[ $current == -* ]]; then
    case $command in
{}    esac
    return
  fi
  case $command in
{}  esac
}}
complete -F _tilescope tilescope
)",
      spaced(kernels), spaced(gpu_names()), spaced(parameter_words()), spaced(names), two_words, values, options,
      words);
}

}  // namespace tilescope::cli
