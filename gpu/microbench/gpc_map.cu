#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "gpc_map.h"
#include "hopper.cuh"

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
  for (const int cluster : {2, 4, 5, 6, 7, 8}) {
    const int ctas = sm_count() / cluster * cluster;
    Recorder<int> sm_of_cta(ctas);
    launch_clusters(place_clusters, ctas, cluster, 32, kOneCtaPerSm, sm_of_cta.device(), 20000);
    finish("place_clusters");
    const std::vector<int> seen = sm_of_cta.host();
    for (int cta = 0; cta < ctas; ++cta) {
      group[root(seen[cta])] = root(seen[cta - cta % cluster]);
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

const std::vector<int>& largest_gpc(const std::vector<std::vector<int>>& gpcs) {
  return *std::max_element(gpcs.begin(), gpcs.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

}  // namespace tilescope::gpu
