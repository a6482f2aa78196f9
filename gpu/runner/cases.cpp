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

// `words` are KERNEL M N K [GROUP] or KERNEL [NAME=VALUE]...
Case read_case(const std::vector<std::string>& words, const std::string& where) {
  Case result;
  result.where = where;
  result.kernel = words[0];
  result.gemm = words.size() > 1 && words[1].find('=') == std::string::npos;
  if (result.gemm) {
    if (words.size() < 4 || words.size() > 5) {
      throw std::invalid_argument(where + words[0] + ": got " + std::to_string(words.size() - 1) +
                                  " sizes; must be M N K [GROUP] or NAME=VALUE...");
    }
    result.m = positive(words[1], where + "M");
    result.n = positive(words[2], where + "N");
    result.k = positive(words[3], where + "K");
    result.group = words.size() == 5 ? positive(words[4], where + "GROUP") : 1;
    return result;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == words[i].size()) {
      throw std::invalid_argument(where + words[0] + ": got '" + words[i] + "'; must be NAME=VALUE");
    }
    result.settings.push_back({words[i].substr(0, equals), words[i].substr(equals + 1)});
  }
  return result;
}

// One case a line; '#' starts a comment.
std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::invalid_argument(path + ": cannot be read");
  }
  std::vector<Case> cases;
  std::string problems;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
      words.push_back(word);
    }
    if (words.empty()) {
      continue;
    }
    try {
      cases.push_back(read_case(words, path + ":" + std::to_string(number) + ": "));
    } catch (const std::invalid_argument& error) {
      problems += (problems.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  if (!problems.empty()) {
    throw std::invalid_argument(problems);
  }
  if (cases.empty()) {
    throw std::invalid_argument(path + ": holds no case");
  }
  return cases;
}

}  // namespace

const char* const kUsage =
    "usage: tilescope-gpu list [memory]\n"
    "       tilescope-gpu KERNEL[,KERNEL...] M N K [options]           a GEMM\n"
    "       tilescope-gpu KERNEL [NAME=VALUE...] [options]             a memory kernel\n"
    "       tilescope-gpu --cases FILE [options]                       one case a line, '#' starts a comment:\n"
    "                                                                  KERNEL M N K [GROUP] or KERNEL [NAME=VALUE...]\n"
    "options:\n"
    "  --group G      rows of CTA tiles per raster group (gemm_register; default 1: row order)\n"
    "  --repeats R    timed launches, of which the median is reported (default 9)\n"
    "  --warmups W    launches before those (default 2)\n"
    "  --cold         flush L2 before every timed launch\n"
    "  --once         one launch, no warm-up, no check: for a profiler around the program\n"
    "  --warm         with --once: the same launch before it, outside of the profiler's range (--profile-from-start "
    "off)\n"
    "  --no-check     compare neither with the reference nor with cuBLAS\n"
    "  --seed S       of the random inputs (default 1)\n";

Options parse_command_line(const std::vector<std::string>& arguments) {
  Options options;
  std::vector<std::string> words;
  int group = 1;
  bool from_file = false;
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
      options.seed = static_cast<std::uint32_t>(positive(value(), argument));
    } else if (argument == "--cold") {
      options.cold = true;
    } else if (argument == "--warm") {
      options.warm = true;
    } else if (argument == "--once") {
      options.once = true;
      options.check = false;
      options.warmups = 0;
      options.repeats = 1;
    } else if (argument == "--no-check") {
      options.check = false;
    } else if (argument == "--cases") {
      options.cases = read_cases(value());
      from_file = true;
    } else if (argument.rfind("--", 0) == 0) {
      throw std::invalid_argument(argument + ": unknown option");
    } else {
      words.push_back(argument);
    }
  }
  if (options.warm && !options.once) {
    throw std::invalid_argument("--warm: only beside --once; other launches are warm unless --cold is given");
  }
  if (from_file) {
    if (!words.empty() || group != 1) {
      throw std::invalid_argument("--cases: takes neither a KERNEL nor --group beside it");
    }
  } else if (words.empty()) {
    throw std::invalid_argument("say 'list', or KERNEL M N K, or KERNEL NAME=VALUE..., or --cases FILE");
  } else if (words[0] == "list") {
    if (words.size() > 2 || (words.size() == 2 && words[1] != "memory")) {
      throw std::invalid_argument("list: takes nothing or 'memory'");
    }
    options.list = words.size() == 2 ? Options::List::kMemory : Options::List::kGemm;
  } else {
    std::istringstream names(words[0]);
    for (std::string name; std::getline(names, name, ',');) {
      words[0] = name;
      Case one = read_case(words, "");
      if (one.gemm && words.size() == 4) {
        one.group = group;
      } else if (group != 1) {
        throw std::invalid_argument("--group: only beside KERNEL M N K");
      }
      options.cases.push_back(one);
    }
  }
  return options;
}

}  // namespace tilescope::gpu
