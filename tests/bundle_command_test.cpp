// `tilescope bundle` and `tilescope run DIR`: what a bundle holds, and what its launches come to.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "bundle_files.h"
#include "cli_answer.h"
#include "sim/studies/bundle/bundle_run.h"

using namespace tilescope;
using test::BundleCopy;
using test::small_bundle;

namespace {

bool says(const CliAnswer& answer, const std::string& text) { return answer.out.find(text) != std::string::npos; }

nlohmann::json run_json(std::vector<std::string> more) {
  std::vector<std::string> words{"run", small_bundle, "--format", "json"};
  words.insert(words.end(), more.begin(), more.end());
  const CliAnswer answer = ask(words);
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  return nlohmann::json::parse(answer.out);
}

}  // namespace

TEST_CASE("list tells the program, its launches and how often each was launched") {
  const CliAnswer answer = ask({"bundle", "list", small_bundle});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  CHECK(says(answer, "./app --size 65536\nrecorded on NVIDIA H200 (sm_90)"));
  CHECK(says(answer, "8 launches, 6 of them different, 1 by graphs, 1 that the recorder could not store"));
  CHECK(says(answer, "tilescope::gpu::copy<float4>   1   64 x 1 x 1  256 x 1 x 1      2"));
  const auto json = nlohmann::json::parse(ask({"bundle", "list", small_bundle + "#copy", "--format", "json"}).out);
  REQUIRE(json["launches"].size() == 2);
  CHECK(json["launches"][1]["kernel"] == "void tilescope::gpu::copy<float>(float const*, float*, int)");
  CHECK(json["launches"][0]["calls"] == 2);
}

TEST_CASE("show tells code, attributes, arguments and buffers of the launches that are chosen") {
  const CliAnswer answer = ask({"bundle", "show", small_bundle + "#1"});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  for (const char* text : {"carveout       50", "attribute_12   0x3", "code/copy-1.sass.zst, sm_90, 56 instructions",
                           "m1 + 2097152", "i32 65536", "0x7f12a0000000, 4 MiB"}) {
    CAPTURE(text);
    CHECK_MESSAGE(says(answer, text), answer.out);
  }
  CHECK(says(ask({"bundle", "show", small_bundle + "#5"}), "32 KiB, 16 KiB of contents"));
  CHECK(says(ask({"bundle", "show", small_bundle + "#4"}), "depend on loaded values; the bundle has no contents"));
  CHECK(says(ask({"bundle", "show", small_bundle + "#6"}), "cluster                2 x 1 x 1"));
}

TEST_CASE("check counts what can be simulated and what is refused, by reason") {
  CHECK(says(ask({"bundle", "check", small_bundle}), ": ok\n6 launches can be simulated\n3 of them have addresses"));
  const BundleCopy copy;
  copy.make_unknown(3, "bulk");
  const CliAnswer answer = ask({"bundle", "check", copy.name()});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  CHECK(says(answer, ": ok\n5 launches can be simulated\n2 of them have addresses that depend on values"));
  CHECK(says(answer, "1 launches are refused: unknown opcode: UBLKCQ"));
}

TEST_CASE("needs lists the launches whose addresses are loaded and that have no contents, as the recorder reads them") {
  const CliAnswer answer = ask({"bundle", "needs", small_bundle});
  CHECK(answer.code == 0);
  CHECK(answer.out == "3 bulk\n4 embedding\n6 through_shared\n");
}

TEST_CASE("run simulates every launch, adds up the calls, and says why the others were not simulated") {
  const auto json = run_json({});
  CHECK(json["schema"] == "tilescope.bundle_run/1");
  REQUIRE(json["launches"].size() == 6);
  double program = 0, copies = 0;
  for (const auto& launch : json["launches"]) {
    if (launch["runs"][0]["end"] != "done") continue;
    const double time =
        launch["calls"].get<double>() * launch["runs"][0]["result"]["metrics"]["gpu__time_duration.sum"].get<double>();
    program += time;
    if (launch["id"] == 1 || launch["id"] == 2) copies += time;
  }
  CHECK(json["totals"]["time_ns"][0].get<double>() == doctest::Approx(program));
  CHECK(json["totals"]["launches"] == 6);
  CHECK(json["totals"]["calls"] == 7);
  CHECK(json["kernels"][0]["kernel"] == "copy");
  CHECK(json["kernels"][0]["time_ns"][0].get<double>() == doctest::Approx(copies));
  CHECK(json["not_simulated"].empty());
  const BundleCopy copy;
  copy.make_unknown(3, "bulk");
  const auto without = nlohmann::json::parse(ask({"run", copy.name(), "--format", "json"}).out);
  REQUIRE(without["not_simulated"].size() == 1);
  CHECK(without["not_simulated"][0]["reason"] == "unknown opcode: UBLKCQ");
  CHECK(without["not_simulated"][0]["ids"] == nlohmann::json{3});
  REQUIRE(json["not_stored"].size() == 1);
  CHECK(json["not_stored"][0]["kernel"] == "_Z7missingv");
}

TEST_CASE("a launch of a bundle is a kernel as any other, with the same result") {
  const auto all = run_json({});
  for (const int id : {1, 5}) {
    CAPTURE(id);
    const CliAnswer alone = ask({"run", small_bundle + "#" + std::to_string(id), "--format", "json"});
    REQUIRE_MESSAGE(alone.code == 0, alone.err);
    CHECK(nlohmann::json::parse(alone.out) == all["launches"][id - 1]["runs"][0]["result"]);
  }
  CHECK(ask({"run", small_bundle + "#copy<float4>", "--mode", "counts"}).code == 0);
  CHECK(refused(ask({"run", small_bundle + "#copy", "gemm_tiled"}), "2 launches (1, 2); one launch is"));
  CHECK(refused(ask({"run", small_bundle + "#9"}), "got the launch 9; the bundle has 6 launches"));
  CHECK(refused(ask({"run", small_bundle + "#gemm"}), "no kernel of the bundle has that in its name"));
  CHECK(refused(ask({"run", small_bundle + "#copy", "--by", "line"}), "--by is for one launch"));
}

TEST_CASE("contents decide the addresses that are loaded") {
  const auto json = run_json({"--mode", "counts"});
  const auto sectors = [&](int launch) {
    return json["launches"][launch]["runs"][0]["result"]["metrics"]["lts__t_sectors_op_read.sum"].get<double>();
  };
  CHECK(sectors(4) > 2 * sectors(3));  // without contents every row is row 0
}

TEST_CASE("several GPUs stand side by side, each with the numbers that it has alone") {
  const auto both = run_json({"--gpu", "a100_40", "--gpu", "h200"});
  const auto one = run_json({"--gpu", "a100_40"}), other = run_json({"--gpu", "h200"});
  CHECK(both["gpus"].size() == 2);
  for (std::size_t i = 0; i < both["launches"].size(); ++i) {
    CAPTURE(i);
    CHECK(both["launches"][i]["runs"][0] == one["launches"][i]["runs"][0]);
    CHECK(both["launches"][i]["runs"][1] == other["launches"][i]["runs"][0]);
  }
  const CliAnswer kernels = ask({"run", "copy", "-p", "bytes=65536", "--gpu", "a100_40", "--gpu", "h200"});
  CHECK(kernels.code == 0);
  CHECK(says(kernels, "NVIDIA A100 SXM4 40GB"));
}

TEST_CASE("the answer does not depend on the number of threads") {
  for (const char* format : {"table", "csv", "json"}) {
    CAPTURE(format);
    CHECK(ask({"run", small_bundle, "--threads", "1", "--format", format}).out ==
          ask({"run", small_bundle, "--threads", "4", "--format", format}).out);
  }
}

TEST_CASE("a launch that fails is listed, stops nothing, and makes the exit code 1") {
  const BundleCopy copy;
  copy.change("launches/0002.yaml", "65536", "65536\n  - 3");
  const CliAnswer answer = ask({"run", copy.name()});
  CHECK(answer.code == 1);
  CHECK(says(answer, "failed: args: got 4"));
  CHECK(says(answer, "all that was simulated         5      6"));
  copy.make_unknown(3, "bulk");
  CHECK(ask({"run", copy.name() + "#bulk"}).code == 1);  // nothing could be simulated
}

TEST_CASE("bundles of processes that the program has started are named") {
  const BundleCopy copy;
  std::filesystem::copy(small_bundle, copy.path / "child-77", std::filesystem::copy_options::recursive);
  CHECK(says(ask({"bundle", "list", copy.name()}), "a process that it started: " + copy.name() + "/child-77\n"));
  CHECK(ask({"bundle", "check", copy.name() + "/child-77"}).code == 0);
}

TEST_CASE("a bundle whose recorder was interrupted is read") {
  const BundleCopy copy;
  copy.change("bundle.yaml", "exit: 0\n", "");
  copy.write("launches.yaml", copy.read("launches.yaml") + "- {id: 7, file: launches/00");
  copy.write("order", copy.read("order") + "5 " + std::string(4096, '\0'));
  CliAnswer answer = ask({"bundle", "list", copy.name()});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  CHECK(says(answer, "the recorder was interrupted\n"));
  CHECK(says(answer, "8 launches, 6 of them different"));
  std::filesystem::remove(copy.path / "order");
  answer = ask({"bundle", "list", copy.name()});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  CHECK(says(answer, "6 launches, 6 of them different"));
}

TEST_CASE("problems of launches are counted by what they have in common") {
  const struct {
    std::vector<std::string> messages;
    const char* kind;
  } rows[] = {
      {{"unknown opcode: got 'UTMALDG.2D'; docs", "unknown opcode: got 'SYNCS.EXCH.64'; docs"},
       "unknown opcode: SYNCS, UTMALDG"},
      {{"not executed: got '@!P0 NANOSLEEP.SYNCS 0x98': modifier .SYNCS"}, "not executed: NANOSLEEP"},
      {{"got 'desc[UR32]'; must be an instruction of sm_80 or sm_90"}, "must be an instruction of sm_80 or sm_90"},
      {{"kernel.sass: 'a/b.zst': is damaged: Unknown frame descriptor"},
       "kernel.sass: is damaged: Unknown frame descriptor"},
      {{"the values of 'F2FP R2, R3' are not computed here; x"}, "the values of ... are not computed here"},
      {{"the image is not linked; got one of 2 parts"}, "the image is not linked"},
      {{"a", "b", "c", "d", "e", "f"}, "a; b; c; d; e; ..."},
  };
  for (const auto& row : rows) {
    Diagnostics problems;
    for (const std::string& message : row.messages) problems.push_back({"file", 1, 1, message});
    CHECK(kind_of_problem(problems) == row.kind);
  }
}
