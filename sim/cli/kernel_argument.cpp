#include "sim/cli/kernel_argument.h"

#include <fmt/format.h>

#include <boost/any.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/cli/kernel_options.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/usage_error.h"
#include "traces/kernels/registry.h"
#include "traces/sass/launch_file.h"

namespace tilescope::cli {
namespace {

std::string key_of(const std::string& parameter) { return parameter.substr(0, parameter.find('=')); }

std::vector<std::string> own_parameters(const std::string& word, std::size_t colon) {
  std::vector<std::string> own;
  std::size_t from = colon + 1;
  while (true) {
    const std::size_t comma = word.find(',', from);
    own.push_back(word.substr(from, comma == std::string::npos ? comma : comma - from));
    if (own.back().find('=') == std::string::npos)
      throw UsageError(
          fmt::format("kernel {}: got {}; must be NAME:KEY=VALUE,KEY=VALUE", quoted(word), quoted(own.back())));
    if (comma == std::string::npos) return own;
    from = comma + 1;
  }
}

std::unique_ptr<Kernel> kernel_of_launch_file(const Values& values, const std::string& path) {
  if (values.count("param") != 0)
    throw UsageError("-p: a launch file says itself how its kernel is launched; got parameters beside " + quoted(path));
  auto kernel = sass::open_launch_file(path, limits_from(values));
  if (!kernel) throw DiagnosticsError(kernel.error());
  return std::move(*kernel);
}

}  // namespace

std::unique_ptr<Kernel> kernel_of_argument(const Values& values, const std::string& word) {
  const std::string path = word.substr(0, word.find(':'));
  if (word.ends_with(".yaml") || word.ends_with(".yml")) return kernel_of_launch_file(values, word);
  if (path == word || !is_builtin_kernel(path)) return kernel_from(values, word);

  const std::vector<std::string> own = own_parameters(word, path.size());
  std::vector<std::string> merged;
  if (values.count("param") != 0) {
    for (const std::string& shared : values["param"].as<std::vector<std::string>>()) {
      bool replaced = false;
      for (const std::string& mine : own) replaced = replaced || key_of(mine) == key_of(shared);
      if (!replaced) merged.push_back(shared);
    }
  }
  merged.insert(merged.end(), own.begin(), own.end());
  Values with_own = values;
  with_own.erase("param");
  with_own.emplace("param", boost::program_options::variable_value(boost::any(merged), false));
  return kernel_from(with_own, path);
}

}  // namespace tilescope::cli
