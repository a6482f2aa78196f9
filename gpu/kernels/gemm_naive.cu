#include "gemm_naive.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <Lanes kLanes>
dim3 grid(const Instance& self, int m, int n) {
  const int fast = kLanes == Lanes::kColumns ? n : m;
  const int slow = kLanes == Lanes::kColumns ? m : n;
  return dim3(divide_up(fast, self.block.x), divide_up(slow, self.block.y));
}

template <Lanes kLanes>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  gemm_naive<kLanes><<<self.grid(self, p.m, p.n), self.block>>>(p.a, p.b, p.c, p.m, p.n, p.k);
}

template <Lanes kLanes>
void add(std::vector<Instance>& table, const char* lanes) {
  for (const dim3 block : {dim3(16, 16), dim3(32, 32), dim3(32, 8), dim3(8, 32), dim3(64, 4), dim3(128, 1)}) {
    Instance instance;
    instance.name = std::string("gemm_naive_") + lanes + "_" + std::to_string(block.x) + "x" + std::to_string(block.y);
    instance.symbol = reinterpret_cast<const void*>(&gemm_naive<kLanes>);
    instance.block = block;
    instance.grid = &grid<kLanes>;
    instance.launch = &launch<kLanes>;
    table.push_back(instance);
  }
}

}  // namespace

void add_gemm_naive(std::vector<Instance>& table) {
  add<Lanes::kColumns>(table, "col");
  add<Lanes::kRows>(table, "row");
}

}  // namespace tilescope::gpu
