// tilescope-gpu: runs the kernels of gpu/kernels on this machine's GPU, checks them and times them. CSV on stdout.
#include <cstdio>
#include <stdexcept>

#include "../common/device.h"
#include "run_gemm.h"
#include "run_memory.h"

namespace tilescope::gpu {
namespace {

void list_gemm(const std::vector<Instance>& table) {
  std::printf("kernel,block_x,block_y,multiple_m,multiple_n,multiple_k,registers,static_smem_bytes,symbol\n");
  for (const Instance& i : table) {
    if (i.symbol == nullptr) {  // a library's
      std::printf("%s,,,%d,%d,%d,,,\n", i.name.c_str(), i.multiple_m, i.multiple_n, i.multiple_k);
      continue;
    }
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, i.symbol), "cudaFuncGetAttributes");
    const char* symbol = "";
    check(cudaFuncGetName(&symbol, i.symbol), "cudaFuncGetName");
    std::printf("%s,%u,%u,%d,%d,%d,%d,%zu,%s\n", i.name.c_str(), i.block.x, i.block.y, i.multiple_m, i.multiple_n,
                i.multiple_k, attributes.numRegs, attributes.sharedSizeBytes, symbol);
  }
}

void list_memory(const std::vector<MemoryKernel>& table) {
  for (const MemoryKernel& kernel : table) {
    std::printf("%s: %s\n", kernel.name.c_str(), kernel.help.c_str());
    for (const ParameterInfo& info : kernel.parameters) {
      std::printf("  %-10s default %-10s %s\n", info.name.c_str(), info.default_value.c_str(), info.help.c_str());
    }
  }
}

// Every case, resolved before the first launch. Throws std::invalid_argument with one line for each that is wrong.
struct Plan {
  std::vector<Instance> gemm_table = gemm_instances();
  std::vector<const Instance*> gemm;      // by case; null for a memory kernel
  std::vector<PlannedMemoryCase> memory;  // by case

  explicit Plan(const std::vector<Case>& cases) {
    const std::vector<MemoryKernel> memory_table = memory_kernels();
    std::string problems;
    for (const Case& c : cases) {
      try {
        gemm.push_back(c.gemm ? &find_gemm(gemm_table, c) : nullptr);
        memory.push_back(c.gemm ? PlannedMemoryCase{} : plan_memory(memory_table, c));
      } catch (const std::invalid_argument& error) {
        problems += (problems.empty() ? "" : "\n") + std::string(error.what());
      }
    }
    if (!problems.empty()) {
      throw std::invalid_argument(problems);
    }
  }
};

int run_all(const Options& options) {
  if (options.list == Options::List::kGemm) {
    list_gemm(gemm_instances());
    return 0;
  }
  if (options.list == Options::List::kMemory) {
    list_memory(memory_kernels());
    return 0;
  }
  const Plan plan(options.cases);
  print_header();
  bool good = true;
  for (std::size_t i = 0; i < options.cases.size(); ++i) {
    const Row row = plan.gemm[i] != nullptr ? run_gemm(options.cases[i], *plan.gemm[i], options)
                                            : run_memory(plan.memory[i], options);
    print(row);
    good = good && row.verdict != Verdict::kWrong;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tilescope::gpu

int main(int argc, char** argv) {
  using namespace tilescope::gpu;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  Options options;
  try {
    options = parse_command_line(arguments);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "tilescope-gpu: %s\n%s", error.what(), kUsage);
    return 2;
  }
  try {
    return run_all(options);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "tilescope-gpu: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilescope-gpu: %s\n", error.what());
    return 1;
  }
}
