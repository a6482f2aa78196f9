// A report holds what the other commands answer, digit by digit, and nothing in it can leave its place in the page.
#include <doctest/doctest.h>

#include <map>
#include <numeric>

#include "cli_answer.h"
#include "engine_runs.h"
#include "models/support/diagnostic.h"
#include "sim/cli/report_assets.h"
#include "sim/results/views/result_json.h"
#include "sim/studies/report/comparison_section.h"
#include "sim/studies/report/kernel_section.h"
#include "sim/studies/report/report_document.h"
#include "sim/studies/report/report_page.h"
#include "sim/studies/report/sm_occupancy.h"
#include "sim/studies/report/sweep_section.h"
#include "sweep_files.h"
#include "traces/open_kernel.h"

using namespace tilescope;
using namespace tilescope::report;
using tilescope::test::gpu;
using tilescope::test::h200;
using Json = nlohmann::ordered_json;

namespace {

const std::string kSass = std::string(TILESCOPE_SOURCE_DIR) + "/traces/samples/sass/";

std::unique_ptr<Kernel> opened(const std::string& name, const ParameterTexts& parameters = {}) {
  auto kernel = open_kernel(name, parameters);
  REQUIRE(kernel.has_value());
  return std::move(*kernel);
}

Json section_of(const Kernel& kernel, const std::string& word, Sample sample = Sample::off) {
  KernelOptions options;
  options.sample = sample;
  return kernel_section(h200(), kernel, word, options);
}

std::uint64_t sum(const Json& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0},
                         [](std::uint64_t all, const Json& one) { return all + one.get<std::uint64_t>(); });
}

Json stored_document(const CliAnswer& answer) {
  REQUIRE(answer.code == 0);
  return Json::parse(answer.out);
}

// A store of points (bm, bn, bk) with the cycles and bytes that they say; the best has bm 3, bn 5 and bk 1.
struct Study {
  SweepFolder folder;
  std::string path = folder / "tiles.db";
  static int cycles(int bm, int bn, int bk) { return 999 + (bm - 3) * (bm - 3) + (bn - 5) * (bn - 5) + bk; }

  Study(int wide, int deep) {
    sweep::Store store(path, sweep::Store::Access::create);
    std::vector<sweep::StoredPoint> points;
    std::vector<sweep::StoredResult> results;
    const auto add = [&](const Json& parameters, const std::string& reason, const Json& result) {
      const auto position = static_cast<std::int64_t>(points.size() + 1);
      const std::string key = std::to_string(position);
      points.push_back({"tiles", position, key, "gemm_tiled", "h200", parameters.dump(), "timing", "fast"});
      results.push_back({key, reason.empty(), reason, reason.empty() ? result.dump() : "", 0, "0.1.0"});
    };
    for (int bm = 1; bm <= wide; ++bm)
      for (int bn = 1; bn <= wide; ++bn)
        for (int bk = 1; bk <= deep; ++bk)
          add({{"bm", std::to_string(bm)}, {"bn", std::to_string(bn)}, {"bk", std::to_string(bk)}}, "",
              {{"metrics", {{"gpc__cycles_elapsed.max", cycles(bm, bn, bk)}, {"dram__bytes_read.sum", 64 * bm}}},
               {"derived", Json::object()},
               {"provenance", Json::object()}});
    add({{"bm", "99"}, {"bn", "99"}, {"bk", "1"}}, "a CTA does not fit", {});
    store.set_points(points);
    store.add_results(results);
  }
};

// The value that a column has in a row.
Json value(const Json& section, const std::string& name, std::size_t row) {
  for (const Json& column : section["columns"])
    if (column["name"] == name)
      return column.contains("levels") ? column["levels"][column["index"][row].get<std::size_t>()]
                                       : column["values"][row];
  FAIL("no column " << name);
  return nullptr;
}

constexpr const char* kComparison = R"({
  "schema": "tilescope.compare/1", "measured": ["a.csv"], "gpu": "G", "config_hash": "h", "sm_mhz": 1980,
  "mode": "timing", "sample": "auto",
  "totals": {"gpc__cycles_elapsed.max": {"unit": "cycle", "error_unit": "%", "cases": 2, "equal": 0, "undefined": 0, "mean": 7.25}},
  "cases": [
    {"case": "one", "family": "copy", "metrics": {"gpc__cycles_elapsed.max": {"predicted": 110, "measured": 100, "error": 10.000000000000009}}},
    {"case": "two", "family": "copy", "metrics": {}}],
  "unmatched": []})";

std::string without(std::string text, const std::string& part, const std::string& instead) {
  return text.replace(text.find(part), part.size(), instead);
}

std::string complaint(const std::string& text) {
  try {
    comparison_section("c.json", text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a kernel's section is the result of the same run, digit by digit") {
  const auto kernel = opened("gemm_tiled", {{"M", "128"}, {"N", "96"}, {"K", "64"}});
  RunOptions run;
  run.sample = Sample::off;
  const RunOutcome outcome = simulate(h200(), *kernel, run);
  const Json result = result_json(make_result(h200(), kernel->launch(), run, outcome));
  const Json section = section_of(*kernel, "gemm_tiled");
  CHECK(section["result"].dump() == result.dump());
  CHECK(section["roofline"]["kernels"][0]["flop"] == 2.0 * 128 * 96 * 64);
}

TEST_CASE("what a section shows over time and by line adds up to the launch's counters") {
  const auto kernel = opened(kSass + "gemm_tiled.yaml");
  const Json section = section_of(*kernel, "gemm_tiled.yaml");
  const Json& metrics = section["result"]["metrics"];
  CHECK(sum(section["memory"]["hbm_read_bytes"]) == metrics["dram__bytes_read.sum"]);
  CHECK(sum(section["memory"]["l2_read_sectors"]) == metrics["lts__t_sectors_srcunit_tex_op_read.sum"]);
  const Json& lines = section["lines"];
  CHECK(lines["by"] == "source");
  CHECK(lines["rows"] == lines["of"]);
  CHECK(sum(lines["columns"]["metrics"]["smsp__inst_executed.sum"]) == metrics["smsp__inst_executed.sum"]);
  std::uint64_t samples = 0;
  for (const auto& [reason, cycles] : lines["columns"]["stall_cycles"].items()) samples += sum(cycles);
  CHECK(samples == lines["total_samples"]);
  std::uint64_t held = 0;
  for (const Json& sm : section["sms"]["cta_cycles"]) held += sum(sm);
  std::uint64_t stayed = 0;
  RunOptions run;
  run.sample = Sample::off;
  for (const FinishedCta& cta : simulate(h200(), *kernel, run).timeline)
    stayed += static_cast<std::uint64_t>(cta.end - cta.start);
  CHECK(held == stayed);
}

TEST_CASE("a column read from a tile without padding is a grid of 32 passes over one bank") {
  const Json section = section_of(*opened(kSass + "planted/column_read.yaml"), "column_read");
  const Json& grid = section["accesses"]["grids"][0];
  CHECK(grid["access"] == "shared load");
  CHECK(grid["cost"] == 32 * grid["ideal"].get<double>());
  CHECK(grid["example"]["cost"] == 32);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(grid["example"]["bank"][lane] == grid["example"]["bank"][0]);
    CHECK(grid["example"]["pass"][lane] == lane + 1);
  }
}

TEST_CASE("CTAs are spread over the bins of time in which they stay") {
  const Json sms = sm_occupancy({{0, 0, 50, 0}, {1, 0, 100, 1}, {2, 60, 100, 0}}, 3, 3, 30);
  CHECK(sms["bins"] == 10);
  CHECK(sms["bin_cycles"] == 10);
  CHECK(sms["cta_cycles"][0] == Json{10, 10, 10, 10, 10, 0, 10, 10, 10, 10});
  CHECK(sms["cta_cycles"][1] == Json{10, 10, 10, 10, 10, 10, 10, 10, 10, 10});
  CHECK(sum(sms["cta_cycles"][2]) == 0);
  CHECK(sm_occupancy({}, 3, 3, 30).is_null());
}

TEST_CASE("a study's section has the best point, its front and every point's values") {
  const Study study(8, 1);
  const sweep::Store store(study.path, sweep::Store::Access::existing);
  const Json section = sweep_section("tiles.db", store, {});
  CHECK(section["points"] == 65);
  CHECK(section["shown"] == 64);
  CHECK(section["failures"][0]["reason"] == "a CTA does not fit");
  const std::size_t best = section["best"]["row"];
  CHECK(section["best"]["goal"]["column"] == "gpc__cycles_elapsed.max");
  CHECK(value(section, "bm", best) == 3);
  CHECK(value(section, "bn", best) == 5);
  CHECK(value(section, "gpc__cycles_elapsed.max", best) == Study::cycles(3, 5, 1));
  REQUIRE(section["fronts"].size() == 1);
  CHECK(section["fronts"][0]["rows"].size() == 3);  // fewer bytes: bm of 1 and 2 with the best bn
}

TEST_CASE("a study too large for the page keeps the best of any two values of two parameters") {
  const Study study(12, 12);
  const sweep::Store store(study.path, sweep::Store::Access::existing);
  SweepOptions options;
  options.most_bytes = 12'000;
  const Json section = sweep_section("tiles.db", store, options);
  const std::size_t shown = section["shown"];
  CHECK(section["succeeded"] == 12 * 12 * 12);
  CHECK(shown < 500);
  std::map<std::pair<int, int>, int> best;
  for (std::size_t row = 0; row < shown; ++row) {
    int& one = best.try_emplace({value(section, "bm", row), value(section, "bk", row)}, 1 << 30).first->second;
    one = std::min(one, value(section, "gpc__cycles_elapsed.max", row).get<int>());
  }
  CHECK(best.size() == 12 * 12);
  for (const auto& [place, cycles] : best) CHECK(cycles == Study::cycles(place.first, 5, place.second));
  const std::size_t row = section["best"]["row"];
  CHECK(value(section, "gpc__cycles_elapsed.max", row) == Study::cycles(3, 5, 1));
}

TEST_CASE("a goal that is no column, a store without results") {
  const Study study(2, 1);
  const sweep::Store store(study.path, sweep::Store::Access::existing);
  SweepOptions options;
  options.best = sweep::Goal{"speed", true};
  CHECK_THROWS_WITH_AS(sweep_section("tiles.db", store, options), doctest::Contains("no column 'speed'"),
                       std::invalid_argument);
}

TEST_CASE("a comparison's cases become columns that hold the same numbers") {
  const Json section = comparison_section("c.json", kComparison);
  const Json& cycles = section["cases"]["metrics"]["gpc__cycles_elapsed.max"];
  CHECK(cycles["predicted"] == Json{110, nullptr});
  CHECK(cycles["error"][0].dump() == "10.000000000000009");
  CHECK(section["totals"]["gpc__cycles_elapsed.max"]["mean"].dump() == "7.25");
}

TEST_CASE("a file that is no comparison is refused in one sentence") {
  const std::string good = kComparison;
  CHECK(complaint("{\n  \"schema\": oops}").find("c.json:2:13: error: is no JSON here") == 0);
  CHECK(complaint("").find("c.json:1:1: error: is no JSON here") == 0);
  CHECK(complaint("[]").find("c.json: is no comparison; must be what tilescope compare") == 0);
  CHECK(complaint(without(good, "compare/1", "result/1")).find("c.json: is no comparison") == 0);
  CHECK(complaint(without(good, "\"cases\": [", "\"cases\": 1, \"x\": [")).find("c.json: cases is no list") == 0);
  CHECK(complaint(without(good, "110", "\"110\"")).find("cases[0].metrics.gpc__cycles_elapsed.max.predicted is no") !=
        std::string::npos);
  CHECK(complaint(without(good, "\"family\": \"copy\"", "\"kin\": 1")).find("cases[0] has no 'family'") !=
        std::string::npos);
  CHECK(complaint(std::string(100'000, '[')).find("more than 16 levels of nesting") != std::string::npos);
}

TEST_CASE("nothing that a report holds can end its place in the page or begin an element") {
  const std::string hostile = "</script><script>alert(1)</script><!-- $& \\u003c \xff @TILESCOPE_REPORT@";
  const Json document = {{"text", hostile}};
  const std::string text = json_in_script(document);
  CHECK(text.find('<') == std::string::npos);
  const std::string before = Json::parse(document.dump(-1, ' ', false, Json::error_handler_t::replace))["text"];
  CHECK(Json::parse(text)["text"] == before);
  const std::string page = report_page("<a>@TILESCOPE_REPORT@</a>", document);
  CHECK(page == "<a>" + text + "</a>");
  CHECK_THROWS_AS(report_page("<a></a>", document), std::invalid_argument);
}

TEST_CASE("report: the same document for any number of threads, with the arguments that decide it") {
  const CliAnswer one =
      ask({"report", "gemm_tiled:M=64,N=64,K=64", "--gpu", "h100", "--format", "json", "--threads", "1"});
  const CliAnswer two =
      ask({"report", "gemm_tiled:M=64,N=64,K=64", "--gpu", "h100", "--format", "json", "--threads", "2"});
  const Json document = stored_document(one);
  CHECK(one.out == two.out);
  CHECK(document["schema"] == "tilescope.report/1");
  CHECK(document["arguments"] == Json{"gemm_tiled:M=64,N=64,K=64", "--gpu", "h100"});
  const std::string hash = document["sections"][0]["result"]["provenance"]["config_hash"];
  CHECK(document["gpus"][hash]["memory"].size() == 4);
}

TEST_CASE("report: the page holds the document, or one sentence says what is missing") {
  const CliAnswer answer = ask({"report", "gemm_tiled:M=64,N=64,K=64"});
  if (cli::report_page_asset().empty()) {
    CHECK(refused(answer, "built without the page of reports"));
    CHECK(answer.err.find("install npm") != std::string::npos);
    return;
  }
  const Json document = stored_document(ask({"report", "gemm_tiled:M=64,N=64,K=64", "--format", "json"}));
  CHECK(answer.code == 0);
  const std::string begin = "<script type=\"application/json\" id=\"report\">";
  const std::size_t from = answer.out.find(begin) + begin.size();
  Json shown = Json::parse(answer.out.substr(from, answer.out.find("</script>", from) - from));
  Json metrics = Json::object();
  std::size_t next = 0;
  Json& values = shown["sections"][0]["result"]["metrics"];
  for (const auto& [name, about] : shown["metrics"].items()) {
    if (next < values.size() && !values[next].is_null()) metrics[name] = values[next];
    ++next;
  }
  values = metrics;
  CHECK(shown.dump() == document.dump());
  CHECK(answer.out.size() < 2'000'000);
  CHECK(answer.out.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("report: wrong arguments are refused before any work") {
  CHECK(refused(ask({"report"}), "nothing to report on"));
  CHECK(refused(ask({"report", "no_such.json", "--format", "json"}), "no_such.json"));
  CHECK(refused(ask({"report", "gemm_tiled", "--pareto", "tflops", "--format", "json"}), "--pareto: got 1 goals"));
  CHECK(refused(ask({"report", "gemm_tiles", "--format", "json"}), "did you mean gemm_tiled?"));
  CHECK(refused(ask({"report", "gemm_tiled", "--top", "0", "--format", "json"}), "--top"));
}
