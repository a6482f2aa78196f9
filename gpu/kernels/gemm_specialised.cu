#include <algorithm>

#include "../common/device.h"
#include "../common/tensor_map.h"
#include "gemm_specialised.cuh"
#include "instances.h"

namespace tilescope::gpu {
namespace {

__global__ void say_whether_compiled(int* compiled) {
#ifdef TILESCOPE_SM90A
  *compiled = 1;
#else
  *compiled = 0;
#endif
}

// One CTA per tile, or as many as there are SMs, in whole clusters; how many SMs a GPU without Hopper's code has does
// not matter.
template <int BM, int BN, int CLUSTER, bool PERSISTENT>
dim3 grid(const Instance&, int m, int n) {
  const int tiles = m / BM * (n / BN);
  return PERSISTENT ? std::min(tiles, multiprocessors() / CLUSTER * CLUSTER) : tiles;
}

template <TensorType TYPE, int BM, int BN, int STAGES, int GROUPS, int CLUSTER>
void launch(const Instance& self, const Problem& p, const LaunchOptions&) {
  using Tile = SpecialisedTile<TYPE, BM, BN, STAGES, GROUPS, CLUSTER>;
  const auto kernel = &gemm_specialised<TYPE, BM, BN, STAGES, GROUPS, CLUSTER>;
  const auto type = TYPE == TensorType::kF16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const CUtensorMap a_map = matrix_map(p.packed_a, p.m, p.k, BM, Tile::kStep, 128, type);
  const CUtensorMap b_map = matrix_map(p.packed_b, p.n, p.k, BN / CLUSTER, Tile::kStep, 128, type);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kSharedBytes),
        "cudaFuncSetAttribute");
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = CLUSTER;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = self.grid(self, p.m, p.n);
  config.blockDim = self.block;
  config.dynamicSmemBytes = Tile::kSharedBytes;
  config.attrs = &attribute;
  config.numAttrs = CLUSTER > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, a_map, b_map, reinterpret_cast<float2*>(p.c), p.m, p.n, p.k),
        "cudaLaunchKernelEx");
}

template <TensorType TYPE, int BM, int BN, int STAGES, int GROUPS, int CLUSTER = 1, bool PERSISTENT = false>
void add(std::vector<Instance>& table) {
  using Tile = SpecialisedTile<TYPE, BM, BN, STAGES, GROUPS, CLUSTER>;
  Instance instance;
  instance.name = std::string("gemm_specialised_") + name_of(TYPE) + "_" + std::to_string(BM) + "x" +
                  std::to_string(BN) + "_s" + std::to_string(STAGES) + "_g" + std::to_string(GROUPS) +
                  (CLUSTER > 1 ? "_c" + std::to_string(CLUSTER) : "") + (PERSISTENT ? "_p" : "");
  instance.symbol = reinterpret_cast<const void*>(&gemm_specialised<TYPE, BM, BN, STAGES, GROUPS, CLUSTER>);
  instance.block = dim3(Tile::kThreads);
  instance.multiple_m = BM * CLUSTER;
  instance.multiple_n = BN;
  instance.multiple_k = Tile::kStep;
  instance.packed = TYPE;
  instance.hopper = true;
  instance.grid = &grid<BM, BN, CLUSTER, PERSISTENT>;
  instance.launch = &launch<TYPE, BM, BN, STAGES, GROUPS, CLUSTER>;
  table.push_back(instance);
}

}  // namespace

bool compiled_for_sm_90a() {
  static const bool result = [] {
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, say_whether_compiled) != cudaSuccess) {
      cudaGetLastError();  // no code for this GPU is no error
      return false;
    }
    const DeviceBuffer<int> compiled(1);
    say_whether_compiled<<<1, 1>>>(compiled.data());
    int host = 0;
    check(cudaMemcpy(&host, compiled.data(), sizeof host, cudaMemcpyDeviceToHost), "say_whether_compiled");
    return host == 1;
  }();
  return result;
}

void add_gemm_specialised(std::vector<Instance>& table) {
  add<TensorType::kF16, 64, 64, 2, 1>(table);
  add<TensorType::kF16, 64, 128, 4, 1>(table);
  add<TensorType::kF16, 64, 128, 6, 1, 1, true>(table);
  add<TensorType::kBf16, 64, 256, 3, 1>(table);
  add<TensorType::kF16, 128, 128, 2, 2>(table);
  add<TensorType::kF16, 128, 128, 4, 2>(table);
  add<TensorType::kF16, 128, 128, 4, 2, 2>(table);
  add<TensorType::kBf16, 128, 128, 5, 2, 2, true>(table);
  add<TensorType::kF16, 128, 128, 6, 2, 1, true>(table);
  add<TensorType::kF16, 128, 256, 3, 2>(table);
  add<TensorType::kBf16, 128, 256, 4, 2, 1, true>(table);
  add<TensorType::kF16, 128, 256, 4, 2, 2, true>(table);
  add<TensorType::kBf16, 256, 128, 4, 2>(table);
}

}  // namespace tilescope::gpu
