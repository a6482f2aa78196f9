// What mbarriers, bulk copies and clusters cost in time and traffic: a pipeline of tiles, with one warp that copies and
// four that read, on one SM each or for two SMs at once (tests/data/sass/async/async.cu). Counters of an H100.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli_answer.h"
#include "published.h"
#include "sass_runs.h"
#include "sass_text.h"

using namespace tilescope;

namespace {

struct Pipeline {
  int cluster = 1, stages = 4, tiles = 16;
  std::string set = {};  // name=value of the GPU
};

// A box has 64 rows of 128 byte, or half of them.
std::string launch_of(const test::SassScratch& scratch, const Pipeline& one) {
  return scratch.write(
      fmt::format("pipeline_{}_{}.yaml", one.cluster, one.stages),
      fmt::format(
          "kernel: {{sass: {0}async/async.sm_90.sass.zst, elf: {0}async/async.sm_90.elf.zst, name: pipeline_{1}}}\n"
          "grid: [132]\nblock: [160]\ncluster: [{2}]\ndynamic_smem: 40000\nargs: [{{tensor_map: {{buffer: 16MiB, type: "
          "f16, "
          "dims: [64, 131072], strides: [128], box: [64, {3}], swizzle: 128}}}}, {{buffer: 1MiB}}, {4}, {5}, 16]\n",
          test::sass_data, one.cluster == 1 ? "alone" : "pair", one.cluster, 64 / one.cluster, one.tiles, one.stages));
}

std::map<std::string, double> metrics_of(const Pipeline& one, const std::vector<std::string>& more = {}) {
  const test::SassScratch scratch;
  std::vector<std::string> words{"run", launch_of(scratch, one), "--gpu", "h100", "--format", "json"};
  if (!one.set.empty()) words.insert(words.end(), {"--set", one.set});
  words.insert(words.end(), more.begin(), more.end());
  const CliAnswer answer = ask(words);
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  std::map<std::string, double> metrics;
  const auto json = nlohmann::json::parse(answer.out);
  for (const auto& [name, value] : json["metrics"].items())
    if (value.is_number()) metrics[name] = value;
  return metrics;
}

double cycles_of(const Pipeline& one) { return metrics_of(one).at("gpc__cycles_elapsed.max"); }

constexpr const char* kReceived = "l1tex__m_xbar2l1tex_read_sectors.sum";
constexpr const char* kL2Reads = "lts__t_sectors_srcunit_tex_op_read.sum";

}  // namespace

TEST_CASE("a pipeline waits for the memory that its tiles come from, and less with more stages") {
  const double base = cycles_of({});
  CHECK(cycles_of({.set = "hbm.latency_ns=1148"}) > base + 1000);
  CHECK(cycles_of({.stages = 1}) > 1.3 * base);
  CHECK(cycles_of({.stages = 1}) > cycles_of({.stages = 2}));
}

TEST_CASE("every figure of the asynchronous units counts") {
  const double base = cycles_of({.cluster = 2, .stages = 1});
  for (const char* name :
       {"mbarrier_arrival_cycles=400", "mbarrier_wait_cycles=410", "tensor_cycles=780", "box_row_cycles=8.9",
        "read_bytes_per_cycle=10", "cluster_cycles=800", "cluster_barrier_cycles=880"}) {
    CAPTURE(name);
    CHECK(cycles_of({.cluster = 2, .stages = 1, .set = std::string("asynchronous.") + name}) > base + 100);
  }
}

TEST_CASE("a copy's registers, and products of warpgroups beside it, hold a pipeline up") {
  const auto cycles = [](const std::string& launch, const std::string& change) {
    const CliAnswer answer = ask({"run", TILESCOPE_SOURCE_DIR "/gpu/measured/h200/" + launch, "--gpu", "h200", "--set",
                                  "asynchronous." + change, "--format", "json"});
    return nlohmann::json::parse(answer.out)["metrics"]["gpc__cycles_elapsed.max"].get<double>();
  };
  const std::string narrow = "programs/torch_transformer_bf16#17";  // 64 x 64, cuBLAS
  CHECK(cycles(narrow, "busy_bytes_per_cycle=10") > 1.03 * cycles(narrow, "busy_bytes_per_cycle=80"));
  const std::string staged = "pipelined/train#13";
  CHECK(cycles(staged, "operand_cycles=400") > 1.2 * cycles(staged, "operand_cycles=20"));
}

TEST_CASE("multicast copies are read from L2 once for all SMs that they go to") {
  const auto alone = metrics_of({}), pair = metrics_of({.cluster = 2});
  // 132 CTAs take 16 tiles of 256 sectors each.
  CHECK(alone.at(kReceived) == 132 * 16 * 256);
  CHECK(pair.at(kReceived) == 132 * 16 * 256);
  CHECK(pair.at(kL2Reads) == 132 * 16 * 128);  // half, as on an H100
}

TEST_CASE("instructions, and reads that L2 is asked for, do not depend on how they are counted") {
  for (const int cluster : {1, 2}) {
    const auto timed = metrics_of({.cluster = cluster}),
               counted = metrics_of({.cluster = cluster}, {"--mode", "counts"});
    CHECK(timed.at("smsp__inst_executed.sum") == counted.at("smsp__inst_executed.sum"));
    CHECK(timed.at(kReceived) == counted.at(kReceived));
    if (cluster == 2) CHECK(timed.at(kL2Reads) == counted.at(kL2Reads));
  }
}

TEST_CASE("instructions are those that an H100 counted, but for repeated waits") {
  CHECK(metrics_of({.stages = 1, .tiles = 64}).at("smsp__inst_executed.sum") == 2478168);
  CHECK(metrics_of({.stages = 2, .tiles = 64}).at("smsp__inst_executed.sum") == 2479224);
  CHECK(metrics_of({.stages = 4, .tiles = 64}).at("smsp__inst_executed.sum") == 2479356);
}

TEST_CASE("the result does not depend on the number of threads") {
  const test::SassScratch scratch;
  const std::string file = launch_of(scratch, {.cluster = 2});
  CHECK(ask({"run", file, "--gpu", "h100", "--format", "json", "--threads", "1"}).out ==
        ask({"run", file, "--gpu", "h100", "--format", "json", "--threads", "3"}).out);
}

TEST_CASE("bytes that never come end in one sentence, with the place") {
  const test::SassScratch scratch;
  const CliAnswer answer = ask(
      {"run",
       scratch.write("never.yaml",
                     fmt::format("kernel: {{sass: {0}async/async.sm_90.sass.zst, elf: "
                                 "{0}async/async.sm_90.elf.zst, name: load_2d}}\ngrid: [1]\nblock: [64]\n"
                                 "dynamic_smem: 40000\nargs: [{{tensor_map: {{buffer: 1MiB, type: f16, dims: [64, 64], "
                                 "strides: [128], box: [64, 8]}}}}, {{buffer: 1MiB}}, {{bytes: \"{1}\"}}, 4096]\n",
                                 test::sass_data, std::string(56, '0')))});
  CHECK(answer.code != 0);
  CHECK_MESSAGE(answer.err.find("SYNCS.PHASECHK") != std::string::npos, answer.err);
  CHECK_MESSAGE(answer.err.find("deadlock: it waits for a phase of an mbarrier that never ends") != std::string::npos,
                answer.err);
}

TEST_CASE("tensor maps that are none, and boxes that do not fit, end in one sentence") {
  const test::SassScratch scratch;
  const auto said = [&](const std::string& map) {
    return ask({"run",
                scratch.write(
                    "map.yaml",
                    fmt::format(
                        "kernel: {{sass: {0}async/async.sm_90.sass.zst, elf: "
                        "{0}async/async.sm_90.elf.zst, name: load_2d}}\ngrid: [1]\nblock: [64]\ndynamic_smem: 40000\n"
                        "args: [{1}, {{buffer: 1MiB}}, {{bytes: \"{2}\"}}, 4096]\n",
                        test::sass_data, map, std::string(56, '0')))})
        .err;
  };
  const std::string words = "{tensor_map: {buffer: 1MiB, type: f16, dims: [64, 64], strides: [128], ";
  for (const auto& [map, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"{bytes: \"" + std::string(256, '0') + "\"}", "the tensor map holds no address"},
           {"{bytes: \"" + std::string(256, 'f') + "\"}", "the tensor map has 8 dimensions"},
           {words + "box: [12, 8]}}", "a row of the box has 24 byte; must be a multiple of 16"},
           {words + "box: [64, 8], interleave: 16}}", "interleaved tensors are not modelled"},
           {"{tensor_map: {buffer: 1MiB, type: f16, dims: [1024], box: [64]}}", "the tensor map has 1 dimensions"},
           {"{tensor_map: {buffer: 1MiB, type: f32, dims: [256, 256], strides: [1024], box: [256, 256]}}",
            "a box of 262144 byte; shared memory holds 233472"},
       }) {
    CAPTURE(map);
    CHECK_MESSAGE(said(map).find(sentence) != std::string::npos, said(map));
  }
}

TEST_CASE("a barrier that a register names holds who waits at it, and counts, as one named in the code does") {
  const auto run = [](const std::string& barrier, const std::string& mode) {
    const test::SassScratch scratch;
    // The second warp goes round a loop, 64 times, before it comes to the barrier.
    const std::string listing = scratch.write(
        "k.sass", test::sass_text({"S2R R0, SR_TID.X", "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT", "MOV R2, 0x3",
                                   "MOV R1, 0x0", "@!P0 BRA 0x80", "IADD3 R1, R1, 0x1, RZ",
                                   "ISETP.LT.AND P1, PT, R1, 0x40, PT", "@P1 BRA 0x50", barrier, "EXIT"}));
    const std::string launch =
        scratch.write("k.yaml", fmt::format("kernel: {{sass: {}}}\ngrid: [1]\nblock: [64]\nargs: []\n", listing));
    const CliAnswer answer = ask({"run", launch, "--gpu", "h200", "--mode", mode, "--by", "line", "--format", "json"});
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    return nlohmann::json::parse(answer.out);
  };
  for (const char* mode : {"timing", "counts"}) {
    CAPTURE(mode);
    const auto named = run("BAR.SYNC R2, 0x40", mode), immediate = run("BAR.SYNC 0x3, 0x40", mode);
    CHECK(named["metrics"] == immediate["metrics"]);
    CHECK(named["metrics"]["l1tex__data_pipe_lsu_wavefronts.sum"] == 2);
    double of_lines = 0;
    for (const auto& line : named["lines"])
      of_lines += line["metrics"]["l1tex__data_pipe_lsu_wavefronts.sum"].get<double>();
    CHECK(of_lines == 2);
    if (std::string(mode) == "timing")
      CHECK(named["metrics"]["smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"] > 0.5);
  }
}

TEST_CASE("a warp whose lanes are off does not arrive at a barrier") {
  const test::SassScratch scratch;
  // Two of three warps meet, the second after a loop; the third comes by first.
  const std::string listing = scratch.write(
      "k.sass", test::sass_text({"S2R R0, SR_TID.X", "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT", "MOV R1, 0x0",
                                 "ISETP.GE.U32.AND P2, PT, R0, 0x40, PT", "@!P0 BRA 0x90", "@P2 BRA 0x90",
                                 "IADD3 R1, R1, 0x1, RZ", "ISETP.LT.AND P1, PT, R1, 0x40, PT", "@P1 BRA 0x60",
                                 "@!P2 BAR.SYNC 0x3, 0x40", "EXIT"}));
  const std::string launch =
      scratch.write("k.yaml", fmt::format("kernel: {{sass: {}}}\ngrid: [1]\nblock: [96]\nargs: []\n", listing));
  const CliAnswer answer = ask({"run", launch, "--gpu", "h200", "--format", "json"});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  const auto metrics = nlohmann::json::parse(answer.out)["metrics"];
  CHECK(metrics["smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"] > 0.5);
}
