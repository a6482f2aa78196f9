#include <fmt/format.h>

#include "sim/cli/completion.h"
#include "sim/cli/find_config.h"
#include "sim/cli/option_table.h"
#include "traces/kernels/registry.h"

namespace tilescope::cli {
namespace {

// Within single quotes, with `marked` behind backslashes.
std::string zsh_text(const std::string& text, const std::string& marked) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += R"('\'')";
      continue;
    }
    if (marked.find(c) != std::string::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh_source(Offer offer, const std::vector<std::string>& choices) {
  switch (offer) {
    case Offer::choices:
      return fmt::format("({})", fmt::join(choices, " "));
    case Offer::files:
      return "_files";
    case Offer::kernels:
      return "_tilescope_kernels";
    case Offer::gpus:
      return "_tilescope_gpus";
    case Offer::parameters:
      return "_tilescope_parameters";
    case Offer::nothing:
      break;
  }
  return " ";
}

std::string zsh_arguments(const CommandTable& table) {
  std::string text = "_arguments -s";
  for (const OptionRow& option : table.options) {
    const std::string meaning = zsh_text(option.meaning, "[]");
    const std::string value = option.value.empty() ? ""
                                                   : fmt::format(":{}:{}", zsh_text(option.value, ":"),
                                                                 zsh_source(option.offer, option.choices));
    const char* several = option.several ? "*" : "";
    text +=
        fmt::format(" \\\n        '{}--{}{}[{}]{}'", several, option.name, value.empty() ? "" : "=", meaning, value);
    if (!option.letter.empty())
      text +=
          fmt::format(" \\\n        '{}-{}{}[{}]{}'", several, option.letter, value.empty() ? "" : "+", meaning, value);
  }
  std::size_t place = 1;
  for (const std::string& word : table.words) {
    const bool last = place == table.words.size();
    const std::vector<std::string> choices = place == 1 ? table.first_words : std::vector<std::string>{};
    text += fmt::format(" \\\n        '{}:{}:{}'", last && table.many ? "*" : std::to_string(place),
                        zsh_text(word, ":"), zsh_source(table.offers[place - 1], choices));
    ++place;
  }
  return text;
}

}  // namespace

std::string zsh_completion() {
  std::string descriptions, cases;
  for (const Command& command : commands())
    descriptions += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary, ":"));
  for (const CommandTable& table : command_tables()) {
    const std::string& name = table.command->name;
    if (name.find(' ') != std::string::npos) continue;
    if (table.command->actions.empty()) {
      cases += fmt::format("    {}) {} ;;\n", name, zsh_arguments(table));
      continue;
    }
    std::string actions;
    for (const CommandTable& action : command_tables())
      if (action.command->name.starts_with(name + " "))
        actions += fmt::format("      {}) shift words; ((CURRENT -= 1)); {} ;;\n",
                               action.command->name.substr(name.size() + 1), zsh_arguments(action));
    cases += fmt::format(
        "    {0}) if ((CURRENT == 2)); then _values action {1}; _files; return; fi\n      case $words[2] in\n{2}      "
        "*) "
        "{3} ;;\n      esac ;;\n",
        name, fmt::join(table.first_words, " "), actions, zsh_arguments(table));
  }
  std::vector<std::string> kernels;
  for (const KernelInfo& kernel : builtin_kernels()) kernels.push_back(kernel.name);
  return fmt::format(
      R"(#compdef tilescope
# Completion of tilescope's commands, options and their values for zsh; made by: tilescope completion zsh
_tilescope_kernels() {{ compadd -- {}; _files; }}
_tilescope_gpus() {{ compadd -- {}; _files; }}
_tilescope_parameters() {{ compadd -S "" -- {}; }}
_tilescope() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    compadd -- --help --version
    return
  fi
  shift words
  ((CURRENT -= 1))
  case $words[1] in
{}  esac
}}
_tilescope "$@"
)",
      fmt::join(kernels, " "), fmt::join(gpu_names(), " "), fmt::join(parameter_words(), " "), descriptions, cases);
}

}  // namespace tilescope::cli
