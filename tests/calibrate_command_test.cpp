// `tilescope calibrate` from end to end, on measurements that the simulator made itself with other parameters.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli_answer.h"
#include "models/gpu_spec.h"
#include "models/support/spec_reader.h"
#include "sim/results/metrics.h"
#include "sim/simulate.h"
#include "traces/kernels/registry.h"

using namespace tilescope;

namespace {

using Words = std::vector<std::string>;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A scratch folder with gpu.yaml: an H200 of four SMs with a small L2 and short refreshes, which depend on when a read
// comes; measured values count as assumed.
struct CalibrationScratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tilescope_calibrate_test_" + std::to_string(getpid()));
  CalibrationScratch() {
    std::filesystem::create_directories(path);
    std::string text = contents(TILESCOPE_SOURCE_DIR "/configs/gpus/h200.yaml");
    for (const auto& [from, to] :
         {std::pair{"gpcs: \\[[^\\]]*\\]", "gpcs: [2, 2]"}, std::pair{"size_mib: [^ ]*", "size_mib: 0.25"},
          std::pair{"channels: 48", "channels: 2"}, std::pair{"bandwidth_gbs: 4915", "bandwidth_gbs: 200"},
          std::pair{"\n  latency_ns: [^ ]*", "\n  latency_ns: 135"},
          std::pair{"turnaround_ns: [^ ]*", "turnaround_ns: 15"},
          std::pair{"\n  refresh_ns: [^ ]*", "\n  refresh_ns: 1"},
          std::pair{"overhead_cycles: [^ ]*", "overhead_cycles: 2950"}, std::pair{"# M:", "# A:"}})
      text = std::regex_replace(text, std::regex(from), to);
    write("gpu.yaml", text);
  }
  ~CalibrationScratch() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }
};

struct Case {
  const char* kernel;
  const char* parameters;
};
const std::vector<Case> kCases = {{"pointer_chase", "bytes=8388608;stride=4096;steps=400"},
                                  {"pointer_chase", "bytes=65536;stride=128;steps=600"},
                                  {"pointer_chase", "bytes=128;steps=1"},
                                  {"copy", "bytes=1048576;width=16"},
                                  {"copy", "bytes=65536"}};

// What the simulator says with `truth` in place of the GPU's own values.
std::string made_measurements(const CalibrationScratch& scratch, const std::vector<Override>& truth,
                              const std::vector<Case>& cases = kCases,
                              const std::string& metric = "gpc__cycles_elapsed.max") {
  const GpuSpec gpu = read_spec<GpuSpec>(scratch.file("gpu.yaml"), truth).value();
  std::string text = "kernel,parameters," + metric + "\n";
  for (const Case& one : cases) {
    ParameterTexts parameters;
    std::istringstream parts(one.parameters);
    for (std::string part; std::getline(parts, part, ';');)
      parameters[part.substr(0, part.find('='))] = part.substr(part.find('=') + 1);
    const auto kernel = make_kernel(one.kernel, parameters).value();
    RunOptions options;
    options.sample = Sample::off;
    const RunOutcome outcome = simulate(gpu, *kernel, options);
    const double value = find_metric(metric)->value({gpu, kernel->launch(), outcome});
    text += std::string(one.kernel) + "," + one.parameters + "," + std::to_string(value) + "\n";
  }
  return text;
}

CliAnswer calibrate(const CalibrationScratch& scratch, Words more) {
  Words words{"calibrate",
              "--measured",
              scratch.file("made.csv"),
              "--gpu",
              scratch.file("gpu.yaml"),
              "-o",
              scratch.file("fitted.yaml"),
              "--sample",
              "off"};
  words.insert(words.end(), more.begin(), more.end());
  return ask(words);
}

double fitted_value(const nlohmann::json& json, const std::string& key) {
  for (const auto& parameter : json["parameters"])
    if (parameter["key"] == key) return parameter["after"];
  FAIL("no parameter " << key);
  return 0;
}

}  // namespace

TEST_CASE("the parameters that made the measurements are found again") {
  const CalibrationScratch scratch;
  scratch.write("made.csv", made_measurements(scratch, {{"hbm.latency_ns", "170"},
                                                        {"hbm.turnaround_ns", "25"},
                                                        {"launch.overhead_cycles", "3300"}}));
  const Words three = {"--parameter", "hbm.latency_ns",         "--parameter", "hbm.turnaround_ns",
                       "--parameter", "launch.overhead_cycles", "--format",    "json"};
  const CliAnswer answer = calibrate(scratch, three);
  CAPTURE(answer.err);
  REQUIRE(answer.code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  CHECK(json["schema"] == "tilescope.calibration/1");
  CHECK(fitted_value(json, "hbm.latency_ns") == doctest::Approx(170).epsilon(0.01));
  CHECK(fitted_value(json, "hbm.turnaround_ns") == doctest::Approx(25).epsilon(0.1));
  CHECK(fitted_value(json, "launch.overhead_cycles") == doctest::Approx(3300).epsilon(0.01));
  CHECK(json["error"]["before"]["worst_pct"].get<double>() > 5);
  CHECK(json["error"]["after"]["worst_pct"].get<double>() < 0.5);
  CHECK(json["residuals"].size() == kCases.size());
  CHECK(ask({"config", "check", scratch.file("fitted.yaml")}).code == 0);

  // What the file says is what was fitted, and nothing but the three lines changed.
  std::istringstream before(contents(scratch.file("gpu.yaml"))), after(contents(scratch.file("fitted.yaml")));
  int changed = 0;
  for (std::string a, b; std::getline(before, a) && std::getline(after, b);) {
    if (a == b) continue;
    ++changed;
    CHECK(b.find("# F: fitted to " + scratch.file("made.csv") + " (5 cases), ") != std::string::npos);
  }
  CHECK(changed == 3);
}

TEST_CASE("the report and the file are the same bytes for any number of threads") {
  const CalibrationScratch scratch;
  scratch.write("made.csv", made_measurements(scratch, {{"hbm.latency_ns", "150"}}, {kCases[0], kCases[1], kCases[4]}));
  std::string report, file;
  for (const char* threads : {"1", "2"}) {
    const CliAnswer answer = calibrate(scratch, {"--parameter", "hbm.latency_ns", "--threads", threads});
    REQUIRE(answer.code == 0);
    if (report.empty()) report = answer.out;
    if (file.empty()) file = contents(scratch.file("fitted.yaml"));
    CHECK(answer.out == report);
    CHECK(contents(scratch.file("fitted.yaml")) == file);
  }
}

TEST_CASE("a value beyond its bound is fitted as far as the bound and says so") {
  const CalibrationScratch scratch;
  scratch.write("made.csv", made_measurements(scratch, {{"hbm.latency_ns", "170"}}));
  const CliAnswer answer = calibrate(scratch, {"--parameter", "hbm.latency_ns=100:150", "--format", "json"});
  CAPTURE(answer.err);
  REQUIRE(answer.code == 0);
  const auto parameter = nlohmann::json::parse(answer.out)["parameters"][0];
  CHECK(parameter["after"] == 150);
  CHECK(parameter["at_bound"] == "high");
  CHECK(parameter["interval_95"].is_null());
  CHECK(contents(scratch.file("fitted.yaml")).find("135 -> 150, at its upper bound") != std::string::npos);
}

TEST_CASE("what the measurements do not determine is refused by name, with exit code 1 and no file") {
  const CalibrationScratch scratch;
  const std::vector<Case> near_chases = {{"pointer_chase", "bytes=65536;stride=128;steps=600"},
                                         {"pointer_chase", "bytes=131072;stride=128;steps=600;cached=0"},
                                         {"pointer_chase", "bytes=32768;stride=128;steps=300;cached=0"}};
  scratch.write("made.csv", made_measurements(scratch, {{"crossbar.request_cycles", "120"}}, near_chases));
  const struct {
    Words parameters;
    std::vector<std::string> said;
  } rows[] = {
      {{"crossbar.request_cycles", "crossbar.response_cycles"},
       {": not told apart (", "cycle of crossbar.response_cycles", " of crossbar.request_cycles"}},
      {{"crossbar.request_cycles", "hbm.turnaround_ns"},
       {"hbm.turnaround_ns: no effect", "a copy of much more than L2 holds",
        "what they may determine: --parameter crossbar.request_cycles"}},
      {{"crossbar.request_cycles", "hbm.latency_ns", "hbm.turnaround_ns", "l2.latency_cycles"},
       {"3 measured values for 4 parameters; at least 4 are needed"}},
  };
  for (const auto& row : rows) {
    Words words;
    for (const std::string& key : row.parameters) words.insert(words.end(), {"--parameter", key});
    const CliAnswer answer = calibrate(scratch, words);
    CAPTURE(answer.err);
    CHECK(answer.code == 1);
    CHECK(answer.out.empty());
    for (const std::string& part : row.said) CHECK(answer.err.find(part) != std::string::npos);
    CHECK(!std::filesystem::exists(scratch.file("fitted.yaml")));
  }
}

TEST_CASE("rows without cycles are fitted by their time, and equal launches are simulated once") {
  const CalibrationScratch scratch;
  std::string made = made_measurements(scratch, {{"launch.overhead_cycles", "3300"}}, {{"copy", "bytes=65536"}},
                                       "gpu__time_duration.sum");
  made += made.substr(made.find('\n') + 1);
  scratch.write("made.csv", made);
  const CliAnswer answer = calibrate(scratch, {"--parameter", "launch.overhead_cycles", "--format", "json"});
  CAPTURE(answer.err);
  REQUIRE(answer.code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  CHECK(json["residuals"][1]["metric"] == "gpu__time_duration.sum");
  CHECK(json["cases"] == 1);
  CHECK(json["residuals"].size() == 2);
  CHECK(std::abs(fitted_value(json, "launch.overhead_cycles") - 3300) <= 2);
}

TEST_CASE("--dry-run shows parameters, launches and what is left out, and writes nothing") {
  const CalibrationScratch scratch;
  scratch.write("made.csv", made_measurements(scratch, {}) + "gemm_async_t32_v4,,1000\n");
  const CliAnswer answer =
      calibrate(scratch, {"--parameter", "hbm.latency_ns=90:200", "--dry-run", "--max-instructions", "2000"});
  CAPTURE(answer.err);
  REQUIRE(answer.code == 0);
  for (const char* part : {"hbm.latency_ns", "90 to 200", "a pointer_chase over more than L2 holds",
                           "asynchronous copies are compared as compiled", "more than the 2,000 allowed"})
    CHECK(answer.out.find(part) != std::string::npos);
  CHECK(!std::filesystem::exists(scratch.file("fitted.yaml")));
}

TEST_CASE("calibrate refuses every wrong input with one sentence and no output") {
  const CalibrationScratch scratch;
  scratch.write("made.csv", "kernel,parameters,gpc__cycles_elapsed.max\ncopy,bytes=65536,5000\n");
  scratch.write("gemm_holdout.csv", contents(scratch.file("made.csv")));
  scratch.write("said.csv", "# held-out set\n" + contents(scratch.file("made.csv")));
  scratch.write("unknown.csv", "kernel,gpc__cycles_elapsed.max\nmystery,5000\n");
  const std::string made = scratch.file("made.csv"), out = scratch.file("fitted.yaml");
  const Words whole = {"calibrate", "--measured", made, "-o", out};
  const auto with = [&](Words more) {
    Words words = whole;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const struct {
    Words arguments;
    const char* sentence;
  } rows[] = {
      {{"calibrate"}, "no --measured FILE given"},
      {{"calibrate", "--measured", made}, "no -o FILE given; must name the file for the fitted GPU"},
      {{"calibrate", "--measured", "/no/such.csv", "-o", out}, "/no/such.csv"},
      {{"calibrate", "--measured", scratch.file("gemm_holdout.csv"), "-o", out}, "its name says 'holdout'"},
      {{"calibrate", "--measured", scratch.file("said.csv"), "-o", out},
       "said.csv:1:1: error: its header says 'held-out'"},
      {{"calibrate", "--measured", scratch.file("unknown.csv"), "-o", out}, "no row can be fitted to"},
      {{"calibrate", "--measured", made, "-o", "/no/such/fitted.yaml"}, "cannot write /no/such/fitted.yaml"},
      {with({"--gpu", "h20"}), "unknown GPU 'h20' (did you mean h200?)"},
      {with({"--set", "l2.size_mib=5"}), "--set: not supported, since the fitted file is the GPU's own"},
      {with({"--parameter", "hbm.turnaround"}), "unknown key (did you mean hbm.turnaround_ns?)"},
      {with({"--parameter", "launch.overhead_cycles"}), "measured (configs/gpus/h200.yaml"},
      {with({"--metric", "dram__bytes_red.sum"}), "unknown metric (did you mean dram__bytes_read.sum?)"},
      {with({"--metric", "dram__bytes_read.sum", "--metric", "dram__bytes_read.sum"}), "given more than once"},
      {with({"--max-iterations", "0"}), "--max-iterations: got '0'; must be a whole number from 1 to 1000"},
      {with({"--max-instructions", "-1"}), "--max-instructions: got '-1'"},
      {with({"--threads", "2x"}), "--threads: got '2x'"},
      {with({"--sample", "on"}), "unknown sample 'on'"},
      {with({"--format", "csv"}), "unknown format 'csv'; must be table or json"},
      {with({"--format", "json", "--dry-run"}), "--dry-run prints a table only"},
      {with({"--max-instructions", "1"}), "more than the 1 allowed"},
  };
  const auto old = std::filesystem::current_path();
  std::filesystem::current_path(TILESCOPE_SOURCE_DIR);
  for (const auto& row : rows) {
    const CliAnswer answer = ask(row.arguments);
    CAPTURE(row.sentence);
    CAPTURE(answer.err);
    CHECK(refused(answer, row.sentence));
    CHECK(!std::filesystem::exists(out));
  }
  std::filesystem::current_path(old);
}
