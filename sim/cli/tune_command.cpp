#include "sim/cli/tune_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "sim/cli/find_config.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/stop_request.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/sweep/store.h"
#include "sim/studies/tune/compiled_set.h"
#include "sim/studies/tune/dialect.h"
#include "sim/studies/tune/generator_space.h"
#include "sim/studies/tune/search.h"
#include "sim/studies/tune/tune_view.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

struct Stopped {};  // Ctrl-C: nothing is written

constexpr std::int64_t kLargestSize = 65536;

std::int64_t size_of(const Values& values, const char* name) {
  const auto& text = values[name].as<std::string>();
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size() || size < 1 || size > kLargestSize)
    throw UsageError(
        fmt::format("{}: got {}; must be a whole number from 1 to {}", name, in_quotes(text), kLargestSize));
  return size;
}

std::vector<std::string> families_from(const Values& values, const std::vector<std::string>& known) {
  const std::vector<std::string> wanted = words_of(values, "kernel");
  for (const std::string& one : wanted)
    if (std::find(known.begin(), known.end(), one) == known.end())
      throw UsageError(
          fmt::format("--kernel: got {}{}; must be {}", in_quotes(one), did_you_mean(one, known), list_of(known)));
  return wanted.empty() ? known : wanted;
}

std::vector<tune::Configuration> space_from(const Values& values, const GpuSpec& gpu, const tune::Problem& problem) {
  std::string file = values.count("compiled") != 0 ? values["compiled"].as<std::string>() : "";
  if (file.empty() && problem.dtype != "f32") file = find_tune_set();
  if (file.empty()) return tune::generator_space(gpu, problem, families_from(values, tune::generator_families()));
  const auto set = tune::CompiledSet::read(file);
  if (!set) throw DiagnosticsError(set.error());
  return set->space(gpu, problem, families_from(values, set->families()));
}

std::string dialect_text(const std::string& dialect, const tune::Tuned& tuned) {
  const tune::Candidate& best = tuned.best.front();
  const auto& block = best.result.at("launch").at("block");
  const std::int64_t threads =
      block[0].get<std::int64_t>() * block[1].get<std::int64_t>() * block[2].get<std::int64_t>();
  const auto text = dialect == "cutlass" ? tune::in_cutlass(best.configuration, tuned.problem, threads)
                                         : tune::in_triton(best.configuration, tuned.problem, threads);
  if (!text) throw std::runtime_error(text.error());
  return *text;
}

int tune_problem(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json"});
  const std::string dialect = values.count("from") != 0 ? chosen(values, "from", {"cutlass", "triton"}) : "";
  tune::Problem problem{size_of(values, "M"), size_of(values, "N"), size_of(values, "K"),
                        chosen(values, "dtype", tune::dtypes())};
  tune::SearchOptions options;
  options.last = chosen_sample(values);
  options.threads = threads_from(values);
  options.top = static_cast<std::size_t>(whole_number(values, "top", 10, {1, 1000}));
  const GpuSpec gpu = gpu_from(values);
  std::vector<tune::Configuration> space;
  try {
    space = space_from(values, gpu, problem);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  std::optional<sweep::Store> store;
  if (values.count("store") != 0)
    options.store = &store.emplace(values["store"].as<std::string>(), sweep::Store::Access::create);
  const StopRequest stop;
  options.stop = &stop.signal_number();
  const auto write = [&](std::ostream& stream) {
    tune::Tuned tuned;
    {
      ProgressLine progress(fmt::format("{} x {} x {}", problem.m, problem.n, problem.k));
      options.on_progress = [&progress](const std::string&, double fraction) { progress.show(fraction); };
      tuned = tune::search(gpu, problem, std::move(space), options);
    }
    if (tuned.stopped) throw Stopped{};
    if (!dialect.empty())
      stream << dialect_text(dialect, tuned);
    else if (format == "json")
      stream << tune::tune_json(tuned).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    else
      stream << tune::tune_text(tuned);
  };
  try {
    with_output(values, out, write);
  } catch (const Stopped&) {
    return 128 + stop.signal_number();
  }
  return ok;
}

}  // namespace

Command tune_command() {
  Command command;
  command.name = "tune";
  command.summary = "Find the fastest tile, raster and pipeline for a matrix product";
  command.usage = "tune M N K [options]";
  command.details =
      "C (M x N) = A (M x K) * B (K x N). Tries every configuration that is legal for these sizes and this GPU: "
      "counting\n"
      "first, then timing from samples of those that are left, and shows the best with what limits them. FP32 is "
      "tried\n"
      "with the built-in generators; other types, and FP32 with --compiled, with compiled kernels (docs/tune.md).";
  command.examples =
      "tilescope tune 4096 4096 4096 --gpu h200\n"
      "tilescope tune 64 4096 1024 --gpu h100 --kernel gemm_register --store tiles.db\n"
      "tilescope tune 2048 2048 2048 --dtype f16\n"
      "tilescope tune 1024 1024 1024 --compiled configs/tune/gemm_sm90.yaml --top 3\n"
      "tilescope tune 1024 1024 1024 --from triton";
  command.declare = [](CommandLine& line) {
    line.words = {"M", "N", "K"};
    add_gpu_options(line.options);
    line.options.add_options()("dtype", po::value<std::string>()->default_value("f32")->value_name("f32|f16|bf16|tf32"),
                               "of A and B; sums are FP32");
    line.options.add_options()("kernel", po::value<std::vector<std::string>>()->composing()->value_name("FAMILY"),
                               "only this family of kernels; may be given several times");
    line.options.add_options()("compiled", po::value<std::string>()->value_name("FILE"),
                               "choose among the compiled kernels of this set instead of generators");
    line.options.add_options()("top", po::value<std::string>()->value_name("N"), "how many are shown (10)");
    line.options.add_options()("sample", po::value<std::string>()->default_value("auto")->value_name("auto|fast|off"),
                               "of the last rung: how much of a large launch is timed instruction by instruction");
    line.options.add_options()(
        "store", po::value<std::string>()->value_name("STORE"),
        "a store of tilescope sweep, made when missing: timings are taken from it and kept in it");
    line.options.add_options()("from", po::value<std::string>()->value_name("cutlass|triton"),
                               "print only the best one, as template arguments of CUTLASS or as a Triton config");
    add_threads_option(line.options, "threads to work with, all of the machine's unless given; the result is the same");
    line.options.add_options()("format", po::value<std::string>()->default_value("table")->value_name("table|json"),
                               "of the answer");
    add_output_option(line.options);
  };
  command.run = tune_problem;
  return command;
}

}  // namespace tilescope::cli
