#include "gemm_async.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <int T, int VECTOR>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  gemm_async<T, VECTOR><<<self.grid(self, p.m, p.n), self.block>>>(p.a, p.b, p.c, p.m, p.n, p.k);
}

template <int T, int VECTOR>
void add(std::vector<Instance>& table) {
  Instance instance;
  instance.name = "gemm_async_t" + std::to_string(T) + "_v" + std::to_string(VECTOR);
  instance.symbol = reinterpret_cast<const void*>(&gemm_async<T, VECTOR>);
  instance.block = dim3(T, T);
  instance.multiple_m = instance.multiple_n = instance.multiple_k = T;
  instance.grid = &grid_of_tiles;
  instance.launch = &launch<T, VECTOR>;
  table.push_back(instance);
}

}  // namespace

void add_gemm_async(std::vector<Instance>& table) {
  add<16, 1>(table);
  add<16, 4>(table);
  add<32, 1>(table);
  add<32, 4>(table);
}

}  // namespace tilescope::gpu
