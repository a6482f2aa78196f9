#include "sim/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/results/version.h"

namespace tilescope::cli {
namespace {

// As roff prints it unchanged.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else if (c == '\'' && (safe.empty() || safe.back() == '\n'))
      safe += "\\&'";
    else if (c == '.' && (safe.empty() || safe.back() == '\n'))
      safe += "\\&.";
    else
      safe += c;
  }
  return safe;
}

std::string page_title(const std::string& name) {
  std::string capitals = name;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"\" \"tilescope {}\" \"Tilescope manual\"\n.nh\n", roff(capitals), version());
}

// A table keeps its lines, a paragraph is filled.
std::string paragraph(const std::string& text) {
  std::istringstream in(text);
  bool aligned = false;
  for (std::string line; std::getline(in, line);) aligned = aligned || line.find("  ") != std::string::npos;
  return aligned ? ".nf\n" + roff(text) + "\n.fi\n" : roff(text) + "\n";
}

std::string verbatim(const std::string& lines) {
  std::istringstream in(lines);
  std::string text = ".nf\n";
  for (std::string line; std::getline(in, line);) text += roff(line) + "\n";
  return text + ".fi\n";
}

std::string option_entry(const OptionRow& option) {
  std::string text = ".TP\n";
  if (!option.letter.empty()) text += fmt::format("\\fB\\-{}\\fR, ", option.letter);
  text += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", roff(option.value));
  text += "\n" + roff(option.meaning);
  if (!option.standard.empty()) text += fmt::format(" (default: {})", roff(option.standard));
  return text + "\n";
}

const char* const kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n0\ndone\n"
    ".TP\n1\nthe work failed\n"
    ".TP\n2\nwrong usage, configuration or input\n"
    ".TP\n3\noutside the asked tolerance\n";
const char* const kEnvironment =
    ".SH ENVIRONMENT\n"
    ".TP\nTILESCOPE_CONFIGS\nthe directory in which configurations are looked for, in place of those of the "
    "installation\n";

std::string summary_entry(const Command& command) {
  return fmt::format(".TP\n\\fBtilescope {}\\fR\n{}\n", roff(command.name), roff(command.summary));
}

}  // namespace

std::string man_page_name(const Command& command) {
  std::string name = "tilescope-" + command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page() {
  std::string text = page_title("tilescope");
  text +=
      ".SH NAME\ntilescope \\- predict what a CUDA kernel does to a GPU's memory hierarchy, without the GPU\n"
      ".SH SYNOPSIS\n\\fBtilescope\\fR \\fICOMMAND\\fR ...\n"
      ".SH DESCRIPTION\n"
      "Replays the instructions and memory accesses of CUDA kernels through modelled warps, shared memory banks, L1, "
      "L2 "
      "and HBM of a GPU that a file describes, and predicts bank conflicts, hit rates, traffic, cycles and "
      "throughput.\n"
      ".SH COMMANDS\nEach has a page of its own, \\fBtilescope\\-\\fICOMMAND\\fR(1).\n";
  for (const Command& command : commands()) text += summary_entry(command);
  text +=
      ".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR, \\fB\\-h\\fR\nthe commands; after a command, its options\n"
      ".TP\n\\fB\\-\\-version\\fR\nthe version\n"
      ".SH EXAMPLES\n";
  text += verbatim(
      "tilescope run gemm_tiled --gpu h100 -p M=1024 -p N=1024 -p K=1024\n"
      "tilescope banks --width 32 --op ld --expr 'lane*33'\n"
      "tilescope config show --resolved h200\n");
  return text + kExitStatus + kEnvironment;
}

std::string man_page(const CommandTable& table) {
  const Command& command = *table.command;
  std::string text = page_title(man_page_name(command));
  std::string summary = command.summary;
  summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(man_page_name(command)), roff(summary));
  text += fmt::format(".SH SYNOPSIS\n\\fBtilescope\\fR {}\n", roff(command.usage));
  text += fmt::format(".SH DESCRIPTION\n{}.\n", roff(command.summary));
  if (!command.details.empty()) text += ".PP\n" + paragraph(command.details);
  if (!command.actions.empty()) {
    text += ".SH ACTIONS\nEach has a page of its own.\n";
    for (const Command& action : command.actions) text += summary_entry(action);
  }
  text += ".SH OPTIONS\n";
  for (const OptionRow& option : table.options) text += option_entry(option);
  text += ".SH EXAMPLES\n" + verbatim(command.examples);
  return text + kExitStatus + kEnvironment + ".SH SEE ALSO\n\\fBtilescope\\fR(1)\n";
}

}  // namespace tilescope::cli
