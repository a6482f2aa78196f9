// `tilescope run --by line|source`.
#include <nlohmann/json.hpp>

#include "cli_answer.h"
#include "sass_runs.h"

using namespace tilescope::test;

namespace {

using Words = std::vector<std::string>;

const Words kSmall = {"run", "gemm_tiled", "-p", "M=64", "-p", "N=64", "-p", "K=64", "-p", "tile=16"};

CliAnswer small(const Words& more) {
  Words words = kSmall;
  words.insert(words.end(), more.begin(), more.end());
  return ask(words);
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// A launch file for a listing with line markers.
std::string launch_with_lines(const SassScratch& scratch) {
  return scratch.write("lines.yaml", "kernel: {sass: " + sass_samples +
                                         "gemm_tiled.sm_80.sass, registers: 32, static_smem: 8192}\n"
                                         "grid: [2, 2]\nblock: [32, 32]\n"
                                         "args: [{buffer: 16KiB}, {buffer: 16KiB}, {buffer: 16KiB}, 64, 64, 64]\n");
}

}  // namespace

TEST_CASE("the lines of a JSON result add up to its metrics") {
  const SassScratch scratch;
  for (const Words& words : {Words{"run", launch_with_lines(scratch), "--by", "source"},
                             Words{"run", launch_with_lines(scratch), "--by", "line"}}) {
    Words all = words;
    all.insert(all.end(), {"--format", "json"});
    const CliAnswer answer = ask(all);
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    const auto json = nlohmann::json::parse(answer.out);
    CHECK(json["schema"] == "tilescope.result/1");
    REQUIRE(json["lines"].size() > 5);
    double samples = 0;
    for (const auto& [metric, whole] : json["lines"][0]["metrics"].items()) {
      CAPTURE(metric);
      REQUIRE(json["metrics"].contains(metric));
      std::uint64_t sum = 0;
      for (const auto& line : json["lines"]) sum += line["metrics"][metric].get<std::uint64_t>();
      CHECK(json["metrics"][metric] == sum);
    }
    for (const auto& line : json["lines"]) {
      samples += line["samples_pct"].get<double>();
      CHECK(line["file"].get<std::string>().ends_with("gemm_tiled.cuh"));
    }
    CHECK(samples == doctest::Approx(100));
  }
}

TEST_CASE("without --by a result has no lines; counts mode knows lines but no stalls") {
  CHECK_FALSE(nlohmann::json::parse(small({"--format", "json"}).out).contains("lines"));
  const auto counted = nlohmann::json::parse(small({"--format", "json", "--by", "line", "--mode", "counts"}).out);
  REQUIRE_FALSE(counted["lines"].empty());
  CHECK_FALSE(counted["lines"][0].contains("stall_cycles"));
  CHECK_FALSE(counted["lines"][0].contains("samples_pct"));
  CHECK(counted["lines"][0]["text"].is_string());
}

TEST_CASE("--top keeps the hottest lines in every format") {
  CHECK(nlohmann::json::parse(small({"--format", "json", "--by", "line", "--top", "3"}).out)["lines"].size() == 3);
  CHECK(lines_in(small({"--format", "csv", "--by", "line", "--top", "3"}).out) == 4);
  const std::string few = small({"--by", "line", "--top", "3"}).out, all = small({"--by", "line"}).out;
  CHECK(lines_in(few) < lines_in(all));
  CHECK(few.find("samples  main reason") != std::string::npos);
  CHECK(all.find("shared_load") != std::string::npos);
  CHECK(few.find("every warp instruction timed") != std::string::npos);
}

TEST_CASE("the CSV of several kernels names them, and every row has all columns") {
  Words words = kSmall;
  words.insert(words.begin() + 2, "gemm_tiled:pad_b=1");
  words.insert(words.end(), {"--by", "line", "--format", "csv"});
  const CliAnswer answer = ask(words);
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  std::istringstream rows(answer.out);
  std::string row;
  std::getline(rows, row);
  CHECK(row.starts_with("kernel,index,address,"));
  const auto commas = std::count(row.begin(), row.end(), ',');
  while (std::getline(rows, row)) CHECK(std::count(row.begin(), row.end(), ',') == commas);
  CHECK(answer.out.find("gemm_tiled:pad_b=1,0,") != std::string::npos);
}

TEST_CASE("wrong wishes for lines are refused with one sentence") {
  CHECK(refused(small({"--by", "lines"}), "unknown by 'lines' (did you mean line?); must be line or source"));
  CHECK(refused(small({"--top", "3"}), "--top needs --by line or --by source"));
  CHECK(refused(small({"--by", "line", "--top", "0"}), "--top: got '0'; must be a whole number, at least 1"));
  CHECK(refused(small({"--by", "line", "--top", "few"}), "--top: got 'few'"));
  CHECK(refused(small({"--by", "source"}), "--by source: 'gemm_tiled' does not say"));
  CHECK(refused(ask({"run", sass_samples + "gemm_naive.yaml", "--by", "source"}), "nvdisasm -hex -g"));
}
