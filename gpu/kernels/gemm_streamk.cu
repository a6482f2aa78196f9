#include <memory>

#include "../common/device.h"
#include "gemm_streamk.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

dim3 grid(const Instance&, int, int) { return multiprocessors(); }

// Lives as long as the program: kernels leave the flags as they found them.
struct Workspace {
  explicit Workspace(std::size_t floats) : partials(floats), flags(multiprocessors()) {
    check(cudaMemset(flags.data(), 0, flags.bytes()), "cudaMemset");
  }
  DeviceBuffer<float> partials;
  DeviceBuffer<unsigned> flags;
};

template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  constexpr int kShared = PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES>::kSharedBytes;
  const auto kernel = &gemm_streamk<TYPE, BM, BN, BYTES, WM, WN, STAGES>;
  static const auto workspace = std::make_unique<Workspace>(static_cast<std::size_t>(BM) * BN * multiprocessors());
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "cudaFuncSetAttribute");
  kernel<<<self.grid(self, p.m, p.n), self.block, kShared>>>(
      static_cast<const char*>(p.packed_a), static_cast<const char*>(p.packed_b), reinterpret_cast<float2*>(p.c),
      reinterpret_cast<float4*>(workspace->partials.data()), workspace->flags.data(), p.m, p.n, p.k);
}

template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES>
void add(std::vector<Instance>& table) {
  constexpr int kStep = BYTES / bytes_of(TYPE);
  Instance instance;
  instance.name = std::string("gemm_streamk_") + name_of(TYPE) + "_" + std::to_string(BM) + "x" + std::to_string(BN) +
                  "x" + std::to_string(kStep) + "_s" + std::to_string(STAGES);
  instance.symbol = reinterpret_cast<const void*>(&gemm_streamk<TYPE, BM, BN, BYTES, WM, WN, STAGES>);
  instance.block = dim3(PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES>::kThreads);
  instance.multiple_m = BM;
  instance.multiple_n = BN;
  instance.multiple_k = kStep;
  instance.packed = TYPE;
  instance.grid = &grid;
  instance.launch = &launch<TYPE, BM, BN, BYTES, WM, WN, STAGES>;
  table.push_back(instance);
}

}  // namespace

void add_gemm_streamk(std::vector<Instance>& table) {
  add<TensorType::kF16, 128, 128, 64, 64, 32, 4>(table);
  add<TensorType::kBf16, 64, 64, 128, 32, 32, 3>(table);
}

}  // namespace tilescope::gpu
