#include "sim/cli/option_table.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "traces/kernels/registry.h"

namespace tilescope::cli {
namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool is_small_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-';
  });
}

// "a|b|c" as its words; none where it is anything else.
std::vector<std::string> choices_of(const std::string& text) {
  const std::vector<std::string> parts = parts_of(text, '|');
  return parts.size() > 1 && std::all_of(parts.begin(), parts.end(), is_small_word) ? parts
                                                                                    : std::vector<std::string>{};
}

// What a usage offers after the command's name: "list kernels|gpus", "trace record KERNEL | trace info FILE".
std::vector<std::string> first_words_of(const Command& command) {
  std::vector<std::string> found;
  std::istringstream in(command.usage);
  std::string before;
  for (std::string word; in >> word; before = word) {
    if (before != command.name) continue;
    const std::vector<std::string> several = choices_of(word);
    if (several.empty() && is_small_word(word)) found.push_back(word);
    found.insert(found.end(), several.begin(), several.end());
  }
  return found;
}

Offer offer_of(const std::string& option, const std::string& value) {
  const auto has = [&value](const char* word) { return value.find(word) != std::string::npos; };
  if (!choices_of(value).empty()) return Offer::choices;
  if (option == "gpu" || (has("NAME") && has("FILE"))) return Offer::gpus;
  if (option == "param") return Offer::parameters;
  if (has("KERNEL")) return Offer::kernels;
  const bool path = has("FILE") || has("STORE") || has("STUDY") || has("DIR") || value == "A" || value == "B";
  return path ? Offer::files : Offer::nothing;
}

std::string in_one_line(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  for (std::string word; in >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

OptionRow row_of(const boost::program_options::option_description& option) {
  OptionRow row;
  row.name = option.long_name();
  const std::string all =
      option.canonical_display_name(boost::program_options::command_line_style::allow_dash_for_short);
  if (all.size() == 2 && all[0] == '-') row.letter = all.substr(1);
  row.meaning = in_one_line(option.description());
  if (option.semantic()->max_tokens() == 0) return row;
  row.value = option.semantic()->name();
  if (const std::size_t at = row.value.find(" (="); at != std::string::npos) {  // Boost writes a default after the name
    row.standard = row.value.substr(at + 3, row.value.size() - at - 4);
    row.value.resize(at);
  }
  row.choices = choices_of(row.value);
  row.offer = offer_of(row.name, row.value);
  row.several = dynamic_cast<const boost::program_options::typed_value<std::vector<std::string>>*>(
                    option.semantic().get()) != nullptr;
  return row;
}

CommandTable table_of(const Command& command) {
  CommandTable table;
  table.command = &command;
  CommandLine line;
  command.declare(line);
  line.options.add_options()("help,h", "this text");
  for (const auto& option : line.options.options()) table.options.push_back(row_of(*option));
  table.words = line.words;
  table.many = line.many;
  table.first_words = first_words_of(command);
  for (const std::string& word : line.words) table.offers.push_back(offer_of("", word));
  if (!table.first_words.empty() && !table.offers.empty()) table.offers.front() = Offer::choices;
  for (const Command& action : command.actions) {
    const std::string word = action.name.substr(command.name.size() + 1);
    if (std::find(table.first_words.begin(), table.first_words.end(), word) == table.first_words.end())
      table.first_words.push_back(word);
  }
  return table;
}

}  // namespace

std::vector<CommandTable> command_tables() {
  std::vector<CommandTable> tables;
  for (const Command& command : commands()) {
    tables.push_back(table_of(command));
    for (const Command& action : command.actions) tables.push_back(table_of(action));
  }
  return tables;
}

std::vector<std::string> parameter_words() {
  std::set<std::string> words;
  for (const KernelInfo& kernel : builtin_kernels())
    for (const ParameterInfo& parameter : kernel.parameters) words.insert(parameter.name + "=");
  return {words.begin(), words.end()};
}

}  // namespace tilescope::cli
