#include "sim/cli/config_command.h"

#include <fmt/core.h>

#include <map>

#include "models/gpu_totals.h"
#include "models/support/spec_hash.h"
#include "models/support/spec_origins.h"
#include "models/support/spec_schema.h"
#include "models/support/spec_writer.h"
#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "sim/cli/find_config.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/number_text.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

std::vector<std::string> files_of(const Values& values) {
  if (values.count("FILE|NAME") == 0) throw UsageError("no FILE|NAME given", "see: tilescope config --help");
  return values["FILE|NAME"].as<std::vector<std::string>>();
}

int check_configs(const Values& values, std::ostream& out) {
  Diagnostics errors;
  for (const std::string& file : files_of(values)) {
    try {
      const GpuSpec spec = read_gpu(file, overrides_from(values));
      out << find_gpu(file) << ": ok, " << spec.name << ", configuration " << config_hash_text(spec_tree(spec)) << "\n";
    } catch (const DiagnosticsError& error) {
      errors.insert(errors.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
  if (!errors.empty()) throw DiagnosticsError(errors);
  return ok;
}

// As comments: what is shown stays a configuration that can be read again.
std::string totals_text(const GpuSpec& spec) {
  const GpuTotals totals = gpu_totals(spec);
  std::string text = "\n# Derived totals, of the whole GPU:\n";
  for (const GpuTotal& field : gpu_total_fields()) {
    const double value = totals.*field.value;
    const std::string shown = field.unit == "byte"     ? binary_bytes(value)
                              : field.unit == "FLOP/s" ? scaled(value, "FLOP/s")
                                                       : fmt::format("{:.5g} {}", value, field.unit);
    text += fmt::format("#   {:<30}{}\n", field.label, shown);
  }
  return text;
}

// Says of each value where it stands, when that may be one of several files.
void add_origins(std::vector<SpecNode>& nodes, const std::string& prefix,
                 const std::map<std::string, std::string>& origins) {
  for (SpecNode& node : nodes) {
    add_origins(node.children, prefix + node.key + ".", origins);
    const auto origin = origins.find(prefix + node.key);
    if (origin != origins.end()) node.meaning += (node.meaning.empty() ? "" : "; ") + origin->second;
  }
}

std::map<std::string, std::string> origins_of(const std::string& file, const std::vector<Override>& overrides) {
  const auto text = read_text_file(file);
  if (!text) return {};
  auto origins = value_origins(*text, file);
  for (const Override& set : overrides)
    if (const auto replaced = origins.find(set.path); replaced != origins.end()) replaced->second = "--set";
  return origins;
}

std::string resolved_text(const GpuSpec& spec, const std::map<std::string, std::string>& origins,
                          const std::string& format, bool with_totals) {
  auto tree = spec_tree(spec);
  add_origins(tree, "", origins);
  if (format == "yaml") return to_yaml(tree) + (with_totals ? totals_text(spec) : "");
  auto json = to_json(tree);
  if (with_totals)
    for (const GpuTotal& field : gpu_total_fields())
      json["derived"][std::string(field.key)] = gpu_totals(spec).*field.value;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int show_config(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"yaml", "json"});
  const auto files = files_of(values);
  if (files.size() != 1) throw UsageError("config show takes one FILE|NAME, got " + std::to_string(files.size()));
  const GpuSpec spec = read_gpu(files.front(), overrides_from(values));
  const bool as_written = values.count("resolved") == 0 && values.count("set") == 0 && format == "yaml";
  const std::string text = as_written ? read_text_file(find_gpu(files.front())).value()
                                      : resolved_text(spec, origins_of(find_gpu(files.front()), overrides_from(values)),
                                                      format, values.count("resolved") != 0);
  with_output(values, out, [&](std::ostream& stream) { stream << text; });
  return ok;
}

int schema(const Values& values, std::ostream& out) {
  if (values.count("FILE|NAME") != 0) throw UsageError("config schema takes no FILE|NAME");
  with_output(values, out, [](std::ostream& stream) {
    stream << schema_markdown(blank_tree<GpuSpec>(), "Keys of configs/gpus/*.yaml");
  });
  return ok;
}

int run_config(const Values& values, std::ostream& out) {
  const std::string action = chosen(values, "ACTION", {"check", "show", "schema"});
  if (action == "check") return check_configs(values, out);
  if (action == "show") return show_config(values, out);
  return schema(values, out);
}

}  // namespace

Command config_command() {
  Command command;
  command.name = "config";
  command.summary = "Check or show a GPU's configuration";
  command.usage = "config check|show|schema [FILE|NAME]... [options]";
  command.details =
      "check   reads each file and says everything that is wrong with it\n"
      "show    prints the file; with --resolved every value with its unit and meaning, and derived totals: bytes, "
      "peak\n"
      "        FLOP/s and GB/s of each level; with a base also where each value stands\n"
      "schema  prints every key with type, unit, range and meaning, as Markdown";
  command.examples =
      "tilescope config check configs/gpus/h100.yaml\n"
      "tilescope config show --resolved h200 --set l2.size_mib=30\n"
      "tilescope config show --resolved h200 --format json -o h200.json\n"
      "tilescope config schema -o docs/config-schema.md";
  command.declare = [](CommandLine& line) {
    line.words = {"ACTION", "FILE|NAME"};
    line.many = true;
    line.options.add_options()("resolved", "every value with its unit and meaning, --set applied");
    line.options.add_options()("format", po::value<std::string>()->default_value("yaml")->value_name("yaml|json"),
                               "of config show");
    add_set_option(line.options);
    add_output_option(line.options);
  };
  command.run = run_config;
  return command;
}

}  // namespace tilescope::cli
