#include "gemm_tensor.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <int BM, int BN, int BK, int WM, int WN>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  gemm_tensor<BM, BN, BK, WM, WN><<<self.grid(self, p.m, p.n), self.block>>>(p.half_a, p.half_b, p.c, p.m, p.n, p.k);
}

template <int BM, int BN, int BK, int WM, int WN>
void add(std::vector<Instance>& table) {
  Instance instance;
  instance.name = "gemm_tensor_" + std::to_string(BM) + "x" + std::to_string(BN) + "x" + std::to_string(BK);
  instance.symbol = reinterpret_cast<const void*>(&gemm_tensor<BM, BN, BK, WM, WN>);
  instance.block = dim3((BM / WM) * (BN / WN) * 32);
  instance.multiple_m = BM;
  instance.multiple_n = BN;
  instance.multiple_k = BK;
  instance.half_inputs = true;
  instance.grid = &grid_of_tiles;
  instance.launch = &launch<BM, BN, BK, WM, WN>;
  table.push_back(instance);
}

}  // namespace

void add_gemm_tensor(std::vector<Instance>& table) {
  add<64, 64, 32, 32, 32>(table);
  add<128, 128, 32, 64, 32>(table);
}

}  // namespace tilescope::gpu
