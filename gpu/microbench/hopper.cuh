// What microbenchmarks of Hopper's instructions (common/hopper.cuh) share. Their host code asks has_hopper() before it
// launches a kernel of sm_90a.
#pragma once

#include "../common/hopper.cuh"
#include "device_probe.cuh"

namespace tilescope::gpu {

// Whether kernels of sm_90a run here; if not, says so on stderr in a line that names the benchmark.
bool has_hopper(const char* benchmark);

// Dynamic shared memory beyond 48 KiB must be asked for before a kernel is launched with it.
template <class Kernel>
void allow_shared_memory(Kernel kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
}

// Whether a CTA of this kernel with so many threads and so much dynamic shared memory fits on an SM.
template <class Kernel>
bool fits(Kernel kernel, int threads, int shared_bytes) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return threads <= attributes.maxThreadsPerBlock && resident > 0;
}

// How `ctas` CTAs in clusters of `cluster` are launched.
struct ClusterLaunch {
  ClusterLaunch(int ctas, int cluster, int threads, int shared_bytes) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = ctas;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;

  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
};

template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), int ctas, int cluster, int threads, int shared_bytes,
                     Arguments... arguments) {
  const ClusterLaunch launch(ctas, cluster, threads, shared_bytes);
  check(cudaLaunchKernelEx(&launch.config, kernel, static_cast<Parameters>(arguments)...), "cudaLaunchKernelEx");
}

// How many CTAs in clusters of `cluster` are resident at once.
template <class... Parameters>
int resident_ctas(void (*kernel)(Parameters...), int cluster, int threads, int shared_bytes) {
  const ClusterLaunch launch(cluster, cluster, threads, shared_bytes);
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config), "cudaOccupancyMaxActiveClusters");
  return clusters * cluster;
}

// Every wait of a kernel is bounded, so that a mistake ends in a message and not in a GPU that hangs. A kernel whose
// wait came to its bound counts it here.
class Failures {
 public:
  int* device() const { return count_.device(); }
  // Waits for the device; throws std::runtime_error if a wait of `what` did not end.
  void finish(const char* what) const {
    gpu::finish(what);
    if (count_.host()[0] != 0) {
      throw std::runtime_error(std::string(what) + ": a wait inside the kernel did not end");
    }
  }

 private:
  Recorder<int> count_{1};
};

#ifdef TILESCOPE_SM90A

// Waits until the phase of this parity is complete. False, and counted, if that takes too long: the caller then leaves.
__device__ inline bool mbarrier_wait(unsigned barrier, unsigned parity, int* failures) {
  constexpr long long kMostCycles = 100'000'000;
  long long give_up = 0;
#pragma unroll 1
  while (!mbarrier_try_wait(barrier, parity)) {
    const long long now = clock64_now();
    if (give_up == 0) {
      give_up = now + kMostCycles;
    } else if (now > give_up) {
      atomicAdd(failures, 1);
      return false;
    }
  }
  return true;
}

// `rounds` copies, `in_flight` of them at a time. Each stage has an mbarrier of its own, 8 bytes from the one before,
// for one arrival; issue(stage) starts a copy and arrives. False when a wait did not end.
template <class Issue>
__device__ bool keep_in_flight(unsigned barriers, int in_flight, int rounds, int* failures, Issue issue) {
  for (int i = 0; i < in_flight; ++i) {
    issue(i);
  }
  int stage = 0;
  unsigned parity = 0;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    if (!mbarrier_wait(barriers + 8 * stage, parity, failures)) {
      return false;
    }
    if (i + in_flight < rounds) {
      issue(stage);
    }
    stage = stage + 1 == in_flight ? 0 : stage + 1;
    parity ^= stage == 0 ? 1 : 0;
  }
  return true;
}

#endif

}  // namespace tilescope::gpu
