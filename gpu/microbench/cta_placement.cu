// Which SM runs which CTA of the first wave? Trace: row = CTA, index = 0, value = its SM.
//   ctas, slots: CTAs of 64 threads, of which an SM holds as many as `slots` by shared memory; each stays until all
//   that fit have started.
//   cluster: the same in clusters of so many CTAs. Needs compute capability 9.0.
//   gpc: row = SM, value = the lowest SM of its GPC, as clusters tell.
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "gpc_map.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 64;
constexpr long long kCycles = 100000;  // longer than all CTAs take to start

struct Shape {
  int ctas;
  int slots;
};
constexpr Shape kShapes[] = {{8, 1},   {9, 1},   {16, 1},  {33, 1},  {48, 1},  {72, 1},  {100, 1}, {128, 1}, {132, 1},
                             {140, 2}, {200, 2}, {256, 2}, {264, 2}, {160, 8}, {300, 8}, {396, 8}, {600, 8}, {1056, 8}};

__global__ void place(int* sm_of_cta, long long cycles) {
  if (threadIdx.x == 0) {
    sm_of_cta[blockIdx.x] = sm_id();
  }
  const long long start = clock64_now();
  while (clock64_now() - start < cycles) {
  }
}

// Dynamic shared memory with which `slots` CTAs fit an SM: the system takes 1 KiB for each.
int shared_bytes(int slots) { return slots == 1 ? kOneCtaPerSm : 227 * 1024 / slots - 1024; }

void trace(Report& report, const std::string& name, const Recorder<int>& sms, int ctas) {
  const std::vector<int> sm_of_cta = sms.host();
  for (int cta = 0; cta < ctas; ++cta) {
    report.trace("cta_placement", name, cta, 0, sm_of_cta[cta]);
  }
}

std::string name_of(const Shape& shape) {
  return "ctas=" + std::to_string(shape.ctas) + ";slots=" + std::to_string(shape.slots);
}

void trace_clusters(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  for (const std::vector<int>& sms : gpcs) {
    for (const int sm : sms) {
      report.trace("cta_placement", "gpc", sm, 0, sms.front());
    }
  }
  for (const int cluster : {2, 4, 8}) {
    for (const Shape& shape : {Shape{16, 1}, {64, 1}, {96, 1}, {64, 2}, {192, 2}}) {
      const Recorder<int> sms(shape.ctas);
      launch_clusters(place, shape.ctas, cluster, kThreads, shared_bytes(shape.slots), sms.device(), kCycles);
      finish("cta_placement");
      trace(report, name_of(shape) + ";cluster=" + std::to_string(cluster), sms, shape.ctas);
    }
  }
}

}  // namespace

void cta_placement(Report& report) {
  check(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "cudaFuncSetAttribute");
  for (const Shape& shape : kShapes) {
    if (shape.ctas > shape.slots * sm_count()) {
      continue;
    }
    const Recorder<int> sms(shape.ctas);
    place<<<shape.ctas, kThreads, shared_bytes(shape.slots)>>>(sms.device(), kCycles);
    finish("cta_placement");
    trace(report, name_of(shape), sms, shape.ctas);
  }
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  if (major >= 9) {
    trace_clusters(report);
  }
}

}  // namespace tilescope::gpu
