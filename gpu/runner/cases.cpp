#include "cases.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tilescope::gpu {
namespace {

int positive(const std::string& text, const std::string& what) {
  std::size_t used = 0;
  int value = 0;
  try {
    value = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || value < 1) {
    throw std::invalid_argument(what + ": got '" + text + "'; must be a whole number of at least 1");
  }
  return value;
}

// One case a line: KERNEL M N K [GROUP]; '#' starts a comment.
std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::invalid_argument(path + ": cannot be read");
  }
  std::vector<Case> cases;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> fields;
    for (std::string word; words >> word;) {
      fields.push_back(word);
    }
    if (fields.empty()) {
      continue;
    }
    const std::string where = path + ":" + std::to_string(number);
    if (fields.size() < 4 || fields.size() > 5) {
      throw std::invalid_argument(where + ": got " + std::to_string(fields.size()) +
                                  " words; must be KERNEL M N K [GROUP]");
    }
    cases.push_back({fields[0], positive(fields[1], where + ": M"), positive(fields[2], where + ": N"),
                     positive(fields[3], where + ": K"),
                     fields.size() == 5 ? positive(fields[4], where + ": GROUP") : 1});
  }
  return cases;
}

}  // namespace

const char* const kUsage =
    "usage: tilescope-gpu list\n"
    "       tilescope-gpu KERNEL[,KERNEL...] M N K [options]\n"
    "       tilescope-gpu --cases FILE [options]          one 'KERNEL M N K [GROUP]' a line, '#' starts a comment\n"
    "options:\n"
    "  --group G      rows of CTA tiles per raster group (gemm_register; default 1: row order)\n"
    "  --repeats R    timed launches, of which the median is reported (default 9)\n"
    "  --warmups W    launches before those (default 2)\n"
    "  --once         one launch, no warm-up, no check: for a profiler around the program\n"
    "  --no-check     do not compare with the reference\n"
    "  --seed S       of the random inputs (default 1)\n";

Options parse_command_line(const std::vector<std::string>& arguments) {
  Options options;
  std::vector<std::string> words;
  int group = 1;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (++i == arguments.size()) {
        throw std::invalid_argument(argument + ": needs a value");
      }
      return arguments[i];
    };
    if (argument == "--group") {
      group = positive(value(), argument);
    } else if (argument == "--repeats") {
      options.repeats = positive(value(), argument);
    } else if (argument == "--warmups") {
      options.warmups = positive(value(), argument);
    } else if (argument == "--seed") {
      options.seed = positive(value(), argument);
    } else if (argument == "--once") {
      options.check = false;
      options.warmups = 0;
      options.repeats = 1;
    } else if (argument == "--no-check") {
      options.check = false;
    } else if (argument == "--cases") {
      options.cases = read_cases(value());
    } else if (argument.rfind("--", 0) == 0) {
      throw std::invalid_argument(argument + ": unknown option");
    } else {
      words.push_back(argument);
    }
  }
  if (words.size() == 1 && words[0] == "list") {
    options.list = true;
  } else if (words.size() == 4) {
    std::istringstream names(words[0]);
    for (std::string name; std::getline(names, name, ',');) {
      options.cases.push_back({name, positive(words[1], "M"), positive(words[2], "N"), positive(words[3], "K"), group});
    }
  } else if (!words.empty() || options.cases.empty()) {
    throw std::invalid_argument("say 'list', or KERNEL M N K, or --cases FILE");
  }
  return options;
}

}  // namespace tilescope::gpu
