// tilescope-gpu: runs the kernels of gpu/kernels on this machine's GPU, checks them and times them. CSV on stdout.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "../common/device.h"
#include "cases.h"
#include "reference.h"

namespace tilescope::gpu {
namespace {

std::vector<Instance> all_instances() {
  std::vector<Instance> table;
  add_gemm_naive(table);
  add_gemm_tiled(table);
  add_gemm_register(table);
  return table;
}

const Instance& find(const std::vector<Instance>& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Instance& i) { return i.name == name; });
  if (found == table.end()) {
    throw std::invalid_argument(name + ": no such kernel; 'tilescope-gpu list' prints them");
  }
  return *found;
}

void require_multiples(const Instance& instance, const Case& c) {
  if (c.m % instance.multiple_m != 0 || c.n % instance.multiple_n != 0 || c.k % instance.multiple_k != 0) {
    throw std::invalid_argument(instance.name + ": got " + std::to_string(c.m) + " " + std::to_string(c.n) + " " +
                                std::to_string(c.k) + "; M, N and K must be multiples of " +
                                std::to_string(instance.multiple_m) + ", " + std::to_string(instance.multiple_n) +
                                " and " + std::to_string(instance.multiple_k));
  }
}

void print_list(const std::vector<Instance>& table) {
  std::printf("kernel,block_x,block_y,multiple_m,multiple_n,multiple_k,registers,static_smem_bytes,symbol\n");
  for (const Instance& i : table) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, i.symbol), "cudaFuncGetAttributes");
    const char* symbol = "";
    check(cudaFuncGetName(&symbol, i.symbol), "cudaFuncGetName");
    std::printf("%s,%u,%u,%d,%d,%d,%d,%zu,%s\n", i.name.c_str(), i.block.x, i.block.y, i.multiple_m, i.multiple_n,
                i.multiple_k, attributes.numRegs, attributes.sharedSizeBytes, symbol);
  }
}

struct Timing {
  float median_ms = 0.0f;
  float min_ms = 0.0f;
};

Timing time_launches(const Instance& instance, const Problem& problem, const LaunchOptions& launch,
                     const Options& options) {
  StopWatch watch;
  for (int i = 0; i < options.warmups; ++i) {
    instance.launch(instance, problem, launch);
  }
  std::vector<float> times(options.repeats);
  for (float& ms : times) {
    ms = watch.time_ms([&] { instance.launch(instance, problem, launch); });
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

// Returns whether the result was right (or not looked at).
bool run(const Case& c, const Instance& instance, const Options& options) {
  require_multiples(instance, c);
  DeviceBuffer<float> a(static_cast<std::size_t>(c.m) * c.k);
  DeviceBuffer<float> b(static_cast<std::size_t>(c.k) * c.n);
  DeviceBuffer<float> out(static_cast<std::size_t>(c.m) * c.n);
  fill_random(a.data(), a.count(), options.seed);
  fill_random(b.data(), b.count(), options.seed + 1);
  check(cudaMemset(out.data(), 0xff, out.bytes()), "cudaMemset");  // NaNs: an output left unwritten shows
  const Problem problem{c.m, c.n, c.k, a.data(), b.data(), out.data()};
  const Timing timing = time_launches(instance, problem, {c.group}, options);
  const Agreement agreement = options.check ? compare_with_reference(problem) : Agreement{};
  std::printf("%s,%d,%d,%d,%d,%.6f,%.6f,%.3f,%s,%.3g\n", c.kernel.c_str(), c.m, c.n, c.k, c.group, timing.median_ms,
              timing.min_ms, 2.0 * c.m * c.n * c.k / timing.median_ms * 1e-9,
              !options.check   ? "unchecked"
              : agreement.good ? "ok"
                               : "WRONG",
              agreement.relative_error);
  std::fflush(stdout);
  return !options.check || agreement.good;
}

int run_all(const Options& options) {
  const std::vector<Instance> table = all_instances();
  if (options.list) {
    print_list(table);
    return 0;
  }
  for (const Case& c : options.cases) {  // every mistake in the list shows before the first launch
    require_multiples(find(table, c.kernel), c);
  }
  std::printf("kernel,m,n,k,group,median_ms,min_ms,tflops,result,relative_error\n");
  bool good = true;
  for (const Case& c : options.cases) {
    good = run(c, find(table, c.kernel), options) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tilescope::gpu

int main(int argc, char** argv) {
  using namespace tilescope::gpu;
  Options options;
  try {
    options = parse_command_line({argv + 1, argv + argc});
    return run_all(options);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "tilescope-gpu: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilescope-gpu: %s\n", error.what());
    return 1;
  }
}
