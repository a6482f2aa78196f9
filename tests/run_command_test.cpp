#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli_answer.h"

namespace {

using Words = std::vector<std::string>;

Words small(Words more) {
  Words words{"run", "gemm_tiled", "-p", "M=64", "-p", "N=64", "-p", "K=64"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tilescope_run_test_" + std::to_string(getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

}  // namespace

TEST_CASE("run refuses every wrong input with one sentence and no output") {
  const Scratch scratch;
  const struct {
    Words arguments;
    const char* sentence;
  } rows[] = {
      {{"run"}, "no KERNEL given; tilescope run KERNEL..."},
      {{"run", "gem_tiled"}, "did you mean gemm_tiled?"},
      {{"run", "my_gemm.yaml"}, "my_gemm.yaml: error: cannot be read: No such file or directory"},
      {{"run", "nosuch.tst"}, "nosuch.tst"},
      {small({"--gpu", "h20"}), "unknown GPU 'h20' (did you mean h200?)"},
      {small({"--set", "l2.sise_mib=1"}), "unknown key (did you mean l2.size_mib?)"},
      {small({"--mode", "time"}), "unknown mode 'time'; must be timing or counts"},
      {small({"--sample", "on"}), "unknown sample 'on'"},
      {small({"--format", "xml"}), "unknown format 'xml'; must be table, json or csv"},
      {small({"--threads", "0"}), "--threads: got '0'; must be a whole number from 1 to 1024"},
      {small({"--threads", "2x"}), "--threads: got '2x'"},
      {small({"--threads", "-1"}), "--threads: got '-1'"},
      {small({"-p", "tile=0"}), "tile"},
      {small({"-p", "tiel=8"}), "did you mean tile?"},
      {small({"-p", "tile"}), "must be KEY=VALUE"},
      {small({"--timeline", "x.txt"}), "--timeline: got 'x.txt'; must end in .csv"},
      {small({"--timeline", "x.svg"}), "--timeline FILE.svg needs --sample off"},
      {small({"--timeline", "x.csv", "--timeline-cta", "1"}),
       "--timeline-cta needs --timeline FILE.json or --timeline FILE.svg"},
      {small({"--timeline", "x.svg", "--sample", "off", "--timeline-cta", "100000"}),
       "--timeline-cta: got 100000; must be below"},
      {small({"--timeline", "x.csv", "--mode", "counts"}), "--timeline needs --mode timing"},
      {small({"gemm_naive", "--timeline", "x.csv"}), "--timeline takes one KERNEL, got 2"},
      {small({"--timeline", "/no/such/x.csv"}), "cannot write /no/such/x.csv"},
      {small({"-o", "/no/such/x"}), "cannot write /no/such/x"},
      {{"run", "gemm_tiled:tile"}, "kernel 'gemm_tiled:tile': got 'tile'; must be NAME:KEY=VALUE,KEY=VALUE"},
      {{"run", "gemm_tiled:"}, "must be NAME:KEY=VALUE,KEY=VALUE"},
      {{"run", "gemm_naive", "-p", "block_x=32", "-p", "block_y=33"}, "1056 threads exceeds the limit of 1024 by 32"},
  };
  for (const auto& row : rows) {
    const CliAnswer answer = ask(row.arguments);
    CAPTURE(row.sentence);
    CAPTURE(answer.err);
    CHECK(refused(answer, row.sentence));
  }
}

TEST_CASE("the JSON result keeps its contract") {
  const CliAnswer answer = ask(small({"--format", "json"}));
  CAPTURE(answer.err);
  REQUIRE(answer.code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  CHECK(json["schema"] == "tilescope.result/1");
  CHECK(json["kernel"] == "gemm_tiled");
  CHECK(json["mode"] == "timing");
  CHECK(json["launch"]["grid"] == nlohmann::json{2, 2, 1});
  CHECK(json["launch"]["parameters"]["M"] == "64");
  CHECK(json["metrics"]["gpc__cycles_elapsed.max"].get<double>() > 0);
  CHECK(json["metrics"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 4 * 32 * 2 * 2);
  for (const char* key :
       {"tflops", "arithmetic_intensity", "occupancy_pct", "occupancy_limiter", "bottleneck", "bottleneck_reason"})
    CHECK(json["derived"].contains(key));
  for (const char* key : {"version", "config_hash", "sampled_fraction", "cycles_error_pct", "wall_seconds"})
    CHECK(json["provenance"].contains(key));
  for (const char* key : {"cycles_low", "cycles_high"})  // nothing was left out
    CHECK(json["provenance"][key] == json["metrics"]["gpc__cycles_elapsed.max"]);
  CHECK(json["approximations"] == nlohmann::json::array());
}

TEST_CASE("equal runs give equal bytes, whatever the number of threads; --wall adds what differs") {
  for (const char* mode : {"timing", "counts"}) {
    const Words words = small({"--format", "json", "--mode", mode});
    Words one = words, two = words;
    one.insert(one.end(), {"--threads", "1"});
    two.insert(two.end(), {"--threads", "2"});
    const std::string first = ask(one).out;
    CHECK(first == ask(one).out);
    CHECK(first == ask(two).out);
    CHECK(nlohmann::json::parse(first)["provenance"]["wall_seconds"].is_null());
  }
  const auto timed = nlohmann::json::parse(ask(small({"--format", "json", "--wall"})).out);
  CHECK(timed["provenance"]["wall_seconds"].get<double>() > 0);
}

TEST_CASE("counting leaves out what needs time, instead of calling it zero") {
  const auto json = nlohmann::json::parse(ask(small({"--format", "json", "--mode", "counts"})).out);
  for (const char* name : {"gpc__cycles_elapsed.max", "gpu__time_duration.sum", "sm__warps_active.avg.per_cycle_active",
                           "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"})
    CHECK(!json["metrics"].contains(name));
  for (const char* name : {"tflops", "bottleneck", "dram_read_gbs"}) CHECK(!json["derived"].contains(name));
  CHECK(json["metrics"]["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 48 * 4 * 32 * 2);
}

TEST_CASE("CSV has one value a line and the same numbers as JSON") {
  const auto json = nlohmann::json::parse(ask(small({"--format", "json"})).out);
  std::istringstream lines(ask(small({"--format", "csv"})).out);
  std::string line;
  std::getline(lines, line);
  CHECK(line == "metric,value,unit");
  std::size_t metrics = 0;
  while (std::getline(lines, line)) {
    CHECK(std::count(line.begin(), line.end(), ',') == 2);
    const std::string name = line.substr(0, line.find(','));
    if (!json["metrics"].contains(name)) continue;
    ++metrics;
    CAPTURE(line);
    CHECK(std::stod(line.substr(line.find(',') + 1)) == json["metrics"][name].get<double>());
  }
  CHECK(metrics == json["metrics"].size());
}

TEST_CASE("several kernels stand side by side; one's own parameters replace the shared ones") {
  const Words words = small({"gemm_tiled:tile=16,swizzle=xor", "-p", "tile=8", "--mode", "counts"});
  Words as_json = words;
  as_json.insert(as_json.end(), {"--format", "json"});
  const auto json = nlohmann::json::parse(ask(as_json).out);
  REQUIRE(json.size() == 2);
  CHECK(json[0]["launch"]["parameters"]["tile"] == "8");
  CHECK(json[1]["launch"]["parameters"]["tile"] == "16");
  CHECK(json[1]["launch"]["parameters"]["M"] == "64");
  const std::string table = ask(words).out;
  CHECK(table.find("gemm_tiled  gemm_tiled:tile=16,swizzle=xor\n") != std::string::npos);
  Words as_csv = words;
  as_csv.insert(as_csv.end(), {"--format", "csv"});
  CHECK(ask(as_csv).out.find("\n\"gemm_tiled:tile=16,swizzle=xor\",") != std::string::npos);
}

TEST_CASE("the timeline has every CTA once, as a table or as a trace") {
  const Scratch scratch;
  REQUIRE(ask(small({"--sample", "off", "--timeline", scratch.file("t.csv"), "-o", scratch.file("r.txt")})).code == 0);
  const std::string table = contents(scratch.file("t.csv"));
  CHECK(table.starts_with("cta,sm,start,end\n0,"));
  CHECK(std::count(table.begin(), table.end(), '\n') == 1 + 4);
  REQUIRE(ask(small({"--sample", "off", "--timeline", scratch.file("t.json")})).code == 0);
  const auto trace = nlohmann::json::parse(contents(scratch.file("t.json")));
  int ctas = 0;
  for (const auto& event : trace["traceEvents"])
    ctas += event["ph"] == "X" && event["name"].get<std::string>().starts_with("CTA ") ? 1 : 0;
  CHECK(ctas == 4);
}

TEST_CASE("a refused run leaves no file behind") {
  const Scratch scratch;
  CHECK(ask({"run", "gemm_naive", "-p", "block_x=32", "-p", "block_y=33", "-o", scratch.file("r"), "--timeline",
             scratch.file("t.csv")})
            .code == 2);
  CHECK(std::filesystem::is_empty(scratch.path));
}
