#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "models/support/diagnostic.h"
#include "sim/cli/parse.h"
#include "sim/cli/sweep_actions.h"
#include "sim/cli/sweep_study.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/sweep/submit_known.h"
#include "sim/studies/sweep/submit_start.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using sweep::Engine;
using sweep::Submission;
using Words = std::vector<std::string>;

std::string text_of(const Values& values, const char* option) {
  return values.count(option) == 0 ? "" : values[option].as<std::string>();
}

// Scripts run elsewhere: no path in them may depend on where this program was called.
std::string absolute_path(const fs::path& path) { return fs::absolute(path).lexically_normal().string(); }

std::string own_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "tilescope" : program.string();
}

Engine engine_from(const Values& values) {
  const std::string engine = chosen(values, "engine", {"local", "parallel", "slurm"});
  const auto only_for = [&](const char* option, const char* wanted) {
    if (values.count(option) != 0 && engine != wanted)
      throw UsageError(fmt::format("--{} is for --engine {}; got --engine {}", option, wanted, engine));
  };
  only_for("hosts", "parallel");
  for (const char* option : {"partition", "time", "sbatch-option"}) only_for(option, "slurm");
  return engine == "local" ? Engine::local : engine == "parallel" ? Engine::parallel : Engine::slurm;
}

Words slurm_options(const Values& values) {
  Words options;
  for (const char* option : {"partition", "time"})
    if (values.count(option) != 0) options.push_back(fmt::format("--{}={}", option, text_of(values, option)));
  if (values.count("sbatch-option") == 0) return options;
  for (const std::string& option : values["sbatch-option"].as<Words>()) {
    if (!option.starts_with('-'))
      throw UsageError(
          fmt::format("--sbatch-option: got {}; must be an option of sbatch, such as --mem=2G", in_quotes(option)));
    options.push_back(option);
  }
  return options;
}

Submission submission_from(const Values& values, const sweep::Plan& plan) {
  Submission submission;
  submission.engine = engine_from(values);
  submission.name = plan.study.name;
  submission.program = values.count("program") != 0 ? text_of(values, "program") : own_program();
  submission.study = absolute_path(plan.study.path);
  const std::string results = values.count("output") != 0 ? text_of(values, "output") : plan.study.name + ".db";
  submission.results = absolute_path(results);
  submission.directory = absolute_path(values.count("dir") != 0 ? fs::path(text_of(values, "dir"))
                                                                : fs::path(results).replace_extension("shards"));
  const char* configs = std::getenv("TILESCOPE_CONFIGS");
  if (configs != nullptr && *configs != '\0') submission.configs = absolute_path(configs);
  submission.shards = static_cast<int>(whole_number(values, "shards", 1, {1, kMostShards}));
  submission.jobs = static_cast<int>(whole_number(values, "jobs", 1, {1, kMostJobs}));
  submission.retry_failed = values.count("retry-failed") != 0;
  submission.hosts = text_of(values, "hosts");
  submission.slurm_options = slurm_options(values);
  return submission;
}

std::string summary(const Submission& submission, const sweep::Plan& plan, const sweep::KnownWork& known) {
  const std::size_t points = plan.points.size();
  std::string text = fmt::format("{}: {}; {} stored, {} to compute", submission.name, points_text(points), known.stored,
                                 points - known.stored);
  if (!known.incomplete.empty())
    text += fmt::format(" in {} of {} shard{}", known.incomplete.size(), submission.shards,
                        submission.shards == 1 ? "" : "s");
  return text + "\n";
}

int run_sweep_submit(const Values& values, std::ostream& out) {
  const sweep::Plan plan = read_plan(values["STUDY"].as<std::string>());
  if (values.count("shards") == 0)
    throw UsageError("no --shards N given; must be the number of parts to compute side by side");
  Submission submission = submission_from(values, plan);
  const sweep::KnownWork known = known_work(plan, submission);
  submission.to_start = known.incomplete;
  out << summary(submission, plan, known);
  const bool dry = values.count("dry-run") != 0;
  if (!dry && known.merged == plan.points.size()) {
    out << fmt::format("nothing to do: {} has all of them", submission.results);
    out << (known.failed == 0 ? "\n" : fmt::format(", {} failed\n", known.failed));
    return known.failed == 0 ? ok : work_failed;
  }
  write_scripts(submission);
  if (dry) {
    out << fmt::format("nothing started; to start it: {}/start.sh\n", submission.directory);
    return ok;
  }
  hand_out_known(plan, submission, known.incomplete);
  out.flush();
  return sweep::run_start_script(submission.directory, out);
}

}  // namespace

Command sweep_submit_command() {
  Command command;
  command.name = "sweep submit";
  command.summary = "Run a study in shards, on this machine or on many";
  command.usage = "sweep submit STUDY.yaml --engine local|parallel|slurm --shards N [options]";
  command.details =
      "Writes scripts into DIR and starts them: every shard is a `sweep run --shard I/N` with a store of its own, and "
      "a\n"
      "`sweep merge` brings the stores together. The same command again starts only shards that lack something.\n"
      "local     background processes of this machine; waits\n"
      "parallel  GNU parallel, over ssh where --hosts are given; waits\n"
      "slurm     a job array with a shard per task, and a job that merges after it; returns at once\n"
      "All machines must see DIR, the study and the program under the same paths.";
  command.examples =
      "tilescope sweep submit study.yaml --engine local --shards 4 -o study.db\n"
      "tilescope sweep submit study.yaml --engine parallel --shards 64 --hosts 16/node1,16/node2\n"
      "tilescope sweep submit study.yaml --engine slurm --shards 100 --jobs 8 --partition short --time 30 --dry-run";
  command.declare = [](CommandLine& line) {
    line.words = {"STUDY"};
    auto text = [&line](const char* name, const char* value, const char* meaning) {
      line.options.add_options()(name, po::value<std::string>()->value_name(value), meaning);
    };
    line.options.add_options()("engine",
                               po::value<std::string>()->default_value("local")->value_name("local|parallel|slurm"),
                               "what starts the shards");
    text("shards", "N", "parts of the study; more than there are machines, so that none waits long");
    text("jobs", "N", "worker threads of a shard, 1 unless given");
    text("output,o", "STORE", "the merged store; NAME.db of the study's name unless given");
    text("dir", "DIR", "scripts, shards' stores and logs; STORE with .shards for its ending unless given");
    text("program", "PATH", "tilescope where the shards run_sweep_submit; this program's own path unless given");
    text("hosts", "LIST", "parallel: machines, as its --sshlogin takes them: 8/node1,user@node2");
    text("partition", "NAME", "slurm: as sbatch takes it");
    text("time", "TIME", "slurm: limit of a shard, as sbatch takes it");
    line.options.add_options()("sbatch-option", po::value<Words>()->composing()->value_name("OPTION"),
                               "slurm: any option of sbatch, such as --sbatch-option=--mem=2G; may be repeated");
    line.options.add_options()("retry-failed", "compute points again that failed before");
    line.options.add_options()("dry-run", "write the scripts, start nothing");
  };
  command.run = run_sweep_submit;
  return command;
}

}  // namespace tilescope::cli
