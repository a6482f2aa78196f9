// Instructions that only Hopper has: mbarriers, bulk copies and their fences. Code that uses them is compiled for
// sm_90a alone: kernels put their bodies between #ifdef TILESCOPE_SM90A and #endif, and their host code asks
// has_hopper() before it launches one.
#pragma once

#include "device_probe.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define TILESCOPE_SM90A
#endif

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

// An mbarrier is named by its address in shared memory, 8 bytes aligned to 8.
__device__ inline void mbarrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// Makes initialised mbarriers visible to the asynchronous units and to the other CTAs of the cluster.
__device__ inline void mbarrier_publish() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void mbarrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void mbarrier_arrive_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline bool mbarrier_try_wait(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}
__device__ inline bool mbarrier_test_wait(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}
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

// Copies `bytes` (a multiple of 16; both addresses too) from global to shared memory and counts them on the mbarrier.
__device__ inline void bulk_load(unsigned shared, const void* global, unsigned bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared),
               "l"(global), "r"(bytes), "r"(barrier)
               : "memory");
}
// Copies from shared to global memory as part of the thread's open bulk group.
__device__ inline void bulk_store(void* global, unsigned shared, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global), "r"(shared), "r"(bytes)
               : "memory");
}
__device__ inline void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until at most kPending groups are not complete.
template <int kPending>
__device__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}
// Until at most kPending groups have not read all their shared memory.
template <int kPending>
__device__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// The address in the cluster's shared memory of what CTA `rank` has at this address in its own.
__device__ inline unsigned cluster_address(unsigned shared, unsigned rank) {
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared), "r"(rank));
  return address;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Arrives on the mbarrier of another CTA; `barrier` is a cluster_address.
__device__ inline void mbarrier_arrive_cluster(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// The dynamic shared memory from its first multiple of 1024 on.
__device__ inline unsigned aligned_shared() {
  extern __shared__ char dynamic_shared[];
  return (shared_address(dynamic_shared) + 1023) / 1024 * 1024;
}

#endif

}  // namespace tilescope::gpu
