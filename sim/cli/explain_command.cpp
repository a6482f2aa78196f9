#include "sim/cli/explain_command.h"

#include "models/support/diagnostic.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/kernel_argument.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/run_bundle.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/explain/explain.h"
#include "sim/studies/explain/explain_view.h"
#include "traces/kernels/registry.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

int explain_kernel(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json", "svg"});
  explain::ExplainOptions options;
  options.sample = chosen_sample(values);
  options.threads = threads_from(values);
  options.top = static_cast<std::size_t>(whole_number(values, "top", 5, {1, 100}));
  const GpuSpec gpu = gpu_from(values);
  const auto& word = values["KERNEL"].as<std::string>();
  if (is_table_of_launches(word))
    throw UsageError("explain is for single launches; got " + in_quotes(word),
                     "one launch is DIR#ID; see: tilescope bundle list DIR");
  const auto kernel = kernel_of_argument(values, word);
  options.generator = is_builtin_kernel(word.substr(0, word.find(':')));
  with_output(values, out, [&](std::ostream& stream) {
    ProgressLine progress(word);
    options.on_progress = [&progress](const std::string&, double fraction) { progress.show(fraction); };
    const explain::Explanation all = explain::explain(gpu, *kernel, word, options);
    progress.done();
    stream << (format == "json"
                   ? explain::explain_json(all).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                         "\n"
               : format == "svg" ? explain::explain_svg(all)
                                 : explain::explain_text(all));
  });
  return ok;
}

}  // namespace

Command explain_command() {
  Command command;
  command.name = "explain";
  command.summary = "Rank what costs a kernel time, and run it with what would fix it";
  command.usage = "explain KERNEL [options]";
  command.details =
      "KERNEL is a built-in kernel, a launch file (.yaml) for compiled code, a launch of a bundle (DIR#ID), or a .tst\n"
      "trace. Finds bank conflicts, sectors fetched for nothing, lines fetched again, limits of occupancy, latency "
      "that\n"
      "nothing hides and idle SMs, by source line where the code says its lines, and predicts the cycles with each\n"
      "problem taken away and with every fix that the model can apply.";
  command.examples =
      "tilescope explain gemm_tiled:transpose_a=1 -p M=512 -p N=512 -p K=512\n"
      "tilescope explain gemm_tiled -p M=512 -p N=512 -p K=512\n"
      "tilescope explain traces/samples/sass/gemm_tiled.yaml --gpu a100_40 --top 3\n"
      "tilescope explain train.bundle#7 --format json -o why.json\n"
      "tilescope explain transpose:form=tiled --format svg -o banks.svg";
  command.declare = [](CommandLine& line) {
    line.words = {"KERNEL"};
    add_gpu_options(line.options);
    add_parameter_option(line.options);
    line.options.add_options()("top", po::value<std::string>()->value_name("N"),
                               "how many findings are worked out (5)");
    line.options.add_options()("sample", po::value<std::string>()->default_value("fast")->value_name("auto|fast|off"),
                               "of every run: how much of a large launch is timed instruction by instruction");
    add_threads_option(line.options, "threads to work with, all of the machine's unless given; the result is the same");
    line.options.add_options()("format", po::value<std::string>()->default_value("table")->value_name("table|json|svg"),
                               "of the answer; svg: a grid for each access");
    add_limit_option(line.options);
    add_output_option(line.options);
  };
  command.run = explain_kernel;
  return command;
}

}  // namespace tilescope::cli
