#include <doctest/doctest.h>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/study_reader.h"
#include "sweep_files.h"

using namespace tilescope;
using namespace tilescope::sweep;

namespace {

tl::expected<std::string, std::string> shipped_gpu(const std::string& name) {
  const std::string path = std::string(TILESCOPE_SOURCE_DIR "/configs/gpus/") + name + ".yaml";
  if (std::filesystem::exists(path)) return path;
  return tl::unexpected("unknown GPU '" + name + "'");
}

tl::expected<Plan, Diagnostics> plan_of(const SweepFolder& folder, const std::string& yaml) {
  auto study = read_study(folder.write("study.yaml", yaml), shipped_gpu);
  if (!study) return tl::unexpected(study.error());
  return make_plan(std::move(*study));
}

Plan planned(const SweepFolder& folder, const std::string& yaml) {
  auto plan = plan_of(folder, yaml);
  if (!plan) FAIL(to_string(plan.error()));
  return std::move(*plan);
}

std::string errors_of(const SweepFolder& folder, const std::string& yaml) {
  const auto plan = plan_of(folder, yaml);
  if (plan) return "";
  std::string errors = to_string(plan.error());
  const std::string path = folder / "";
  for (std::size_t at = errors.find(path); at != std::string::npos; at = errors.find(path))
    errors.erase(at, path.size());
  return errors;
}

// "gemm_tiled h200 tile=32 pad_a=0": of each point, what `names` ask for.
std::vector<std::string> lines_of(const Plan& plan, const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const PlannedPoint& point : plan.points) {
    std::string line =
        plan.study.kernels[point.kernel].label + " " + plan.study.gpus[plan.variants[point.variant].gpu].label;
    for (const std::string& name : names)
      for (const auto& [known, value] : point.parameters)
        if (known == name) line.append(" ").append(name).append("=").append(value);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("a study is every combination, kernel by kernel, the last parameter fastest") {
  const SweepFolder folder;
  const Plan plan = planned(folder,
                            "study: all\n"
                            "gpus: [a100, h200]\n"
                            "kernels:\n"
                            "  - gemm_tiled\n"
                            "  - {kernel: transpose, parameters: {pad: [0, 1]}}\n"
                            "parameters:\n"
                            "  M,N: [64, 128]\n"
                            "  pad_a: 0:2:2\n");
  using Lines = std::vector<std::string>;
  CHECK(lines_of(plan, {"M", "N", "pad_a", "pad"}) == Lines{
                                                          "gemm_tiled a100 M=64 N=64 pad_a=0",
                                                          "gemm_tiled a100 M=64 N=64 pad_a=2",
                                                          "gemm_tiled a100 M=128 N=128 pad_a=0",
                                                          "gemm_tiled a100 M=128 N=128 pad_a=2",
                                                          "gemm_tiled h200 M=64 N=64 pad_a=0",
                                                          "gemm_tiled h200 M=64 N=64 pad_a=2",
                                                          "gemm_tiled h200 M=128 N=128 pad_a=0",
                                                          "gemm_tiled h200 M=128 N=128 pad_a=2",
                                                          "transpose a100 M=64 N=64 pad=0",
                                                          "transpose a100 M=64 N=64 pad=1",
                                                          "transpose a100 M=128 N=128 pad=0",
                                                          "transpose a100 M=128 N=128 pad=1",
                                                          "transpose h200 M=64 N=64 pad=0",
                                                          "transpose h200 M=64 N=64 pad=1",
                                                          "transpose h200 M=128 N=128 pad=0",
                                                          "transpose h200 M=128 N=128 pad=1",
                                                      });
}

TEST_CASE("constraints hold where a kernel has their names, defaults included") {
  const SweepFolder folder;
  const Plan plan = planned(folder,
                            "study: held\n"
                            "kernels: [gemm_register, gemm_naive]\n"
                            "parameters: {bm: [32, 64, 128], 'tm,tn': [[4, 4], [8, 4]]}\n"
                            "constraints:\n"
                            "  - bm*bk <= 2KiB / 4     # bk stays at 8\n"
                            "  - \"kernel == 'gemm_register' ? tm == 4 : 1\"\n"
                            "  - gpu.sm.max_threads == 2048\n");
  CHECK(lines_of(plan, {"bm", "tm", "tn"}) == std::vector<std::string>{"gemm_register h200 bm=32 tm=4 tn=4",
                                                                       "gemm_register h200 bm=64 tm=4 tn=4",
                                                                       "gemm_naive h200"});
}

TEST_CASE("GPU parameters are shown resolved, and a kernel's own values replace the study's") {
  const SweepFolder folder;
  const Plan plan = planned(folder,
                            "study: gpu\n"
                            "mode: counts\n"
                            "sample: off\n"
                            "kernels: [copy, {kernel: copy, parameters: {gpu.l2.size_mib: 25}}]\n"
                            "parameters: {gpu.l2.size_mib: [base, 100]}\n");
  CHECK(plan.study.mode == Mode::counts);
  CHECK(plan.study.sample == Sample::off);
  CHECK(lines_of(plan, {"gpu.l2.size_mib"}) == std::vector<std::string>{"copy h200 gpu.l2.size_mib=58.75",
                                                                        "copy h200 gpu.l2.size_mib=100",
                                                                        "copy h200 gpu.l2.size_mib=25"});
  CHECK(plan.points[0].key != plan.points[1].key);
}

TEST_CASE("a key names what is computed, not how the study says it") {
  const SweepFolder folder;
  const std::string head = "study: a\nmode: counts\nkernels: copy\n";
  const std::string key = planned(folder, head).points[0].key;
  const auto key_of = [&](const std::string& yaml) { return planned(folder, yaml).points[0].key; };
  CHECK(key.size() == 32);
  CHECK(key_of("study: b\nlearns: x\nkernels: [copy]\nmode: counts\ngpus: h200\n") == key);
  CHECK(key_of(head + "parameters: {threads: 256}\n") == key);
  CHECK(key_of(head + "parameters: {gpu.l2.size_mib: base}\n") == key);
  CHECK(key_of(head + "parameters: {threads: 128}\n") != key);
  CHECK(key_of(head + "parameters: {gpu.l2.size_mib: 25}\n") != key);
  CHECK(key_of(head + "parameters: {launch.dynamic_smem_bytes: 1024}\n") != key);
  CHECK(key_of(head + "sample: off\n") != key);
  CHECK(key_of(head + "cache_control: all\n") == key);
  CHECK(key_of(head + "cache_control: none\n") != key);
  CHECK(key_of("study: a\nkernels: copy\n") != key);
  CHECK(key_of(head + "gpus: a100\n") != key);

  const std::filesystem::path gpu = folder / "mine.yaml";
  std::filesystem::copy_file(*shipped_gpu("h200"), gpu);
  CHECK(key_of(head + "gpus: mine.yaml\n") == key);
}

TEST_CASE("a trace and a launch file stand beside the study; their contents are in the key") {
  const SweepFolder folder;
  std::filesystem::copy_file(TILESCOPE_SOURCE_DIR "/traces/samples/tiny.tst", folder / "one.tst");
  std::filesystem::copy_file(TILESCOPE_SOURCE_DIR "/traces/samples/gemm_tiled.tst", folder / "two.tst");
  const Plan plan =
      planned(folder, "study: files\nkernels: [one.tst, two.tst, " TILESCOPE_SOURCE_DIR
                      "/traces/samples/sass/gemm_naive.yaml]\nparameters: {gpu.clock.sm_mhz: [1000, 2000]}\n");
  REQUIRE(plan.points.size() == 6);
  CHECK(plan.points[0].key != plan.points[2].key);
  CHECK(plan.points[0].parameters == decltype(PlannedPoint::parameters){{"gpu.clock.sm_mhz", "1000"}});
  std::filesystem::copy_file(folder / "two.tst", folder / "one.tst", std::filesystem::copy_options::overwrite_existing);
  CHECK(planned(folder, "study: files\nkernels: one.tst\nparameters: {gpu.clock.sm_mhz: 1000}\n").points[0].key ==
        plan.points[2].key);
}

TEST_CASE("shards share the points out, each with a similar mix") {
  std::vector<int> owners(10, 0);
  for (std::size_t i = 1; i <= 3; ++i)
    for (std::size_t point = 0; point < owners.size(); ++point)
      if (Shard{i, 3}.has(point)) ++owners[point];
  CHECK(owners == std::vector<int>(10, 1));
  CHECK(Shard{2, 3}.has(1));
  CHECK(Shard{}.has(7));
}

TEST_CASE("every mistake of a study comes in one run, with its place") {
  const SweepFolder folder;
  CHECK(
      errors_of(folder,
                "study: Tile Raster\n"
                "lerns: nothing\n"
                "mode: count\n"
                "gpus: [h20, h200, h200]\n"
                "kernels: [gemm_tilde, gemm_tiled, {kernel: gemm_register, parametres: {}}, {}]\n"
                "parameters:\n"
                "  tile: [16, 64]\n"
                "  pad_a: 4:0:1\n"
                "  swizzle: [none, xro]\n"
                "  gpu.l2.sise_mib: 25\n"
                "  gpu.l2.size_mib: [25, 0]\n"
                "  launch.smem: 4\n"
                "  N: []\n"
                "  bm,bn: [[64, 64, 64], [x, 64]]\n"
                "  bn: [128, 128]\n"
                "constraints: [tile <=, 'tile * 2 <= 64 &', bn < 3]\n") ==
      "study.yaml:1:8: error: study: got 'Tile Raster'; must be a name of at most 60 letters a-z, digits, _ and -\n"
      "study.yaml:2:1: error: lerns: unknown key (did you mean learns?); must be study, learns, mode, sample, "
      "cache_control, gpus, kernels, parameters or constraints\n"
      "study.yaml:3:7: error: mode: got 'count'; must be timing or counts (did you mean counts?)\n"
      "study.yaml:4:8: error: gpus: unknown GPU 'h20'\n"
      "study.yaml:4:19: error: gpus: 'h200' is given twice\n"
      "study.yaml:5:11: error: kernels: unknown kernel 'gemm_tilde' (did you mean gemm_tiled?); must be gemm_naive, "
      "gemm_tiled, gemm_register, gemm_warp, gemm_async, gemm_tensor, pointer_chase, reread, copy, strided, transpose, "
      "a launch file (.yaml) or a trace "
      "(.tst)\n"
      "study.yaml:5:59: error: kernels: parametres: unknown key (did you mean parameters?); must be kernel, parameters "
      "or constraints\n"
      "study.yaml:5:76: error: kernels: kernel: missing; must be a kernel's name or file\n"
      "study.yaml:7:14: error: parameters.tile: gemm_tiled: got '64'; must be a whole number from 2 to 32\n"
      "study.yaml:8:10: error: parameters.pad_a: impossible range '4:0:1': start 4 must not be above stop 0\n"
      "study.yaml:9:19: error: parameters.swizzle: gemm_tiled: got 'xro'; must be none or xor (did you mean xor?)\n"
      "study.yaml:10:3: error: parameters.gpu.l2.sise_mib: the GPU has no such parameter (did you mean "
      "gpu.l2.size_mib?)\n"
      "study.yaml:11:25: error: parameters.gpu.l2.size_mib: got '0'; must be a number from 0.125 to 4096 MiB\n"
      "study.yaml:12:3: error: parameters.launch.smem: a launch has no such parameter; it has "
      "launch.dynamic_smem_bytes and launch.registers_per_thread\n"
      "study.yaml:13:6: error: parameters.N: got an empty list; must hold at least one value\n"
      "study.yaml:14:11: error: parameters.bm,bn: got 3 values; must be 2, one for each name\n"
      "study.yaml:15:13: error: parameters.bn: '128' is given twice\n"
      "study.yaml:16:22: error: constraints: in the formula 'tile <=': the formula ends where a number, a name or '(' "
      "is expected\n"
      "study.yaml:16:40: error: constraints: in the formula 'tile * 2 <= 64 &': unexpected '&'; must be an operator or "
      "the end\n");
  CHECK(errors_of(folder,
                  "study: a\n"
                  "kernels:\n"
                  "  - kernel: gemm_tiled\n"
                  "    parameters: {bm: 64}\n"
                  "    constraints: bm < 3\n"
                  "  - nosuch.yaml\n"
                  "parameters: {l2.size_mib: 3, vectr: 4, M: 64}\n")
            .find("study.yaml:4:18: error: parameters.bm: gemm_tiled has no such parameter") == 0);
  CHECK(
      errors_of(folder, "study: a\nkernels: copy\nparameters: {l2.size_mib: 3, byts: 4}\n") ==
      "study.yaml:3:14: error: parameters.l2.size_mib: no kernel of the study has it (did you mean gpu.l2.size_mib?)\n"
      "study.yaml:3:30: error: parameters.byts: no kernel of the study has it (did you mean bytes?)\n");
  CHECK(errors_of(folder, "study: a\nkernels: copy\nconstraints: [bytes < tile, \"threads * gpu.l2 > 0\"]\n") ==
        "study.yaml:3:23: error: constraints: in the formula 'bytes < tile': tile: no kernel of the study has it\n"
        "study.yaml:3:40: error: constraints: in the formula 'threads * gpu.l2 > 0': gpu.l2: the GPU has no such "
        "parameter\n");
  CHECK(errors_of(folder, "study: a\nkernels: gemm_tiled\nconstraints: swizzle * 2 > 1\n") ==
        "study.yaml:3:14: error: constraints: in the formula 'swizzle * 2 > 1': got 'none'; must be a number here\n");
  CHECK(errors_of(folder, "study: a\nkernels: copy\nconstraints: bytes < 4\n") ==
        "study.yaml: error: has no point: no combination of values meets the constraints\n");
  CHECK(errors_of(folder, "study: a\nkernels: copy\nparameters: {bytes: 4:4096:4, threads: 1:1024:1}\n") ==
        "study.yaml: error: has 1048576 points; must have at most 1000000\n");
  CHECK(errors_of(folder, "- a\n") == "study.yaml:1:1: error: got a list; must be a map of keys\n");
  CHECK(errors_of(folder, "study: a\n") == "study.yaml:1:1: error: kernels: missing; must be a list of kernels\n");
}
