#include "../common/device.h"
#include "gemm_pipelined.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  constexpr int kShared = PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES>::kSharedBytes;
  const auto kernel = &gemm_pipelined<TYPE, BM, BN, BYTES, WM, WN, STAGES>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "cudaFuncSetAttribute");
  kernel<<<self.grid(self, p.m, p.n), self.block, kShared>>>(static_cast<const char*>(p.packed_a),
                                                             static_cast<const char*>(p.packed_b),
                                                             reinterpret_cast<uint2*>(p.c), p.m, p.n, p.k);
}

// BYTES: of K in a step.
template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES>
void add(std::vector<Instance>& table) {
  constexpr int kStep = BYTES / bytes_of(TYPE);
  Instance instance;
  instance.name = std::string("gemm_pipelined_") + name_of(TYPE) + "_" + std::to_string(BM) + "x" + std::to_string(BN) +
                  "x" + std::to_string(kStep) + "_s" + std::to_string(STAGES);
  instance.symbol = reinterpret_cast<const void*>(&gemm_pipelined<TYPE, BM, BN, BYTES, WM, WN, STAGES>);
  instance.block = dim3(PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES>::kThreads);
  instance.multiple_m = BM;
  instance.multiple_n = BN;
  instance.multiple_k = kStep;
  instance.packed = TYPE;
  instance.grid = &grid_of_tiles;
  instance.launch = &launch<TYPE, BM, BN, BYTES, WM, WN, STAGES>;
  table.push_back(instance);
}

}  // namespace

void add_gemm_pipelined(std::vector<Instance>& table) {
  add<TensorType::kF16, 64, 64, 64, 32, 32, 2>(table);
  add<TensorType::kF16, 64, 64, 128, 32, 32, 4>(table);
  add<TensorType::kF16, 128, 64, 64, 64, 32, 3>(table);
  add<TensorType::kF16, 128, 128, 64, 64, 64, 2>(table);
  add<TensorType::kF16, 128, 128, 64, 64, 64, 4>(table);
  add<TensorType::kF16, 128, 128, 128, 64, 32, 3>(table);
  add<TensorType::kF16, 256, 128, 64, 64, 64, 3>(table);
  add<TensorType::kBf16, 128, 64, 128, 64, 32, 5>(table);
  add<TensorType::kBf16, 128, 128, 64, 64, 64, 5>(table);
  add<TensorType::kBf16, 256, 128, 128, 64, 64, 3>(table);
  add<TensorType::kTf32, 64, 64, 64, 32, 32, 3>(table);
  add<TensorType::kTf32, 128, 64, 128, 64, 32, 4>(table);
  add<TensorType::kTf32, 128, 128, 128, 64, 64, 2>(table);
  add<TensorType::kS8, 64, 64, 64, 32, 32, 5>(table);
  add<TensorType::kS8, 128, 128, 64, 64, 64, 4>(table);
  add<TensorType::kS8, 256, 128, 128, 64, 64, 2>(table);
}

}  // namespace tilescope::gpu
