#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli_answer.h"
#include "sim/studies/sweep/store.h"
#include "sim/studies/sweep/study_reader.h"
#include "sim/studies/sweep/submit_known.h"
#include "sim/studies/sweep/submit_scripts.h"
#include "sim/studies/sweep/submit_shell.h"
#include "sim/studies/sweep/submit_start.h"

using namespace tilescope::sweep;

namespace {

namespace fs = std::filesystem;

// A directory with everything in its name that a shell could stumble over.
class HardDirectory {
 public:
  HardDirectory() { fs::create_directories(path_); }
  ~HardDirectory() { fs::remove_all(path_); }
  HardDirectory(const HardDirectory&) = delete;
  HardDirectory& operator=(const HardDirectory&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_ = fs::temp_directory_path() / ("tilescope $HOME it's \"%a\" " + std::to_string(::getpid()));
};

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_program(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_all);
}

// In place of tilescope: appends its arguments to PATH.calls, a line each, in brackets. In shard 2 a point fails.
constexpr const char* kStandIn = R"sh(#!/bin/bash
{ printf '[%s]' "$@"; echo; } >>"$0.calls"
case $* in *--dry-run) echo "tiles: 5 points; 5 stored in x.db, 0 to compute"; exit ;; esac
[ "$2" = run ] && echo a store >"${@: -1}"
case $* in *" 2/"*) exit 1 ;; esac
)sh";

Submission local_submission(const HardDirectory& at) {
  Submission submission;
  submission.name = "tiles";
  submission.program = at / "stand in";
  submission.study = at / "my study.yaml";
  submission.results = at / "results.db";
  submission.directory = at / "shards";
  submission.shards = 3;
  submission.to_start = {1, 2, 3};
  submission.jobs = 2;
  return submission;
}

int lines_with(const std::string& text, const std::string& part) {
  int count = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) count += line.find(part) != std::string::npos ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a word for the shell is quoted where it needs to be") {
  CHECK(shell_word("/tmp/a-b_c.db") == "/tmp/a-b_c.db");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("my studies/$x") == "'my studies/$x'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("~/x") == "'~/x'");
}

TEST_CASE("array indices are written as ranges") {
  CHECK(index_ranges({}).empty());
  CHECK(index_ranges({3}) == "3");
  CHECK(index_ranges({1, 2, 3, 4, 7, 9, 10}) == "1-4,7,9-10");
}

TEST_CASE("the local engine runs every shard and merges, failed points or not, whatever the paths contain") {
  const HardDirectory at;
  write_program(at / "stand in", kStandIn);
  const Submission submission = local_submission(at);
  write_scripts(submission);
  std::ostringstream out;
  CHECK(run_start_script(submission.directory, out) == 0);

  const std::string calls = contents((at / "stand in") + ".calls");
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    CAPTURE(shard);
    const std::string store = submission.directory + "/shard-" + std::string(shard, 1) + ".db";
    CHECK(lines_with(calls, "[sweep][run][" + submission.study + "][--shard][" + shard + "][--jobs][2][-o][" + store +
                                "]") == 1);
    CHECK(contents(submission.directory + "/shard-" + std::string(shard, 1) + ".log").find("of 3 on") !=
          std::string::npos);
  }
  std::string merge = "[sweep][merge][-o][" + submission.results + "]";
  for (const char* shard : {"1", "2", "3"}) merge += "[" + submission.directory + "/shard-" + shard + ".db]";
  CHECK(lines_with(calls, merge + "[--study][" + submission.study + "]") == 1);
}

TEST_CASE("the local engine starts only the shards that lack something, and hands on what merging says") {
  const HardDirectory at;
  write_program(at / "stand in",
                "#!/bin/sh\necho \"$2\" >>\"$0.calls\"; [ \"$2\" = run ] || { echo 1 missing; exit 1; }\n");
  Submission submission = local_submission(at);
  submission.to_start = {2};
  write_scripts(submission);
  std::ostringstream out;
  CHECK(run_start_script(submission.directory, out) == 1);
  CHECK(out.str() == "1 missing\n");
  CHECK(contents((at / "stand in") + ".calls") == "run\nmerge\n");

  submission.to_start = {};
  write_scripts(submission);
  CHECK(run_start_script(submission.directory, out) == 1);
  CHECK(contents((at / "stand in") + ".calls") == "run\nmerge\nmerge\n");
}

TEST_CASE("Slurm gets one array of the shards and a merge after it") {
  const HardDirectory at;
  write_program(at / "sbatch", "#!/bin/bash\n{ printf '[%s]' \"$@\"; echo; } >>\"${0%/*}/calls\"; echo 42\n");
  write_program(at / "squeue", "#!/bin/sh\ncat \"${0%/*}/queue\" 2>/dev/null\n");
  Submission submission = local_submission(at);
  submission.engine = Engine::slurm;
  submission.to_start = {1, 3};
  submission.slurm_options = {"--partition=short", "--comment=two words"};
  write_scripts(submission);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ((at / "") + ":" + path).c_str(), 1);
  std::ostringstream out;
  const int code = run_start_script(submission.directory, out);
  std::ofstream(at / "queue") << "42 PENDING\n";
  const int again = run_start_script(submission.directory, out);
  ::setenv("PATH", path.c_str(), 1);

  CHECK(code == 0);
  const std::string calls = contents(at / "calls");
  CHECK(lines_with(calls,
                   "[--parsable][--partition=short][--comment=two words][--job-name=tilescope-tiles][--array=1,3]"
                   "[--cpus-per-task=2][--requeue]") == 1);
  CHECK(lines_with(calls, "[--dependency=afterok:42][--kill-on-invalid-dep=yes]") == 1);
  CHECK(calls.find("\"%%a\"") != std::string::npos);  // a directory's % is no pattern
  CHECK(out.str().find("Slurm jobs 42,42; the last merges into " + submission.results) != std::string::npos);
  CHECK(again == 1);  // the last submission is still in the queue
}

TEST_CASE("an engine that is not installed is an error with what to install") {
  const HardDirectory at;
  Submission submission = local_submission(at);
  const std::string path = std::getenv("PATH");
  for (const Engine engine : {Engine::parallel, Engine::slurm}) {
    submission.engine = engine;
    write_scripts(submission);
    fs::create_directories(at / "bin");
    for (const char* tool : {"bash", "grep"}) {
      if (!fs::exists((at / "bin/") + tool)) fs::create_symlink(std::string("/bin/") + tool, (at / "bin/") + tool);
    }
    ::setenv("PATH", (at / "bin").c_str(), 1);
    std::ostringstream out;
    const int code = run_start_script(submission.directory, out);
    ::setenv("PATH", path.c_str(), 1);
    CHECK(code == 1);
    CHECK(out.str().empty());
  }
}

namespace {

constexpr const char* kSubmittedStudy =
    "study: tiny\ngpus: [h100]\nkernels: [gemm_naive]\nmode: counts\n"
    "parameters: {M: 32:256:32, N: 32, K: 32}\n";  // 8 points

std::string study_at(const HardDirectory& at) {
  std::ofstream(at / "study.yaml") << kSubmittedStudy;
  return at / "study.yaml";
}

}  // namespace

TEST_CASE("submit refuses what an engine does not take, before it writes anything") {
  const HardDirectory at;
  const std::string study = study_at(at);
  const auto submit = [&](std::vector<std::string> options) {
    std::vector<std::string> words = {"sweep", "submit", study, "-o", at / "tiny.db"};
    words.insert(words.end(), options.begin(), options.end());
    return ask(words);
  };
  CHECK(refused(submit({}), "no --shards N given"));
  CHECK(refused(submit({"--shards", "0"}), "--shards: got '0'; must be a whole number from 1 to 100000"));
  CHECK(refused(submit({"--shards", "2", "--engine", "slrum"}), "did you mean slurm?"));
  CHECK(refused(submit({"--shards", "2", "--hosts", "a,b"}), "--hosts is for --engine parallel; got --engine local"));
  CHECK(refused(submit({"--shards", "2", "--engine", "parallel", "--time", "5"}), "--time is for --engine slurm"));
  CHECK(refused(submit({"--shards", "2", "--engine", "slurm", "--sbatch-option", "mem=2G"}),
                "must be an option of sbatch"));
  CHECK_FALSE(fs::exists(at / "tiny.shards"));
}

TEST_CASE("submit --dry-run writes the scripts and starts nothing") {
  const HardDirectory at;
  const CliAnswer answer = ask({"sweep", "submit", study_at(at), "--shards", "3", "-o", at / "tiny.db", "--dry-run",
                                "--engine", "slurm", "--time", "10"});
  CHECK(answer.code == 0);
  CHECK(answer.out == "tiny: 8 points; 0 stored, 8 to compute in 3 of 3 shards\nnothing started; to start it: " +
                          (at / "tiny.shards/start.sh") + "\n");
  CHECK(contents(at / "tiny.shards/start.sh").find("options=(--time=10)") != std::string::npos);
  CHECK_FALSE(fs::exists(at / "tiny.db"));
}

TEST_CASE("results of earlier submissions are handed out to the shards that lack something") {
  const HardDirectory at;
  const std::string study = study_at(at);
  const GpuFinder gpus = [](const std::string& name) -> tl::expected<std::string, std::string> {
    return TILESCOPE_SOURCE_DIR "/configs/gpus/" + name + ".yaml";
  };
  auto read = read_study(study, gpus);
  REQUIRE(read.has_value());
  const auto plan = make_plan(std::move(*read));
  REQUIRE(plan.has_value());
  Submission submission = local_submission(at);
  submission.results = at / "tiny.db";
  fs::create_directories(submission.directory);

  CHECK(known_work(*plan, submission).incomplete == std::vector<int>{1, 2, 3});
  CHECK(ask({"sweep", "run", study, "--shard", "1/4", "-o", submission.directory + "/shard-1.db"}).code == 0);  // 1, 5
  CHECK(ask({"sweep", "run", study, "--shard", "2/4", "-o", submission.results}).code == 0);                    // 2, 6
  std::ofstream(submission.directory + "/shard-2.db");  // of a program killed before its first result

  const KnownWork known = known_work(*plan, submission);  // shard 1 of 3: 1 4 7, 2: 2 5 8, 3: 3 6
  CHECK(known.stored == 4);
  CHECK(known.merged == 2);
  CHECK(known.failed == 0);
  CHECK(known.incomplete == std::vector<int>{1, 2, 3});
  hand_out_known(*plan, submission, known.incomplete);
  for (const auto& [shard, points] : std::vector<std::pair<int, std::vector<std::size_t>>>{{2, {2, 5}}, {3, {6}}}) {
    CAPTURE(shard);
    const Store store(submission.directory + "/shard-" + std::to_string(shard) + ".db", Store::Access::existing);
    CHECK(store.known().size() == points.size());
    for (const std::size_t point : points) CHECK(store.known().count(plan->points[point - 1].key) == 1);
  }
}
