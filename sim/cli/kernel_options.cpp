#include "sim/cli/kernel_options.h"

#include "models/support/diagnostic.h"
#include "traces/file/trace_reader.h"
#include "traces/kernels/registry.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

std::vector<std::string> given_parameters(const Values& values) {
  if (values.count("param") == 0) return {};
  return values["param"].as<std::vector<std::string>>();
}

ParameterTexts parameters_from(const Values& values) {
  ParameterTexts parameters;
  Diagnostics errors;
  for (const std::string& text : given_parameters(values)) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      errors.push_back({"-p " + text, 0, 0, "must be KEY=VALUE"});
    else if (!parameters.try_emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      errors.push_back({"-p " + text, 0, 0, "parameter " + text.substr(0, equals) + " is given more than once"});
  }
  if (!errors.empty()) throw DiagnosticsError(errors);
  return parameters;
}

}  // namespace

void add_parameter_option(po::options_description& options) {
  options.add_options()("param,p", po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
                        "a parameter of a built-in kernel; see: tilescope list kernels");
}

std::unique_ptr<Kernel> kernel_from(const Values& values, const std::string& name) {
  if (!is_builtin_kernel(name) && (name.ends_with(".tst") || is_trace(name))) {
    const std::vector<std::string> given = given_parameters(values);
    if (!given.empty())
      throw DiagnosticsError(
          {{"-p " + given.front(), 0, 0, "a trace has no parameters to set; " + name + " holds one launch"}});
    return open_trace(name);
  }
  auto kernel = make_kernel(name, parameters_from(values));
  if (kernel) return std::move(*kernel);
  Diagnostics errors;
  for (const std::string& problem : kernel.error()) errors.push_back({name, 0, 0, problem});
  throw DiagnosticsError(errors);
}

}  // namespace tilescope::cli
