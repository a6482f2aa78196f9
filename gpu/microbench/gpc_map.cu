#include <map>
#include <numeric>
#include <stdexcept>

#include "device_probe.cuh"
#include "gpc_map.h"

namespace tilescope::gpu {
namespace {

__global__ void place_clusters(int* sm_of_cta, long long cycles) {
  const long long end = clock64_now() + cycles;  // long enough for all CTAs to be there
  if (threadIdx.x == 0) {
    sm_of_cta[blockIdx.x] = sm_id();
  }
  while (clock64_now() < end) {
  }
}

void launch_clusters(int* sm_of_cta, int ctas, unsigned cluster) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(ctas);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = kOneCtaPerSm;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, place_clusters, sm_of_cta, 20000LL), "cudaLaunchKernelEx");
  finish("place_clusters");
}

}  // namespace

std::vector<std::vector<int>> gpc_map() {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  if (major < 9) {
    throw std::runtime_error("gpc_map: needs compute capability 9.0");
  }
  check(cudaFuncSetAttribute(place_clusters, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  std::vector<int> group(sm_count());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int sm) {
    while (group[sm] != sm) {
      sm = group[sm];
    }
    return sm;
  };
  for (const unsigned cluster : {2U, 4U, 5U, 6U, 7U, 8U}) {
    const int ctas = sm_count() / static_cast<int>(cluster) * static_cast<int>(cluster);
    Recorder<int> sm_of_cta(ctas);
    launch_clusters(sm_of_cta.device(), ctas, cluster);
    const std::vector<int> seen = sm_of_cta.host();
    for (int cta = 0; cta < ctas; ++cta) {
      group[root(seen[cta])] = root(seen[cta - cta % static_cast<int>(cluster)]);
    }
  }
  std::map<int, std::vector<int>> members;
  for (int sm = 0; sm < sm_count(); ++sm) {
    members[root(sm)].push_back(sm);
  }
  std::vector<std::vector<int>> result;
  for (const auto& [key, sms] : members) {
    result.push_back(sms);
  }
  return result;
}

}  // namespace tilescope::gpu
