#include "sim/cli/list_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/gpu_totals.h"
#include "sim/cli/find_config.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/results/metrics.h"
#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/number_text.h"
#include "traces/kernels/registry.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

// One thing that can be listed, in each of the three formats.
struct Listing {
  std::string table;
  std::string names;
  Json json = Json::array();
};

Listing list_kernels() {
  Listing list;
  for (const KernelInfo& kernel : builtin_kernels()) {
    list.names += kernel.name + "\n";
    list.table += fmt::format("{}{}\n  {}\n", list.table.empty() ? "" : "\n", kernel.name, kernel.summary);
    Json parameters = Json::array();
    std::size_t width = 0, standard = 0, accepted = 0;
    for (const ParameterInfo& p : kernel.parameters) {
      width = std::max(width, p.name.size());
      standard = std::max(standard, p.standard.size());
      accepted = std::max(accepted, p.accepted().size());
    }
    for (const ParameterInfo& p : kernel.parameters) {
      list.table += fmt::format("    {:<{}}  {:<{}}  {:<{}}  {}\n", p.name, width, p.standard, standard, p.accepted(),
                                accepted, p.meaning);
      parameters.push_back(
          {{"name", p.name}, {"default", p.standard}, {"accepted", p.accepted()}, {"meaning", p.meaning}});
    }
    list.json.push_back({{"name", kernel.name}, {"summary", kernel.summary}, {"parameters", parameters}});
  }
  return list;
}

Listing list_gpus() {
  Listing list;
  std::vector<std::vector<std::string>> lines = {
      {"name", "GPU", "SMs", "SM clock", "FP32 peak", "shared+L1 / SM", "L2", "HBM"}};
  for (const std::string& name : gpu_names()) {
    const GpuSpec gpu = read_gpu(name);
    const GpuTotals totals = gpu_totals(gpu);
    list.names += name + "\n";
    lines.push_back({name, gpu.name, fmt::format("{}", totals.sms), fmt::format("{:.4g} MHz", gpu.clock.sm_mhz),
                     scaled(totals.fp32_flops, "FLOP/s"), fmt::format("{} KiB", gpu.l1.size_kib),
                     binary_bytes(totals.l2_bytes), fmt::format("{:.4g} GB/s", totals.hbm_gbs)});
    Json one = {{"name", name},
                {"gpu", gpu.name},
                {"compute_capability", gpu.compute_capability},
                {"sm_mhz", gpu.clock.sm_mhz}};
    for (const GpuTotal& field : gpu_total_fields()) one[std::string(field.key)] = totals.*field.value;
    list.json.push_back(std::move(one));
  }
  list.table = aligned_columns(lines, 2);
  return list;
}

Listing list_metrics() {
  Listing list;
  std::size_t width = 0;
  for (const Metric& metric : metrics()) width = std::max(width, metric.name.size());
  for (const Metric& metric : metrics()) {
    list.names += metric.name + "\n";
    list.table += fmt::format("{:<{}}  {:<9}  {}\n", metric.name, width, metric.unit, metric.meaning);
    list.json.push_back({{"name", metric.name},
                         {"unit", metric.unit},
                         {"meaning", metric.meaning},
                         {"timing_only", metric.needs_time}});
  }
  return list;
}

int run_list(const Values& values, std::ostream& out) {
  const std::string what = chosen(values, "WHAT", {"kernels", "gpus", "metrics"});
  const std::string format = chosen(values, "format", {"table", "names", "json"});
  const Listing list = what == "kernels" ? list_kernels() : what == "gpus" ? list_gpus() : list_metrics();
  with_output(values, out, [&](std::ostream& stream) {
    stream << (format == "json" ? list.json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
               : format == "names" ? list.names
                                   : list.table);
  });
  return ok;
}

}  // namespace

Command list_command() {
  Command command;
  command.name = "list";
  command.summary = "List the built-in kernels and GPUs, or the metrics";
  command.usage = "list kernels|gpus|metrics [options]";
  command.details =
      "kernels  with each parameter, its default and what is accepted\n"
      "gpus     with their key numbers\n"
      "metrics  with unit and meaning";
  command.examples =
      "tilescope list kernels\n"
      "tilescope list gpus --format names\n"
      "tilescope list metrics --format json";
  command.declare = [](CommandLine& line) {
    line.words = {"WHAT"};
    line.options.add_options()(
        "format", po::value<std::string>()->default_value("table")->value_name("table|names|json"), "of the list");
    add_output_option(line.options);
  };
  command.run = run_list;
  return command;
}

}  // namespace tilescope::cli
