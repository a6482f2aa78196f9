#include "sim/cli/report_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "models/support/diagnostic.h"
#include "models/support/text_file.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/kernel_argument.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/report_assets.h"
#include "sim/cli/run_bundle.h"
#include "sim/cli/sweep_table_options.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/report/comparison_section.h"
#include "sim/studies/report/kernel_section.h"
#include "sim/studies/report/report_document.h"
#include "sim/studies/report/report_page.h"
#include "sim/studies/report/sweep_section.h"
#include "traces/bundle/bundle.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKernels = 200;
constexpr std::size_t kFewKernels = 12;
constexpr std::size_t kMostComparisonBytes = std::size_t{256} << 20;
constexpr std::size_t kCellsOfAllSms = 40'000;  // of the pictures of SMs over time, all kernels together
constexpr std::size_t kSweepBytes = 850'000;    // of the points of all studies together

enum class Shown { kernel, comparison, store };

struct Part {
  Shown shown = Shown::kernel;
  std::string word;
  std::unique_ptr<Kernel> kernel;
};

bool is_store(const std::string& word) {
  static const std::string magic("SQLite format 3\0", 16);
  std::ifstream in(word, std::ios::binary);
  std::string begin(magic.size(), '\0');
  return in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic;
}

Part kernel_part(const Values& values, const std::string& word) {
  return {Shown::kernel, word, kernel_of_argument(values, word)};
}

// Every launch that DIR or DIR#PATTERN means; those that can not be opened are left out.
void add_launches(const Values& values, const std::string& word, std::vector<Part>& parts,
                  std::vector<report::LeftOut>& left_out) {
  const auto name = bundle::bundle_name(word);
  const auto bundle = bundle::read_bundle(name->folder);
  if (!bundle) throw DiagnosticsError(bundle.error());
  const auto launches = bundle::select_launches(*bundle, name->selection);
  if (!launches) throw UsageError(in_quotes(word) + ": " + launches.error());
  if (launches->size() > kMostKernels)
    throw UsageError(
        fmt::format("{}: has {} launches; a report takes at most {}", in_quotes(word), launches->size(), kMostKernels),
        "choose some with DIR#PATTERN; see: tilescope bundle list DIR");
  for (const std::size_t launch : *launches) {
    const std::string one = fmt::format("{}#{}", name->folder, bundle->launches[launch].id);
    try {
      parts.push_back(kernel_part(values, one));
    } catch (const DiagnosticsError& error) {
      left_out.push_back({one, to_string(error.diagnostics().front())});
    }
  }
}

std::vector<std::string> words_from(const Values& values) {
  if (values.count("KERNEL") == 0)
    throw UsageError("nothing to report on; tilescope report KERNEL...|STORE|compare.json -o report.html",
                     "see: tilescope report --help");
  return values["KERNEL"].as<std::vector<std::string>>();
}

std::vector<Part> parts_from(const Values& values, const std::vector<std::string>& words,
                             std::vector<report::LeftOut>& left_out) {
  std::vector<Part> parts;
  for (const std::string& word : words) {
    if (word.ends_with(".json"))
      parts.push_back({Shown::comparison, word, nullptr});
    else if (is_store(word))
      parts.push_back({Shown::store, word, nullptr});
    else if (is_table_of_launches(word))
      add_launches(values, word, parts, left_out);
    else
      parts.push_back(kernel_part(values, word));
  }
  return parts;
}

// The arguments that decide what the report holds.
std::vector<std::string> arguments_of(const Values& values) {
  std::vector<std::string> words = values["KERNEL"].as<std::vector<std::string>>();
  for (const auto& [name, value] : values) {
    if (value.defaulted() || name == "KERNEL" || name == "output" || name == "threads" || name == "format") continue;
    const auto* texts = boost::any_cast<std::vector<std::string>>(&value.value());
    const auto* text = boost::any_cast<std::string>(&value.value());
    if (text == nullptr && texts == nullptr) words.push_back("--" + name);
    for (const std::string& one : texts != nullptr ? *texts : std::vector<std::string>{}) {
      words.push_back(name == "param" ? "-p" : "--" + name);
      words.push_back(one);
    }
    if (text != nullptr) words.insert(words.end(), {"--" + name, *text});
  }
  return words;
}

report::SweepOptions sweep_options(const Values& values, std::size_t stores) {
  report::SweepOptions options;
  options.most_bytes = kSweepBytes / std::max<std::size_t>(1, stores);
  if (values.count("study") != 0) options.study = values["study"].as<std::string>();
  if (values.count("best") != 0) options.best = sweep::goal_of(values["best"].as<std::string>());
  if (values.count("pareto") == 0) return options;
  for (const std::string& one : comma_list(values["pareto"].as<std::string>()))
    options.pareto.push_back(sweep::goal_of(one));
  if (options.pareto.size() != 2)
    throw UsageError(
        fmt::format("--pareto: got {} goals; must be two, such as tflops,dram__bytes_read.sum", options.pareto.size()));
  return options;
}

report::KernelOptions kernel_options(const Values& values, std::size_t kernels) {
  report::KernelOptions options;
  options.sample = chosen_sample(values);
  options.threads = threads_from(values);
  options.lines = static_cast<std::size_t>(whole_number(values, "top", kernels > kFewKernels ? 20 : 40, {1, 10'000}));
  options.cells = kCellsOfAllSms / std::max<std::size_t>(1, kernels);
  return options;
}

Json compared(const std::string& word) {
  const auto text = read_text_file(word, kMostComparisonBytes);
  if (!text) throw DiagnosticsError({text.error()});
  return report::comparison_section(word, *text);
}

Json ran(const Values& values, const Part& part, const GpuSpec& gpu, report::KernelOptions options) {
  ProgressLine progress(part.word);
  options.on_progress = [&progress](const Progress& p) { progress.show(p.fraction); };
  Json section = report::kernel_section(gpu, *part.kernel, part.word, options);
  progress.done();
  if (values.count("wall") != 0) section["result"]["provenance"]["wall_seconds"] = progress.seconds();
  return section;
}

int write_report(const Values& values, std::ostream& out) {
  const std::vector<std::string> words = words_from(values);
  const std::string format = chosen(values, "format", {"html", "json"});
  if (format == "html" && report_page_asset().empty())
    throw UsageError(
        "this program was built without the page of reports: npm was missing, or could not fetch the chart library",
        "install npm, run cmake and build again; --format json needs neither");
  std::vector<report::LeftOut> left_out;
  const std::vector<GpuSpec> gpus = gpus_from(values);
  const std::vector<Part> parts = parts_from(values, words, left_out);
  const auto count = [&](Shown shown) {
    return static_cast<std::size_t>(
        std::count_if(parts.begin(), parts.end(), [&](const Part& part) { return part.shown == shown; }));
  };
  const std::size_t kernels = count(Shown::kernel) * gpus.size();
  if (kernels > kMostKernels)
    throw UsageError(fmt::format("got {} kernels on GPUs; a report takes at most {}", kernels, kMostKernels));
  const report::KernelOptions for_kernels = kernel_options(values, kernels);
  const report::SweepOptions for_sweeps = sweep_options(values, count(Shown::store));
  with_output(values, out, [&](std::ostream& stream) {
    std::vector<Json> sections;
    for (const Part& part : parts) {
      if (part.shown == Shown::comparison)
        sections.push_back(compared(part.word));
      else if (part.shown == Shown::store)
        sections.push_back(
            report::sweep_section(part.word, sweep::Store(part.word, sweep::Store::Access::existing), for_sweeps));
      else
        for (const GpuSpec& gpu : gpus) sections.push_back(ran(values, part, gpu, for_kernels));
    }
    const Json document = report::report_document(arguments_of(values), std::move(sections), left_out);
    stream << (format == "json" ? document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"
                                : report::report_page(report_page_asset(), document));
  });
  return ok;
}

}  // namespace

Command report_command() {
  Command command;
  command.name = "report";
  command.summary = "Write one page on kernels, a study's results or a comparison, to read offline";
  command.usage = "report KERNEL...|STORE|compare.json [options]";
  command.details =
      "Each argument is a part of the page: a kernel as `run` takes it, all launches of a bundle (DIR, DIR#PATTERN), "
      "a\n"
      "store that `sweep` has filled, or the .json that `compare --format json` writes. The page is a single file "
      "that\n"
      "asks no network; its figures are those of the JSON to the last digit.";
  command.examples =
      "tilescope report gemm_tiled -p M=512 -p N=512 -p K=512 -o report.html\n"
      "tilescope report gemm_naive gemm_tiled gemm_tiled:swizzle=xor --gpu h100 --gpu h200 -o report.html\n"
      "tilescope report traces/samples/sass/gemm_tiled.yaml --sample off -o report.html\n"
      "tilescope report 'train.bundle#softmax' -o softmax.html\n"
      "tilescope report tiles.db --best tflops --pareto tflops,dram__bytes_read.sum -o tiles.html\n"
      "tilescope compare --measured profile.ncu.csv --format json -o compare.json\n"
      "tilescope report compare.json gemm_tiled -o report.html";
  command.declare = [](CommandLine& line) {
    line.words = {"KERNEL"};
    line.many = true;
    add_several_gpus_options(line.options);
    add_parameter_option(line.options);
    line.options.add_options()("sample", po::value<std::string>()->default_value("auto")->value_name("auto|fast|off"),
                               "off: every instruction; auto: of large launches a part, with an estimated error; "
                               "fast: less of them");
    add_threads_option(line.options, "threads to work with, all of the machine's unless given; the result is the same");
    line.options.add_options()("top", po::value<std::string>()->value_name("N"),
                               "of the lines of a kernel: the N hottest (40, of more than 12 kernels 20)");
    line.options.add_options()("study", po::value<std::string>()->value_name("NAME"),
                               "of a store: only this study's points");
    line.options.add_options()("best", po::value<std::string>()->value_name("METRIC[:max|min]"),
                               "of a store: what makes a point the best (tflops, or the cycles)");
    line.options.add_options()("pareto", po::value<std::string>()->value_name("A,B"),
                               "of a store: the two metrics of the Pareto front");
    line.options.add_options()("format", po::value<std::string>()->default_value("html")->value_name("html|json"),
                               "json: what the page is made of");
    line.options.add_options()("wall", "put the seconds that each run took into the provenance");
    add_limit_option(line.options);
    add_output_option(line.options);
  };
  command.run = write_report;
  return command;
}

}  // namespace tilescope::cli
