#include "gemm_register.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <int BM, int BN, int BK, int TM, int TN, int VECTOR>
void launch(const Instance& self, const Problem& p, const LaunchOptions& options) {
  gemm_register<BM, BN, BK, TM, TN, VECTOR>
      <<<self.grid(self, p.m, p.n), self.block>>>(p.a, p.b, p.c, p.m, p.n, p.k, options.group);
}

template <int BM, int BN, int BK, int TM, int TN, int VECTOR>
void add(std::vector<Instance>& table) {
  Instance instance;
  instance.name = "gemm_register_" + std::to_string(BM) + "x" + std::to_string(BN) + "x" + std::to_string(BK) + "_" +
                  std::to_string(TM) + "x" + std::to_string(TN) + "_v" + std::to_string(VECTOR);
  instance.symbol = reinterpret_cast<const void*>(&gemm_register<BM, BN, BK, TM, TN, VECTOR>);
  instance.block = dim3((BM / TM) * (BN / TN));
  instance.multiple_m = BM;
  instance.multiple_n = BN;
  instance.multiple_k = BK;
  instance.takes_group = true;
  instance.grid = &grid_of_tiles;
  instance.launch = &launch<BM, BN, BK, TM, TN, VECTOR>;
  table.push_back(instance);
}

}  // namespace

void add_gemm_register(std::vector<Instance>& table) {
  add<64, 64, 8, 4, 4, 1>(table);
  add<64, 64, 8, 4, 4, 4>(table);
  add<128, 128, 8, 8, 8, 1>(table);
  add<128, 128, 8, 8, 8, 4>(table);
  add<32, 128, 8, 4, 4, 1>(table);
  add<32, 128, 8, 4, 4, 4>(table);
  add<128, 64, 16, 8, 4, 1>(table);
  add<128, 64, 16, 8, 4, 4>(table);
  add<64, 64, 16, 4, 4, 1>(table);
  add<64, 64, 16, 4, 4, 4>(table);
  add<64, 128, 8, 4, 8, 1>(table);
  add<64, 128, 8, 4, 8, 4>(table);
  add<128, 128, 16, 8, 8, 1>(table);
  add<128, 128, 16, 8, 8, 4>(table);
  add<256, 64, 8, 8, 8, 1>(table);
  add<256, 64, 8, 8, 8, 4>(table);
}

}  // namespace tilescope::gpu
