#include "sim/cli/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "sim/cli/usage_error.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

std::string without_dashes(const std::string& option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

std::vector<std::string> option_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back(option->long_name());
  return names;
}

[[noreturn]] void refuse(const Command& command, const std::string& sentence) {
  throw UsageError(sentence, "see: tilescope " + command.name + " --help");
}

po::variables_map store(const po::command_line_parser& prepared, const Command& command, const CommandLine& line) {
  po::variables_map values;
  try {
    po::command_line_parser parser = prepared;
    po::store(parser.run(), values);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    const auto near = closest_match(without_dashes(name), option_names(line.options));
    refuse(command, "unknown option " + name + (near ? " (did you mean --" + *near + "?)" : ""));
  } catch (const po::too_many_positional_options_error&) {
    refuse(command, "too many words; tilescope " + command.usage);
  } catch (const po::multiple_occurrences& error) {
    refuse(command, "option " + error.get_option_name() + " is given more than once");
  } catch (const po::validation_error& error) {
    refuse(command, std::string(error.what()));
  } catch (const po::error& error) {
    refuse(command, error.what());
  }
  return values;
}

}  // namespace

Values parse(const Command& command, const std::vector<std::string>& arguments) {
  CommandLine line;
  command.declare(line);
  line.options.add_options()("help,h", "this text");
  po::options_description all;
  all.add(line.options);
  po::positional_options_description positions;
  for (std::size_t i = 0; i < line.words.size(); ++i) {
    const bool repeated = line.many && i + 1 == line.words.size();
    if (repeated) {
      all.add_options()(line.words[i].c_str(), po::value<std::vector<std::string>>());
    } else {
      all.add_options()(line.words[i].c_str(), po::value<std::string>());
    }
    positions.add(line.words[i].c_str(), repeated ? -1 : 1);
  }
  namespace style = po::command_line_style;
  po::command_line_parser parser(arguments);
  parser.options(all).positional(positions).style(style::unix_style & ~style::allow_guessing);
  Values values = store(parser, command, line);
  if (values.count("help") != 0) return values;
  for (const std::string& word : line.words) {
    if (line.many && word == line.words.back()) continue;  // as many as there are: none, too
    if (values.count(word) == 0) refuse(command, "no " + word + " given; tilescope " + command.usage);
  }
  return values;
}

std::string chosen(const Values& values, const std::string& word, const std::vector<std::string>& actions) {
  const auto& action = values[word].as<std::string>();
  for (const std::string& known : actions) {
    if (action == known) return action;
  }
  throw UsageError("unknown " + word + " " + in_quotes(action) + did_you_mean(action, actions) + "; must be " +
                   list_of(actions));
}

Sample chosen_sample(const Values& values) {
  const std::string word = chosen(values, "sample", kSampleNames);
  return static_cast<Sample>(std::find(kSampleNames.begin(), kSampleNames.end(), word) - kSampleNames.begin());
}

CacheControl chosen_cache_control(const Values& values) {
  return chosen(values, "cache-control", kCacheControlNames) == "all" ? CacheControl::all : CacheControl::none;
}

void add_cache_control_option(boost::program_options::options_description& options) {
  options.add_options()(
      "cache-control", boost::program_options::value<std::string>()->default_value("all")->value_name("all|none"),
      "all: caches are flushed before the launch, as by ncu; none: it finds L2 as the same launch left it that went "
      "before it, as in a benchmark's loop");
}

std::vector<std::string> words_of(const Values& values, const char* option) {
  return values.count(option) == 0 ? std::vector<std::string>{} : values[option].as<std::vector<std::string>>();
}

std::int64_t whole_number(const Values& values, const char* option, std::int64_t standard, Range<std::int64_t> range) {
  if (values.count(option) == 0) return standard;
  const auto& text = values[option].as<std::string>();
  const auto number = parse_integer(text);
  if (!number || *number < range.low || *number > range.high)
    throw UsageError(fmt::format("--{}: got {}; must be {}", option, in_quotes(text), accepted(range, "")));
  return *number;
}

}  // namespace tilescope::cli
