#include "gemm_warp.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <int BM, int BN, int BK, int WM, int WN, int VECTOR>
void launch(const Instance& self, const Problem& p, const LaunchOptions& options) {
  gemm_warp<BM, BN, BK, WM, WN, VECTOR>
      <<<self.grid(self, p.m, p.n), self.block>>>(p.a, p.b, p.c, p.m, p.n, p.k, options.group);
}

template <int BM, int BN, int BK, int WM, int WN, int VECTOR>
void add(std::vector<Instance>& table) {
  Instance instance;
  instance.name = "gemm_warp_" + std::to_string(BM) + "x" + std::to_string(BN) + "x" + std::to_string(BK) + "_" +
                  std::to_string(WM) + "x" + std::to_string(WN) + "_v" + std::to_string(VECTOR);
  instance.symbol = reinterpret_cast<const void*>(&gemm_warp<BM, BN, BK, WM, WN, VECTOR>);
  instance.block = dim3((BM / WM) * (BN / WN) * 32);
  instance.multiple_m = BM;
  instance.multiple_n = BN;
  instance.multiple_k = BK;
  instance.takes_group = true;
  instance.grid = &grid_of_tiles;
  instance.launch = &launch<BM, BN, BK, WM, WN, VECTOR>;
  table.push_back(instance);
}

}  // namespace

void add_gemm_warp(std::vector<Instance>& table) {
  add<128, 128, 8, 32, 64, 1>(table);
  add<128, 128, 8, 32, 64, 4>(table);
  add<128, 128, 16, 32, 64, 1>(table);
  add<128, 128, 16, 32, 64, 4>(table);
  add<128, 128, 32, 32, 64, 4>(table);
  add<64, 128, 16, 32, 32, 4>(table);
}

}  // namespace tilescope::gpu
