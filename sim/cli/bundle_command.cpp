#include "sim/cli/bundle_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "models/support/diagnostic.h"
#include "sim/cli/bundle_survey.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/bundle/bundle_run.h"
#include "traces/sass/function_choice.h"
#include "traces/sass/kernel_name.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

struct Chosen {
  bundle::Bundle bundle;
  std::vector<std::size_t> launches;
};

// The bundle of the word DIR, or DIR#ID, or DIR#PATTERN.
Chosen chosen_from(const Values& values) {
  const auto& word = values["DIR"].as<std::string>();
  const auto name = bundle::bundle_name(word);
  if (!name)
    throw UsageError("got " + in_quotes(word) + "; must be the folder of a bundle", "see: tilescope bundle --help");
  auto bundle = bundle::read_bundle(name->folder);
  if (!bundle) throw DiagnosticsError(bundle.error());
  auto launches = bundle::select_launches(*bundle, name->selection);
  if (!launches) throw UsageError(in_quotes(word) + ": " + launches.error());
  return {*std::move(bundle), *std::move(launches)};
}

std::string text_of(const Dim3& size) { return fmt::format("{} x {} x {}", size.x, size.y, size.z); }
Json json_of(const Dim3& size) { return {size.x, size.y, size.z}; }

std::string heading(const bundle::Bundle& bundle) {
  const bundle::BundleFacts& facts = bundle.facts;
  std::string text =
      fmt::format("{}\n", facts.program.empty() ? bundle.folder : fmt::format("{}", fmt::join(facts.program, " ")));
  if (!facts.gpu.empty()) text += fmt::format("recorded on {} ({})\n", facts.gpu, facts.architecture);
  if (!facts.memory.empty()) text += fmt::format("memory: {}\n", facts.memory);
  text +=
      facts.exit.empty() ? "the recorder was interrupted\n" : fmt::format("the program ended with {}\n", facts.exit);
  std::size_t missing = 0, graph = 0;
  for (const bundle::OrderedLaunch& one : bundle.order) missing += one.launch ? 0 : 1, graph += one.graph ? 1 : 0;
  text += fmt::format("{} launches, {} of them different", grouped(static_cast<double>(bundle.order.size())),
                      grouped(static_cast<double>(bundle.launches.size())));
  if (graph > 0) text += fmt::format(", {} by graphs", graph);
  if (missing > 0) text += fmt::format(", {} that the recorder could not store", missing);
  text += "\n";
  for (const std::string& child : bundle.children) text += "a process that it started: " + child + "\n";
  return text;
}

int list(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json"});
  const auto [bundle, launches] = chosen_from(values);
  with_output(values, out, [&, &bundle = bundle, &launches = launches](std::ostream& stream) {
    if (format == "json") {
      Json json = {
          {"schema", "tilescope.bundle_list/1"}, {"program", bundle.facts.program}, {"gpu", bundle.facts.gpu},
          {"calls", bundle.order.size()},        {"children", bundle.children},     {"launches", Json::array()}};
      for (const std::size_t i : launches) {
        const bundle::BundleLaunch& one = bundle.launches[i];
        json["launches"].push_back({{"id", one.id},
                                    {"kernel", sass::readable_name(one.kernel)},
                                    {"symbol", one.kernel},
                                    {"grid", json_of(one.grid)},
                                    {"block", json_of(one.block)},
                                    {"calls", one.calls},
                                    {"file", bundle.path_of(one)}});
      }
      stream << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
      return;
    }
    constexpr std::size_t kLongest = 70;
    Lines lines = {{"launch", "id", "grid", "block", "calls"}};
    for (const std::size_t i : launches) {
      const bundle::BundleLaunch& one = bundle.launches[i];
      lines.push_back({sass::shortened_name(one.kernel, kLongest), std::to_string(one.id), text_of(one.grid),
                       text_of(one.block), std::to_string(one.calls)});
    }
    stream << heading(bundle) << "\n" << aligned_columns(lines);
  });
  return ok;
}

std::string buffer_text(const sass::BufferFacts& buffer) {
  std::string text = fmt::format("0x{:x}, {}", buffer.base, binary_bytes(static_cast<double>(buffer.size)));
  if (buffer.contents) text += fmt::format(", {} of contents", binary_bytes(static_cast<double>(buffer.filled)));
  return text;
}

std::string shown(const bundle::Bundle& bundle, std::size_t index, const sass::ReadLaunch& read) {
  const bundle::BundleLaunch& launch = bundle.launches[index];
  std::string text = fmt::format("launch {}: {}\n", launch.id, sass::readable_name(launch.kernel));
  Lines lines;
  const auto say = [&lines](const std::string& what, const std::string& value) {
    lines.push_back({"  " + what, value});
  };
  say("symbol", launch.kernel);
  say("file", bundle.path_of(launch));
  say("grid", text_of(launch.grid));
  say("block", text_of(launch.block));
  say("calls", std::to_string(launch.calls));
  const sass::LaunchFacts& facts = read.facts;
  if (read.errors.empty()) {
    if (facts.cluster.count() > 1) say("cluster", text_of(facts.cluster));
    for (const auto& [name, value] : facts.attributes) say(name, value);
    say("code", fmt::format("{}, sm_{}, {} instructions", facts.code, facts.architecture, facts.instructions));
    if (facts.launch.registers_per_thread > 0) say("registers", std::to_string(facts.launch.registers_per_thread));
    say("shared memory",
        fmt::format("{} B static, {} B dynamic", facts.launch.static_smem_bytes, facts.launch.dynamic_smem_bytes));
    for (std::size_t i = 0; i < facts.arguments.size(); ++i) say(fmt::format("argument {}", i), facts.arguments[i]);
    for (const sass::BufferFacts& buffer : facts.buffers)
      say("buffer " + (buffer.name.empty() ? "of an argument" : buffer.name), buffer_text(buffer));
    if (facts.needs_global)
      say("addresses",
          fmt::format("depend on loaded values; the bundle has {}", facts.has_contents() ? "contents" : "no contents"));
  }
  text += aligned_columns(lines, 2);
  for (const Diagnostic& one : read.errors) text += "  wrong: " + to_string(one) + "\n";
  if (!read.refused.empty()) text += "  not modelled: " + kind_of_problem(read.refused) + "\n";
  return text;
}

int show_bundle(const Values& values, std::ostream& out) {
  const auto [bundle, launches] = chosen_from(values);
  const auto surveys = survey_launches(bundle, launches, limits_from(values), threads_from(values));
  with_output(values, out, [&, &bundle = bundle, &launches = launches](std::ostream& stream) {
    stream << heading(bundle);
    for (std::size_t i = 0; i < launches.size(); ++i) stream << "\n" << shown(bundle, launches[i], surveys[i]);
  });
  return ok;
}

// What is wrong, once for all places that say the same: many launches may have one listing.
class Problems {
 public:
  void add(const Diagnostic& one) {
    const auto [place, is_new] = by_message_.emplace(one.message, first_.size());
    if (is_new) {
      first_.push_back(one);
      others_.emplace_back();
    } else if (one != first_[place->second]) {
      ++others_[place->second];
    }
  }

  Diagnostics all() const {
    Diagnostics all = first_;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (others_[i] > 0)
        all[i].message += fmt::format(" (and in {} other place{})", others_[i], others_[i] == 1 ? "" : "s");
    return all;
  }

 private:
  std::map<std::string, std::size_t> by_message_;
  Diagnostics first_;
  std::vector<std::size_t> others_;  // places
};

int check_bundle(const Values& values, std::ostream& out) {
  const auto [bundle, launches] = chosen_from(values);
  const auto surveys = survey_launches(bundle, launches, limits_from(values), threads_from(values));
  Problems errors;
  std::map<std::string, std::size_t> refused;
  std::size_t runs = 0, without_contents = 0;
  for (const sass::ReadLaunch& read : surveys) {
    for (const Diagnostic& one : read.errors) errors.add(one);
    if (!read.errors.empty()) continue;
    if (!read.refused.empty())
      ++refused[kind_of_problem(read.refused)];
    else
      ++runs;
    if (read.refused.empty() && read.facts.needs_global && !read.facts.has_contents()) ++without_contents;
  }
  if (!errors.all().empty()) throw DiagnosticsError(errors.all());
  with_output(values, out, [&, &bundle = bundle](std::ostream& stream) {
    stream << fmt::format("{}: ok\n{} launches can be simulated\n", bundle.folder, runs);
    if (without_contents > 0)
      stream << fmt::format(
          "{} of them have addresses that depend on values that the bundle does not have "
          "(tilescope bundle needs {})\n",
          without_contents, bundle.folder);
    for (const auto& [why, count] : refused) stream << fmt::format("{} launches are refused: {}\n", count, why);
  });
  return ok;
}

int needs(const Values& values, std::ostream& out) {
  const auto [bundle, launches] = chosen_from(values);
  const auto surveys = survey_launches(bundle, launches, limits_from(values), threads_from(values));
  with_output(values, out, [&, &bundle = bundle, &launches = launches](std::ostream& stream) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const sass::ReadLaunch& read = surveys[i];
      const bundle::BundleLaunch& launch = bundle.launches[launches[i]];
      if (read.errors.empty() && read.refused.empty() && read.facts.needs_global && !read.facts.has_contents())
        stream << launch.id << " " << launch.kernel << "\n";
    }
  });
  return ok;
}

Command action(const std::string& name, const std::string& summary, const std::string& details,
               const std::string& examples, int (*run)(const Values&, std::ostream&)) {
  Command command;
  command.name = "bundle " + name;
  command.summary = summary;
  command.usage = "bundle " + name + " DIR|DIR#ID|DIR#PATTERN [options]";
  command.details = details;
  command.examples = examples;
  command.declare = [name](CommandLine& line) {
    line.words = {"DIR"};
    if (name == "list")
      line.options.add_options()("format", po::value<std::string>()->default_value("table")->value_name("table|json"),
                                 "of the answer");
    if (name != "list") {
      add_limit_option(line.options);
      add_threads_option(line.options, "launches at a time, one for each of the machine's threads unless given");
    }
    add_output_option(line.options);
  };
  command.run = run;
  return command;
}

}  // namespace

Command bundle_command() {
  Command command;
  command.name = "bundle";
  command.summary = "Look at the launches of a program that tilescope-capture recorded";
  command.usage = "bundle list|show|check|needs DIR [options]";
  command.details =
      "A bundle is a folder that tilescope-capture has made of a program's launches (docs/bundles.md). Nothing of "
      "CUDA\n"
      "is needed to look at it or to simulate it. DIR#7 is launch 7, DIR#PATTERN those whose kernel's name has the\n"
      "regular expression. Each launch is a KERNEL; tilescope run DIR simulates all of them.";
  command.examples =
      "tilescope bundle list train.bundle\n"
      "tilescope bundle show train.bundle#12\n"
      "tilescope bundle check train.bundle\n"
      "tilescope bundle needs train.bundle > needs.txt\n"
      "tilescope run train.bundle --gpu a100_40 --gpu h100 --gpu h200\n"
      "tilescope run 'train.bundle#softmax'";
  command.declare = [](CommandLine& line) {
    line.words = {"ACTION"};
    line.many = true;
  };
  command.run = [](const Values& values, std::ostream&) -> int {
    if (values.count("ACTION") == 0) throw UsageError("no action given; tilescope bundle list|show|check|needs DIR");
    const auto& words = values["ACTION"].as<std::vector<std::string>>();
    throw UsageError("got " + in_quotes(words.front()) + "; must be list, show, check or needs",
                     "see: tilescope bundle --help");
  };
  command.actions = {
      action("list", "List the launches of a bundle", "Reads the index alone, so that it answers at once.",
             "tilescope bundle list train.bundle\ntilescope bundle list 'train.bundle#gemm' --format json", list),
      action("show", "Show what launches are: code, shared memory, arguments, buffers", "",
             "tilescope bundle show train.bundle#12\ntilescope bundle show 'train.bundle#softmax'", show_bundle),
      action("check", "Check every file of a bundle, and say what can be simulated",
             "Every error comes in one run, with exit code 2. A launch that asks for what is not modelled is no error.",
             "tilescope bundle check train.bundle", check_bundle),
      action(
          "needs", "List the launches whose memory contents must be recorded",
          "Those whose addresses or branches depend on loaded values, and that have no contents: one line each, the\n"
          "launch's id and its kernel, as tilescope-capture --needs FILE reads it.",
          "tilescope bundle needs train.bundle > needs.txt\n"
          "tilescope-capture --memory inputs --needs needs.txt -o train2.bundle python train.py",
          needs)};
  return command;
}

}  // namespace tilescope::cli
