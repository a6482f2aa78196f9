// The commands' words and options as tables, for whoever writes about them: completion and manual pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cli/command.h"

namespace tilescope::cli {

// What completes a value or a word.
enum class Offer : std::uint8_t { nothing, choices, files, kernels, gpus, parameters };

struct OptionRow {
  std::string name;      // without dashes
  std::string letter;    // of one, without dash; empty: none
  std::string value;     // "N", "table|json"; empty: takes none
  std::string standard;  // default, where it has one
  std::string meaning;   // in one line
  Offer offer = Offer::nothing;
  std::vector<std::string> choices;  // of a value "a|b|c" of small letters
  bool several = false;              // may be given more than once
};

struct CommandTable {
  const Command* command = nullptr;  // in commands(), or an action of one
  std::vector<OptionRow> options;    // --help too
  std::vector<std::string> words;    // "KERNEL"; more of the last where `many`
  bool many = false;
  std::vector<Offer> offers;             // for each of the words
  std::vector<std::string> first_words;  // that the first word must be one of; empty: anything
};

// Of each command, followed by its actions.
std::vector<CommandTable> command_tables();

// What Offer::parameters offers: "M=" and the like, of all built-in kernels.
std::vector<std::string> parameter_words();

}  // namespace tilescope::cli
