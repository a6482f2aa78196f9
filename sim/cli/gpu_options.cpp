#include "sim/cli/gpu_options.h"

#include "models/support/spec_reader.h"
#include "sim/cli/find_config.h"

namespace tilescope::cli {

namespace po = boost::program_options;

void add_set_option(po::options_description& options) {
  options.add_options()("set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE"),
                        "replace one value of the configuration, such as l2.size_mib=50; may be repeated");
}

void add_gpu_options(po::options_description& options) {
  options.add_options()("gpu", po::value<std::string>()->default_value("h200")->value_name("NAME|FILE"),
                        "a built-in GPU (tilescope list gpus) or a .yaml file");
  add_set_option(options);
}

void add_several_gpus_options(po::options_description& options) {
  options.add_options()("gpu", po::value<std::vector<std::string>>()->composing()->value_name("NAME|FILE"),
                        "a built-in GPU (tilescope list gpus) or a .yaml file, h200 unless given; several stand side "
                        "by side");
  add_set_option(options);
}

std::vector<Override> overrides_from(const Values& values) {
  std::vector<Override> overrides;
  if (values.count("set") == 0) return overrides;
  Diagnostics errors;
  for (const std::string& text : values["set"].as<std::vector<std::string>>()) {
    const auto parsed = parse_override(text);
    if (parsed) {
      overrides.push_back(*parsed);
    } else {
      errors.push_back(parsed.error());
    }
  }
  if (!errors.empty()) throw DiagnosticsError(errors);
  return overrides;
}

GpuSpec gpu_from(const Values& values) { return read_gpu(values["gpu"].as<std::string>(), overrides_from(values)); }

std::vector<GpuSpec> gpus_from(const Values& values) {
  std::vector<GpuSpec> gpus;
  const auto overrides = overrides_from(values);
  if (values.count("gpu") == 0) return {read_gpu("h200", overrides)};
  for (const std::string& name : values["gpu"].as<std::vector<std::string>>())
    gpus.push_back(read_gpu(name, overrides));
  return gpus;
}

GpuSpec read_gpu(const std::string& name_or_file, const std::vector<Override>& overrides) {
  auto spec = read_spec<GpuSpec>(find_gpu(name_or_file), overrides);
  if (!spec) throw DiagnosticsError(spec.error());
  return *spec;
}

}  // namespace tilescope::cli
