#include "gemm_naive.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <Lanes kLanes>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  const int fast = kLanes == Lanes::kColumns ? p.n : p.m;
  const int slow = kLanes == Lanes::kColumns ? p.m : p.n;
  const dim3 grid(divide_up(fast, self.block.x), divide_up(slow, self.block.y));
  gemm_naive<kLanes><<<grid, self.block>>>(p.a, p.b, p.c, p.m, p.n, p.k);
}

template <Lanes kLanes>
void add(std::vector<Instance>& table, const char* lanes) {
  for (const dim3 block : {dim3(16, 16), dim3(32, 32), dim3(32, 8)}) {
    Instance instance;
    instance.name = std::string("gemm_naive_") + lanes + "_" + std::to_string(block.x) + "x" + std::to_string(block.y);
    instance.symbol = reinterpret_cast<const void*>(&gemm_naive<kLanes>);
    instance.block = block;
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
