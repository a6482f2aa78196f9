#include "../common/device.h"
#include "gemm_grouped.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES, bool PADDED>
void launch(const Instance& self, const Problem& p, const LaunchOptions& options) {
  constexpr int kShared = PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES, PADDED>::kSharedBytes;
  const auto kernel = &gemm_grouped<TYPE, BM, BN, BYTES, WM, WN, STAGES, PADDED>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "cudaFuncSetAttribute");
  kernel<<<self.grid(self, p.m, p.n), self.block, kShared>>>(
      static_cast<const char*>(p.packed_a), static_cast<const char*>(p.packed_b), reinterpret_cast<uint2*>(p.c), p.m,
      p.n, p.k, options.group);
}

template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES, bool PADDED>
void add(std::vector<Instance>& table) {
  constexpr int kStep = BYTES / bytes_of(TYPE);
  Instance instance;
  instance.name = std::string("gemm_grouped_") + name_of(TYPE) + "_" + std::to_string(BM) + "x" + std::to_string(BN) +
                  "x" + std::to_string(kStep) + "_s" + std::to_string(STAGES) + (PADDED ? "_pad" : "_xor");
  instance.symbol = reinterpret_cast<const void*>(&gemm_grouped<TYPE, BM, BN, BYTES, WM, WN, STAGES, PADDED>);
  instance.block = dim3(PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES, PADDED>::kThreads);
  instance.multiple_m = BM;
  instance.multiple_n = BN;
  instance.multiple_k = kStep;
  instance.packed = TYPE;
  instance.takes_group = true;
  instance.grid = &grid_of_tiles;
  instance.launch = &launch<TYPE, BM, BN, BYTES, WM, WN, STAGES, PADDED>;
  table.push_back(instance);
}

template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES>
void add_forms(std::vector<Instance>& table) {
  add<TYPE, BM, BN, BYTES, WM, WN, STAGES, false>(table);
  add<TYPE, BM, BN, BYTES, WM, WN, STAGES, true>(table);
}

}  // namespace

// Two stages and three of short rows, and long rows.
void add_gemm_grouped(std::vector<Instance>& table) {
  add_forms<TensorType::kF16, 128, 128, 64, 64, 64, 2>(table);
  add_forms<TensorType::kF16, 128, 128, 64, 64, 64, 3>(table);
  add_forms<TensorType::kF16, 128, 128, 128, 64, 32, 3>(table);
}

}  // namespace tilescope::gpu
