// Doubling a latency of h100.yaml changes the cycles of every kernel of the repo that uses it, or docs/sensitivity.md
// says why not: every generator, every sample, every captured launch of kernels written here
// (not of libraries) that is not too large.
// tests/sensitivity_test.cpp holds a part of it in every run.
//
// TILESCOPE_SENSITIVITY_CSV: where a line per parameter and kernel is written to (tools/sensitivity).
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

#include "../sensitivity.h"

using namespace tilescope;

namespace {

// Warp instructions, counted as if every CTA executed as many as the first one.
constexpr std::int64_t kLargest = 250'000, kLargestOfProgram = 100'000;

std::vector<test::Subject> all_subjects() {
  std::vector<test::Subject> subjects = test::small_subjects();
  std::set<std::string> known;
  for (const test::Subject& subject : subjects) known.insert(subject.name);
  const auto add = [&](test::Subject subject) {
    if (known.insert(subject.name).second) subjects.push_back(std::move(subject));
  };
  for (const char* name : {"copy", "gemm_async", "gemm_naive", "gemm_register", "gemm_tensor", "gemm_tiled",
                           "pointer_chase", "reread", "through_shared", "transpose", "triton_vadd"})
    add(test::sample(name));
  // Larger ones, and some of libraries, that use what no other does: device memory that is written, clusters, A in
  // registers, fences, compare-and-swap.
  add(test::generated("copy", {"bytes=67108864"}, "copy_64MiB"));
  for (const auto& [bundle, number] : {std::pair{"pipelined/train", 17},
                                       {"triton/train", 35},
                                       {"programs/torch_scan", 6},
                                       {"programs/torch_topk", 4},
                                       {"programs/cub_scan", 13}})
    add(test::recorded(bundle, number));
  const std::filesystem::path measured = TILESCOPE_SOURCE_DIR "/gpu/measured/h100";
  std::vector<std::string> bundles;
  for (const char* set : {"pipelined/train", "pipelined/holdout", "triton/train", "triton/holdout"})
    bundles.push_back(set);
  for (const char* program : {"bfs", "black_scholes", "graph_step", "histogram", "mandelbrot", "nbody", "stencil",
                              "stores", "triton_dropout", "triton_layernorm", "triton_softmax"})
    if (std::filesystem::exists(measured / "programs" / program)) bundles.push_back(std::string("programs/") + program);
  std::set<std::string> kernels;  // of programs: each once
  for (const std::string& bundle : bundles) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(measured / bundle / "launches"))
      files.push_back(entry.path().filename().string());
    std::sort(files.begin(), files.end());
    const bool program = bundle.rfind("programs/", 0) == 0;
    for (const std::string& file : files) {
      auto kernel = sass::open_launch_file((measured / bundle / "launches" / file).string());
      if (!kernel) continue;  // refused: docs/accuracy/programs.md
      const Launch& launch = (*kernel)->launch();
      if (program && kernels.contains(launch.kernel)) continue;
      try {
        if (launch.grid.count() * instructions_of_cta(**kernel, 0) > (program ? kLargestOfProgram : kLargest)) continue;
      } catch (const std::exception&) {
        continue;
      }
      kernels.insert(launch.kernel);
      add(test::recorded(bundle, std::stoi(file)));
    }
  }
  return subjects;
}

}  // namespace

TEST_CASE("doubling a latency changes every kernel of the repo that uses it") {
  const auto subjects = all_subjects();
  std::vector<std::vector<test::Change>> changes(subjects.size());
  std::atomic<std::size_t> next = 0;
  std::mutex writing;
  std::ofstream out;
  if (const char* path = std::getenv("TILESCOPE_SENSITIVITY_CSV")) out.open(path);
  if (out) out << "parameter,family,kernel,cycles,cycles doubled\n";
  const auto work = [&] {
    for (std::size_t i = next++; i < subjects.size(); i = next++) {
      try {
        changes[i] = test::changes_of(subjects[i], "h100", 1);
      } catch (const std::exception& error) {
        const std::lock_guard guard(writing);
        MESSAGE(subjects[i].name << ": " << error.what());
      }
      const std::lock_guard guard(writing);
      for (const test::Change& change : changes[i])
        out << change.parameter << ',' << change.family << ',' << change.kernel << ',' << change.before << ','
            << change.after << std::endl;
    }
  };
  std::thread other(work);
  work();
  other.join();
  test::check_changes(changes, true);
}
