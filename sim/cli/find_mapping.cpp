#include "sim/cli/find_mapping.h"

#include <algorithm>
#include <filesystem>

#include "models/support/suggest.h"
#include "sim/cli/find_config.h"
#include "sim/cli/usage_error.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

std::string find_mapping(const std::string& name_or_file) {
  if (name_or_file.ends_with(".yaml") || name_or_file.ends_with(".yml") || name_or_file.find('/') != std::string::npos)
    return name_or_file;
  std::vector<std::string> names;
  for (const std::string& directory : config_directories()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(directory) / "mappings", error)) {
      if (entry.path().extension() != ".yaml") continue;
      if (entry.path().stem() == name_or_file) return entry.path().string();
      names.push_back(entry.path().stem().string());
    }
    if (!names.empty()) break;
  }
  std::sort(names.begin(), names.end());
  if (names.empty())
    throw UsageError("no built-in mappings found in " + list_of(config_directories()),
                     "set TILESCOPE_CONFIGS to the configs directory, or name a .yaml file");
  throw UsageError("unknown mapping " + in_quotes(name_or_file) + did_you_mean(name_or_file, names) + "; must be " +
                   list_of(names) + ", or a .yaml file");
}

}  // namespace

void add_mapping_option(boost::program_options::options_description& options) {
  options.add_options()("mapping",
                        boost::program_options::value<std::string>()->default_value("default")->value_name("NAME|FILE"),
                        "which built-in kernel models which measured one: a .yaml file of rules (docs/compare.md)");
}

KernelMapping mapping_from(const Values& values) {
  auto mapping = KernelMapping::read(find_mapping(values["mapping"].as<std::string>()));
  if (!mapping) throw DiagnosticsError(mapping.error());
  return *std::move(mapping);
}

}  // namespace tilescope::cli
