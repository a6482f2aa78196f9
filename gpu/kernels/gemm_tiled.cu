#include "gemm_tiled.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <int T>
dim3 grid(const Instance&, int m, int n) {
  return dim3(divide_up(n, T), divide_up(m, T));
}

template <int T, int kPadA, int kPadB, bool kTransposeA, bool kXor, bool kBounds>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  gemm_tiled<T, kPadA, kPadB, kTransposeA, kXor, kBounds>
      <<<self.grid(self, p.m, p.n), self.block>>>(p.a, p.b, p.c, p.m, p.n, p.k);
}

template <int T, int kPadA, int kPadB, bool kTransposeA, bool kXor, bool kBounds>
Instance instance() {
  Instance result;
  result.name = "gemm_tiled_t" + std::to_string(T) + "_a" + std::to_string(kPadA) + "_b" + std::to_string(kPadB) +
                (kXor          ? "_xor"
                 : kTransposeA ? "_transposed"
                               : "") +
                (kBounds ? "_bounds" : "");
  result.symbol = reinterpret_cast<const void*>(&gemm_tiled<T, kPadA, kPadB, kTransposeA, kXor, kBounds>);
  result.block = dim3(T, T);
  if (!kBounds) {
    result.multiple_m = result.multiple_n = result.multiple_k = T;
  }
  result.grid = &grid<T>;
  result.launch = &launch<T, kPadA, kPadB, kTransposeA, kXor, kBounds>;
  return result;
}

template <int T, bool kBounds>
void add(std::vector<Instance>& table) {
  table.push_back(instance<T, 0, 0, false, false, kBounds>());
  table.push_back(instance<T, 1, 0, false, false, kBounds>());
  table.push_back(instance<T, 1, 1, false, false, kBounds>());
  table.push_back(instance<T, 4, 0, false, false, kBounds>());
  table.push_back(instance<T, 0, 0, true, false, kBounds>());
  table.push_back(instance<T, 1, 0, true, false, kBounds>());
  table.push_back(instance<T, 0, 0, true, true, kBounds>());
}

}  // namespace

void add_gemm_tiled(std::vector<Instance>& table) {
  add<4, false>(table);
  add<8, false>(table);
  add<16, false>(table);
  add<32, false>(table);
  add<4, true>(table);
  add<8, true>(table);
  add<16, true>(table);
  add<32, true>(table);
}

}  // namespace tilescope::gpu
