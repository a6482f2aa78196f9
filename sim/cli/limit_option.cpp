#include "sim/cli/limit_option.h"

#include <string>
#include <vector>

#include "sim/cli/usage_error.h"

namespace tilescope::cli {

namespace po = boost::program_options;

void add_limit_option(po::options_description& options) {
  std::string meaning = "how much compiled code may ask for before it is refused; NAME is one of\n";
  for (const sass::LimitName& limit : sass::limit_names())
    meaning += std::string(limit.name) + " (" + std::to_string(sass::Limits{}.*limit.value) + ")\n";
  meaning += "(docs/limits.md)";
  options.add_options()("limit", po::value<std::vector<std::string>>()->composing()->value_name("NAME=VALUE"),
                        meaning.c_str());
}

sass::Limits limits_from(const Values& values) {
  sass::Limits limits;
  if (values.count("limit") == 0) return limits;
  for (const std::string& assignment : values["limit"].as<std::vector<std::string>>())
    if (const auto set = sass::set_limit(limits, assignment); !set) throw UsageError("--limit: " + set.error());
  return limits;
}

}  // namespace tilescope::cli
