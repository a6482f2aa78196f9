#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli_answer.h"

namespace {

using Words = std::vector<std::string>;
const std::string kLaunches = TILESCOPE_TEST_DATA "/compare/launches.csv";
const std::string kProfile = TILESCOPE_TEST_DATA "/compare/profile.ncu.csv";
const std::string kCycles = "gpc__cycles_elapsed.max";

CliAnswer compare(const std::string& file, Words more) {
  Words words{"compare", "--measured", file};
  words.insert(words.end(), more.begin(), more.end());
  return ask(words);
}

nlohmann::json compare_json(const std::string& file, Words more = {}) {
  more.insert(more.end(), {"--format", "json"});
  const CliAnswer answer = compare(file, more);
  CAPTURE(answer.err);
  REQUIRE((answer.code == 0 || answer.code == 3));
  return nlohmann::json::parse(answer.out);
}

struct ComparisonScratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tilescope_compare_test_" + std::to_string(getpid()));
  ComparisonScratch() { std::filesystem::create_directories(path); }
  ~ComparisonScratch() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

}  // namespace

TEST_CASE("compare predicts what run predicts, and says how far that is from what was measured") {
  const auto json = compare_json(kLaunches);
  CHECK(json["schema"] == "tilescope.compare/1");
  REQUIRE(json["cases"].size() == 1);
  const auto& one = json["cases"][0];
  CHECK(one["case"] == "gemm_tiled_t8_a0_b0_bounds 513x257x129");
  CHECK(one["family"] == "gemm_tiled");
  CHECK(one["line"] == 3);
  const auto run = nlohmann::json::parse(ask({"run", "gemm_tiled", "-p", "M=513", "-p", "N=257", "-p", "K=129", "-p",
                                              "tile=8", "-p", "bounds=1", "--format", "json"})
                                             .out);
  const auto& cycles = one["metrics"][kCycles];
  CHECK(cycles["predicted"] == run["metrics"][kCycles]);
  CHECK(cycles["measured"] == 23599);
  CHECK(cycles["error"].get<double>() == doctest::Approx(100 * (cycles["predicted"].get<double>() / 23599 - 1)));
  CHECK(one["metrics"]["smsp__inst_executed.sum"]["error"] == 0);
  CHECK(!one["metrics"].contains("gpu__time_duration.sum"));  // cycles say it already
  CHECK(json["totals"][kCycles]["cases"] == 1);
  CHECK(json["totals"][kCycles]["mean"].get<double>() == doctest::Approx(std::abs(cycles["error"].get<double>())));
  CHECK(json["unmatched"].size() == 5);
}

TEST_CASE("passes that no address causes are apart from those that addresses cause") {
  const auto json = compare_json(kLaunches, {"--mode", "counts"});
  const auto& metrics = json["cases"][0]["metrics"];
  // Hardware: 148665 wavefronts of shared stores, 3293 of them counted as conflicts. The model: no conflict.
  CHECK(metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]["measured"] == 148665);
  CHECK(metrics["derived.shared_st_wavefronts_less_conflicts"]["measured"] == 148665 - 3293);
  const double share = metrics["derived.shared_st_arbitration_pct"]["measured"].get<double>();
  CHECK(share == doctest::Approx(100.0 * 3293 / 148665));
  CHECK(metrics["derived.shared_st_arbitration_pct"]["predicted"] == 0);
}

TEST_CASE("counts mode compares what needs no time, and does so for a profile without sizes") {
  const auto json = compare_json(kProfile, {"--mode", "counts"});
  REQUIRE(json["cases"].size() == 3);
  for (const auto& one : json["cases"]) {
    CHECK(!one["metrics"].contains(kCycles));
    CHECK(one["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]["error"] == 0);
  }
  CHECK(json["cases"][1]["case"] == "gemm_tiled:K=512,M=512,N=512,pad_a=0,pad_b=0,swizzle=xor,tile=32,transpose_a=0");
  CHECK(json["cases"][1]["kernel"] == "_ZN9tilescope3gpu10gemm_tiledILi32ELi0ELi0ELb1ELb1ELb0EEEvPKfS3_Pfiii");
}

TEST_CASE("timings without counters are compared as time") {
  const ComparisonScratch scratch;
  const std::string file = scratch.file("time.csv",
                                        "kernel,m,n,k,gpu__time_duration.sum,smsp__inst_executed.sum\n"
                                        "gemm_tiled_t8_a0_b0,64,64,64,5000,\n"
                                        "gemm_tiled_t8_a0_b0,64,64,64,10000,\n"
                                        "gemm_tiled_t8_a0_b0,32,32,32,,0\n");
  const auto json = compare_json(file, {"--tolerance", "0.1%"});
  const auto& first = json["cases"][0]["metrics"]["gpu__time_duration.sum"];
  const auto& second = json["cases"][1]["metrics"]["gpu__time_duration.sum"];
  CHECK(first["predicted"] == second["predicted"]);  // one launch, measured twice
  CHECK(first["measured"] == 5000);
  CHECK(json["tolerances"][0]["metric"] == "gpu__time_duration.sum");
  CHECK(json["tolerances"][0]["within"] == false);
  const auto& counted = json["totals"]["smsp__inst_executed.sum"];
  CHECK(counted["undefined"] == 1);  // of a measured 0
  CHECK(!counted.contains("mean"));
  CHECK(json["cases"][2]["metrics"]["smsp__inst_executed.sum"]["error"].is_null());
}

TEST_CASE("the number of threads changes nothing, and the order is the files'") {
  const ComparisonScratch scratch;
  std::string rows = "kernel,m,n,k,gpc__cycles_elapsed.max\n";
  for (const int size : {64, 32, 96, 64, 128}) {
    rows += fmt::format("gemm_tiled_t8_a0_b0,{0},{0},{0},10000\n", size);
  }
  const std::string file = scratch.file("many.csv", rows);
  for (const char* format : {"table", "csv", "json"}) {
    const std::string one = compare(file, {"--threads", "1", "--format", format}).out;
    CHECK(one == compare(file, {"--threads", "3", "--format", format}).out);
  }
  const auto json = compare_json(file);
  REQUIRE(json["cases"].size() == 5);
  for (int i = 0; i < 5; ++i) CHECK(json["cases"][i]["line"] == i + 2);
  CHECK(compare_json(file, {"--max-instructions", "20000"})["left_out"].get<int>() > 0);
}

TEST_CASE("outside the tolerance the exit code is 3, and the figures stand on the standard error") {
  const CliAnswer within = compare(kLaunches, {"--mode", "counts", "--tolerance", "dram__bytes_read.sum=50%"});
  CHECK(within.code == 0);
  CHECK(within.err.empty());
  CHECK(within.out.find("within   dram__bytes_read.sum: mean error ") != std::string::npos);
  const CliAnswer outside =
      compare(kLaunches, {"--mode", "counts", "--tolerance", "smsp__inst_executed.sum=0%", "--tolerance",
                          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum=1%"});
  CHECK(outside.code == 3);
  CHECK(outside.out.find("within   smsp__inst_executed.sum: mean error 0 % of 1 case; must be at most 0") !=
        std::string::npos);
  CHECK(outside.err ==
        "tilescope: outside the asked tolerance:\n"
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum: mean error 1.887 % of 1 case; must be at most 1\n");
}

TEST_CASE("CSV has a line per case and metric with JSON's numbers") {
  const Words words{"--mode", "counts", "--kernels", "gemm_register"};
  const auto json = compare_json(kProfile, words);
  REQUIRE(json["cases"].size() == 1);
  Words as_csv = words;
  as_csv.insert(as_csv.end(), {"--format", "csv"});
  const std::string csv = compare(kProfile, as_csv).out;
  CHECK(csv.starts_with("file,line,case,family,metric,unit,predicted,measured,error,error_unit\n"));
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == json["cases"][0]["metrics"].size() + 1);
  CHECK(csv.find(",gemm_register,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,sector,262144,262144,0,%\n") !=
        std::string::npos);
}

TEST_CASE("stalls stand side by side when asked for; a reason that one side does not know has no value there") {
  const auto json = compare_json(kLaunches, {"--stalls", "--metric", kCycles});
  const auto& stalls = json["cases"][0]["stalls"];
  CHECK(stalls["long_scoreboard"]["measured"] == 12.01);
  CHECK(stalls["long_scoreboard"]["predicted"].get<double>() > 0);
  CHECK(stalls["drain"]["measured"] == 0.09);
  CHECK(stalls["drain"]["predicted"].get<double>() >= 0);
  CHECK(stalls["barrier"]["measured"].is_null());
  CHECK(json["cases"][0]["metrics"].size() == 1);
}

TEST_CASE("JUnit: a suite per judged metric, a test per case, text escaped") {
  const ComparisonScratch scratch;
  const std::string mapping = scratch.file(
      "map.yaml",
      "rules: [{match: 'a.*', kernel: copy, parameters: {bytes: 4096}}, {match: .*, skip: \"<no> & \\\"\"}]");
  const std::string file = scratch.file("x.csv",
                                        "kernel,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\n"
                                        "a<int&>,8\n\"a\"\"b\",7\nz,1\n");
  const CliAnswer answer = compare(file, {"--mapping", mapping, "--mode", "counts", "--format", "junit", "--tolerance",
                                          "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum=1%"});
  CHECK(answer.code == 3);
  const std::string name = "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\"";
  CHECK(answer.out.find("<testsuite name=" + name + " tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">") !=
        std::string::npos);
  CHECK(answer.out.find("name=\"a&lt;int&amp;&gt;\"") != std::string::npos);
  CHECK(answer.out.find("name=\"a&quot;b\"") != std::string::npos);
  CHECK(answer.out.find("<failure message=\"predicted 8, measured 7 request: error +14.29 %; must be at most 1\"/>") !=
        std::string::npos);
  CHECK(answer.out.find("<skipped message=\"skipped: &lt;no&gt; &amp; &quot;\"/>") != std::string::npos);
}

TEST_CASE("compare refuses every wrong input with one sentence and no output") {
  const ComparisonScratch scratch;
  const std::string wrong = scratch.file("wrong.csv", "kernel,gpc__cycles_elapsed.max\nx,1x\n");
  const std::string unknown = scratch.file("unknown.csv", "kernel,gpc__cycles_elapsed.max\nx,1\ny,1\n");
  const std::string bad_map = scratch.file("bad.yaml", "rules: [{match: x, kernle: copy}]");
  const struct {
    Words arguments;
    std::string sentence;
  } rows[] = {
      {{"compare"}, "no --measured FILE given"},
      {{"compare", "--measured", "/no/such.csv"}, "/no/such.csv: error: cannot be read"},
      {{"compare", "--measured", wrong}, "wrong.csv:2:3: error: gpc__cycles_elapsed.max: got '1x'; must be a number"},
      {{"compare", "--measured", unknown},
       "unknown.csv:3:1: error: kernel 'y' can not be compared: no rule of the mapping matches its name"},
      {{"compare", "--measured", kLaunches, "--mapping", "defautl"},
       "unknown mapping 'defautl' (did you mean default?)"},
      {{"compare", "--measured", kLaunches, "--mapping", bad_map}, "unknown key (did you mean kernel?)"},
      {{"compare", "--measured", kLaunches, "--metric", "dram__bytes_raed.sum"},
       "--metric: unknown metric 'dram__bytes_raed.sum' (did you mean dram__bytes_read.sum?)"},
      {{"compare", "--measured", kLaunches, "--tolerance", "5"},
       "--tolerance: got '5'; must be a percentage such as 5%"},
      {{"compare", "--measured", kLaunches, "--tolerance", "-5%"}, "--tolerance: got '-5%'"},
      {{"compare", "--measured", kLaunches, "--tolerance", "=5%"}, "--tolerance: got '=5%'"},
      {{"compare", "--measured", kLaunches, "--tolerance", "cycles=5%"}, "--tolerance: unknown metric 'cycles'"},
      {{"compare", "--measured", kLaunches, "--mode", "counts", "--tolerance", "5%"},
       "--tolerance: no case has cycles or time both predicted and measured"},
      {{"compare", "--measured", kLaunches, "--format", "junit"}, "--format junit needs --tolerance"},
      {{"compare", "--measured", kLaunches, "--format", "xml"}, "unknown format 'xml'"},
      {{"compare", "--measured", kLaunches, "--kernels", "nosuch"},
       "--kernels: got 'nosuch'; no measured kernel's name"},
      {{"compare", "--measured", kLaunches, "--max-instructions", "many"}, "--max-instructions: got 'many'"},
      {{"compare", "--measured", kLaunches, "--max-instructions", "10"}, "every matched launch has more"},
      {{"compare", "--measured", kLaunches, "--threads", "0"}, "--threads: got '0'"},
      {{"compare", "--measured", kLaunches, "--gpu", "h20"}, "unknown GPU 'h20'"},
  };
  for (const auto& row : rows) {
    const CliAnswer answer = ask(row.arguments);
    CAPTURE(row.sentence);
    CAPTURE(answer.err);
    CHECK(refused(answer, row.sentence));
  }
}

TEST_CASE("a launch that the GPU can not hold is listed, not fatal") {
  const ComparisonScratch scratch;
  const std::string file = scratch.file("big.csv",
                                        "kernel,m,n,k,gpc__cycles_elapsed.max\ngemm_naive_col_32x33,64,66,8,1\n"
                                        "gemm_naive_col_8x8,8,8,8,1\n");
  const auto json = compare_json(file);
  CHECK(json["cases"].size() == 1);
  REQUIRE(json["unmatched"].size() == 1);
  CHECK(json["unmatched"][0]["reason"].get<std::string>().find("1056 threads exceeds the limit") != std::string::npos);
}
