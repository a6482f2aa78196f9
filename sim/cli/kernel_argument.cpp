#include "sim/cli/kernel_argument.h"

#include <fmt/format.h>

#include <vector>

#include "models/support/diagnostic.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/usage_error.h"
#include "traces/kernels/registry.h"
#include "traces/open_kernel.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

// Of `texts`, KEY=VALUE each; `origin` begins a diagnostic.
ParameterTexts parameters_of(const std::vector<std::string>& texts, const std::string& origin, Diagnostics& errors) {
  ParameterTexts parameters;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      errors.push_back({origin + text, 0, 0, "must be KEY=VALUE"});
    else if (!parameters.try_emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      errors.push_back({origin + text, 0, 0, "parameter " + text.substr(0, equals) + " is given more than once"});
  }
  return parameters;
}

// What stands behind the colon of NAME:KEY=VALUE,KEY=VALUE.
std::vector<std::string> own_parameters(const std::string& word, std::size_t colon) {
  std::vector<std::string> own;
  std::size_t from = colon + 1;
  while (true) {
    const std::size_t comma = word.find(',', from);
    own.push_back(word.substr(from, comma == std::string::npos ? comma : comma - from));
    if (own.back().find('=') == std::string::npos)
      throw UsageError(
          fmt::format("kernel {}: got {}; must be NAME:KEY=VALUE,KEY=VALUE", in_quotes(word), in_quotes(own.back())));
    if (comma == std::string::npos) return own;
    from = comma + 1;
  }
}

}  // namespace

void add_parameter_option(po::options_description& options) {
  options.add_options()("param,p", po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
                        "a parameter of a built-in kernel; see: tilescope list kernels");
}

NamedParameters named_parameters(const Values& values, const std::string& word,
                                 bool (*has_parameters)(const std::string&)) {
  NamedParameters named{word, {}};
  Diagnostics errors;
  const std::size_t colon = word.find(':');
  if (colon != std::string::npos && has_parameters(word.substr(0, colon))) {
    named.name = word.substr(0, colon);
    named.parameters = parameters_of(own_parameters(word, colon), named.name + ":", errors);
  }
  if (values.count("param") != 0)
    named.parameters.merge(
        parameters_of(values["param"].as<std::vector<std::string>>(), "-p ", errors));  // own ones stay
  if (!errors.empty()) throw DiagnosticsError(errors);
  return named;
}

std::unique_ptr<Kernel> kernel_of_argument(const Values& values, const std::string& word) {
  const NamedParameters named = named_parameters(values, word, is_builtin_kernel);
  auto kernel = open_kernel(named.name, named.parameters, limits_from(values));
  if (!kernel) throw DiagnosticsError(kernel.error());
  return std::move(*kernel);
}

}  // namespace tilescope::cli
