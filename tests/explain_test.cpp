// Planted problems are found first, and what fixes them is proved by running it.
#include "sim/studies/explain/explain.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli_answer.h"
#include "engine_runs.h"
#include "sim/studies/explain/changed_kernel.h"
#include "traces/open_kernel.h"

using namespace tilescope;
using namespace tilescope::explain;
using tilescope::test::gpu;
using tilescope::test::h200;

namespace {

const std::string kPlanted = std::string(TILESCOPE_SOURCE_DIR) + "/traces/samples/sass/planted/";

std::unique_ptr<Kernel> opened(const std::string& name, const ParameterTexts& parameters = {}) {
  auto kernel = open_kernel(name, parameters);
  REQUIRE(kernel.has_value());
  return std::move(*kernel);
}

Explanation explained(const GpuSpec& spec, const Kernel& kernel, bool generator, std::size_t top = 3) {
  ExplainOptions options;
  options.generator = generator;
  options.top = top;
  return explain::explain(spec, kernel, "kernel", options);
}

const Trial* trial(const std::vector<Trial>& trials, const std::string& what) {
  for (const Trial& one : trials)
    if (one.what == what) return &one;
  return nullptr;
}

double cycles(const Explanation& all) { return all.result.metric("gpc__cycles_elapsed.max").value(); }

}  // namespace

TEST_CASE(
    "a column read from a tile without padding: the reading instruction comes first, padding and XOR take it away") {
  const auto kernel = opened(kPlanted + "column_read.yaml");
  const Explanation all = explained(h200(), *kernel, false);
  REQUIRE_FALSE(all.findings.empty());
  const Finding& first = all.findings[0];
  CHECK(first.problem == Problem::bank_conflicts);
  CHECK(first.access == AccessKind::shared_load);
  REQUIRE(first.place.has_value());
  CHECK(first.place->text.starts_with("LDS "));
  CHECK(first.cost == 32 * first.ideal);
  CHECK(first.why.find("128 B apart") != std::string::npos);
  REQUIRE(first.fixes.size() == 2);
  const Trial* padded = trial(first.fixes, "pad rows of 128 B by 4 B");
  REQUIRE(padded != nullptr);
  CHECK(padded->shared_bytes == 128);
  CHECK(padded->verdict == Verdict::worth_it);
  // Measured on an H200 (gpu/measured/h200/train_more.csv, transpose of 1024 x 1024): 14,764 cycles without, 7,580
  // with a padding word.
  CHECK(padded->saved_pct == doctest::Approx(100 * (1 - 7580.0 / 14764)).epsilon(0.1));
  REQUIRE(first.bound.has_value());
  CHECK(first.bound->cycles <= 1.02 * padded->cycles);
}

TEST_CASE(
    "compiled code that says its lines: the conflict is found at the line of source code, and padding takes it away") {
  const auto textbook = opened(kPlanted + "../gemm_tiled.yaml");
  Change planted;  // B's tile, 4 KiB behind A's, is kept by columns
  planted.shared_map = [](std::uint64_t address) {
    if (address < 4096) return address;
    const std::uint64_t word = address / 4 % 1024;
    return 4096 + 4 * (word % 32 * 32 + word / 32) + address % 4;
  };
  const ChangedKernel kernel(*textbook, planted, SharedBanks());
  const Explanation all = explained(gpu("a100_40"), kernel, false);
  REQUIRE_FALSE(all.findings.empty());
  const Finding& first = all.findings[0];
  CHECK(first.problem == Problem::bank_conflicts);
  REQUIRE(first.place.has_value());
  CHECK(first.place->file.ends_with("gemm_tiled.cuh"));
  CHECK(first.place->line == 41);
  CHECK(first.place->text.find("sum +=") != std::string::npos);
  CHECK(first.place->instructions == 32);  // reads of A at this line have no conflict
  REQUIRE(trial(first.fixes, "pad rows of 128 B by 4 B") != nullptr);
  CHECK(trial(first.fixes, "pad rows of 128 B by 4 B")->saved_pct > 50);
}

TEST_CASE("half-used sectors: named with their ideal; for a generator stride 1 is the fix, for compiled code a bound") {
  const auto compiled = explained(h200(), *opened(kPlanted + "half_sectors.yaml"), false);
  const auto generated = explained(h200(), *opened("strided", {{"elements", "524288"}, {"stride", "2"}}), true);
  for (const Explanation& all : {compiled, generated}) {
    REQUIRE_FALSE(all.findings.empty());
    CHECK(all.findings[0].problem == Problem::wasted_sectors);
    CHECK(all.findings[0].cost == 2 * all.findings[0].ideal);
    CHECK(all.findings[0].why.find("50 %") != std::string::npos);
    REQUIRE(all.findings[0].bound.has_value());
    CHECK(all.findings[0].bound->cycles < cycles(all));
  }
  CHECK(compiled.findings[0].fixes.empty());
  REQUIRE(trial(generated.findings[0].fixes, "stride=1") != nullptr);
  CHECK(trial(generated.findings[0].fixes, "stride=1")->verdict == Verdict::worth_it);
}

TEST_CASE("of two problems that one change helps most, the waste is named before the wait for it") {
  const auto kernel = opened("gemm_register", {{"M", "1024"},
                                               {"N", "1024"},
                                               {"K", "128"},
                                               {"bm", "128"},
                                               {"bn", "64"},
                                               {"bk", "16"},
                                               {"tm", "8"},
                                               {"tn", "4"},
                                               {"vector", "1"}});
  const Explanation all = explained(h200(), *kernel, true);
  REQUIRE(all.findings.size() >= 2);
  CHECK(all.findings[0].problem == Problem::wasted_sectors);
  CHECK(all.findings[1].problem == Problem::latency);
  CHECK(all.findings[0].saved_pct() == all.findings[1].saved_pct());
}

TEST_CASE("a raster that makes a small L2 drop B's strips: another order reads HBM once, compiled or generated") {
  const GpuSpec small = gpu("h200", {"l2.size_mib=0.46875", "sm.gpcs=[4,4]", "hbm.bandwidth_gbs=30"});
  const ParameterTexts sizes{{"M", "64"}, {"N", "1536"}, {"K", "128"}, {"tile", "16"}};
  const auto kernel = opened("gemm_tiled", sizes);
  for (const bool generator : {true, false}) {
    CAPTURE(generator);
    const Explanation all = explained(small, *kernel, generator);
    const auto found = std::find_if(all.findings.begin(), all.findings.end(),
                                    [](const Finding& one) { return one.problem == Problem::refetched_lines; });
    REQUIRE(found != all.findings.end());
    CHECK(found->cost > 2 * found->ideal);
    const Trial* column = trial(found->fixes, generator ? "raster=column" : "CTAs column by column");
    REQUIRE(column != nullptr);
    CHECK(column->hbm_read < 0.6 * found->cost);
    CHECK(column->verdict == Verdict::worth_it);
    CHECK(column->cycles < 0.9 * cycles(all));
  }
}

TEST_CASE("registers that hold CTAs off an SM: how many fewer bring another one, and what that brings") {
  const auto kernel = opened("copy", {{"bytes", "16777216"}, {"width", "4"}});
  Change many;
  many.registers_per_thread = 255;
  const ChangedKernel limited(*kernel, many, SharedBanks());
  const Explanation all = explained(h200(), limited, false);
  REQUIRE_FALSE(all.findings.empty());
  CHECK(all.findings[0].problem == Problem::occupancy);
  REQUIRE_FALSE(all.findings[0].fixes.empty());
  CHECK(all.findings[0].fixes[0].what == "128 registers per thread (127 less): 2 CTAs");
  CHECK(all.findings[0].fixes[0].verdict == Verdict::worth_it);
  CHECK(all.findings[0].fixes[0].note.find("spilled") != std::string::npos);
}

TEST_CASE("padding the textbook tiles does not pay: nothing collides, and their wide reads become narrow ones") {
  const auto generated = explained(h200(), *opened("gemm_tiled", {{"M", "128"}, {"N", "128"}, {"K", "256"}}), true);
  const Trial* padded = trial(generated.tried_anyway, "pad_a=1 pad_b=1");
  REQUIRE(padded != nullptr);
  CHECK(padded->verdict == Verdict::slower);
  const auto compiled = explained(h200(), *opened(kPlanted + "../gemm_tiled.yaml"), false);
  for (const Finding& finding : compiled.findings) CHECK(finding.problem != Problem::bank_conflicts);
  padded = trial(compiled.tried_anyway, "pad rows of 128 B by 4 B");
  REQUIRE(padded != nullptr);
  CHECK(padded->verdict != Verdict::worth_it);
}

TEST_CASE("an explanation as JSON and pictures; the same for any number of threads") {
  const auto with = [](const char* format, const char* threads) {
    return ask({"explain", "transpose", "-p", "M=128", "-p", "N=128", "--format", format, "--threads", threads}).out;
  };
  const auto json = nlohmann::json::parse(with("json", "1"));
  CHECK(json["schema"] == "tilescope.explain/1");
  CHECK(json["findings"][0]["problem"] == "bank_conflicts");
  CHECK(json["findings"][0]["example"]["addresses"].size() == 32);
  CHECK(json["findings"][0]["fixes"][0]["how"] == "parameters");
  CHECK(json["result"]["schema"] == "tilescope.result/1");
  CHECK(with("json", "1") == with("json", "2"));
  const std::string svg = with("svg", "1");
  CHECK(svg.find("<svg") != std::string::npos);
  for (const char* word : {"lane 0, bank 0, pass 1<", "lane 7, bank 0, pass 8<", "lane 31, bank 0, pass 32<"})
    CHECK(svg.find(word) != std::string::npos);
}

TEST_CASE("what explain does not take is refused in a sentence") {
  CHECK(refused(ask({"explain", "gemm_tiled", "--top", "0"}), "must be a whole number from 1 to 100"));
  CHECK(refused(ask({"explain", "gemm_tiled", "--format", "csv"}), "must be table, json or svg"));
  CHECK(refused(ask({"explain", "nix"}), "unknown"));
  CHECK(refused(ask({"explain", "gemm_tiled", "-p", "tile=64"}), "must be a whole number from 2 to 32"));
  CHECK(refused(ask({"explain", std::string(TILESCOPE_SOURCE_DIR) + "/tests/data/bundle/small"}), "single launches"));
  CHECK(refused(ask({"explain"}), "KERNEL"));
}
