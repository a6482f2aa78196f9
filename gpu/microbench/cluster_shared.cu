// Distributed shared memory: what a CTA's access to another CTA's shared memory costs.
//   question=latency: a dependent load or atomic of one lane of CTA 0 (and one addition of 64 bits), by the rank of the
//     memory's owner. Rank 0 is the CTA itself, through the cluster's address.
//   question=round_trip: two CTAs answer each other through mbarriers in each other's memory; cycles there and back.
//   question=rate: bytes per cycle of an SM. pattern=one: CTA 0 of one cluster accesses CTA 1 alone; ring: every CTA of
//     as many clusters as are resident accesses the next one; self: likewise, its own memory through the cluster's
//     address.
#include <algorithm>

#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 64;
constexpr int kRounds = 64;
constexpr int kUnroll = 8;
constexpr int kSharedBytes = 120 * 1024;  // one CTA an SM
[[maybe_unused]] constexpr int kAccessedBytes = 16 * 1024;

enum class Op { kLoad, kAtomic, kStore };

#ifdef TILESCOPE_SM90A
__device__ inline void clear_shared(unsigned shared) {
  for (unsigned i = 4 * threadIdx.x; i < kAccessedBytes; i += 4 * blockDim.x) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared + i), "r"(0) : "memory");
  }
}
#endif

template <Op kOp>
__global__ void latency(int owner, int* cycles, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  const unsigned shared = aligned_shared();
  clear_shared(shared);
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    // A generic address: with one of the cluster's window every access would first fetch the window's upper half.
    unsigned long long address;
    asm volatile("{.reg .u64 own; cvta.shared.u64 own, %1; mapa.u64 %0, own, %2;}"
                 : "=l"(address)
                 : "l"(static_cast<unsigned long long>(shared)), "r"(owner));
    for (int pass = 0; pass < 2; ++pass) {
      const unsigned start = clock_now(shared);
#pragma unroll 1
      for (int i = 0; i < kSteps; ++i) {
        unsigned value;
        if constexpr (kOp == Op::kLoad) {
          asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
        } else {
          asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(value) : "l"(address), "r"(0) : "memory");
        }
        address += value;  // zero
      }
      *sink = static_cast<unsigned>(address);  // waits for the last value
      *cycles = static_cast<int>(clock_now(shared) - start);
    }
  }
  __syncwarp();
  cluster_sync();
#endif
}

__global__ void round_trip(int* cycles, int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  const unsigned barrier = shared_address(&word);
  mbarrier_init(barrier, 1);
  mbarrier_publish();
  cluster_sync();
  const bool first = cluster_rank() == 0;
  const unsigned peer = cluster_address(barrier, first ? 1 : 0);
  const unsigned start = clock_now(barrier);
#pragma unroll 1
  for (int i = 0; i < kSteps; ++i) {
    if (first) {
      mbarrier_arrive_cluster(peer);
    }
    if (!mbarrier_wait(barrier, i % 2, failures)) {
      break;  // on to the cluster's barrier
    }
    if (!first) {
      mbarrier_arrive_cluster(peer);
    }
  }
  if (first) {
    *cycles = static_cast<int>(clock_now(barrier) - start);
  }
  cluster_sync();
#endif
}

template <Op kOp, int kWidth>
__device__ void access(unsigned address, uint4& v) {
  if constexpr (kOp == Op::kLoad && kWidth == 4) {
    asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v.x) : "r"(address) : "memory");
  } else if constexpr (kOp == Op::kLoad) {
    asm volatile("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
  } else if constexpr (kOp == Op::kStore && kWidth == 4) {
    asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(v.x) : "memory");
  } else if constexpr (kOp == Op::kStore) {
    asm volatile("st.volatile.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
  } else {
    asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(0) : "memory");
  }
}

template <Op kOp, int kWidth>
__global__ void __launch_bounds__(1024) stream(int step, bool one, int* cycles, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  __shared__ Span span;
  const unsigned shared = aligned_shared();
  clear_shared(shared);
  begin_span(span);
  cluster_sync();
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (!one || cluster_rank() == 0) {
    const unsigned own = shared + threadIdx.x * kWidth % kAccessedBytes;
    const unsigned address = cluster_address(own, (cluster_rank() + step) % size);
    uint4 v[kUnroll] = {};
    const unsigned start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        access<kOp, kWidth>(address, v[i]);
      }
    }
    // A load of what was written last ends behind all stores and additions of this thread.
    unsigned last;
    asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(last) : "r"(address) : "memory");
    sink[threadIdx.x] = last;
    const unsigned stop = clock_now();
    end_span(span, start, stop, &cycles[blockIdx.x]);
  }
  cluster_sync();
#endif
}

template <Op kOp>
void measure_latency(Report& report, const char* name) {
  const Recorder<int> cycles(1);
  const Recorder<unsigned> sink(1024);
  allow_shared_memory(latency<kOp>, kSharedBytes);
  for (const int cluster : {2, 4, 8}) {
    for (int owner = 0; owner < cluster; ++owner) {
      launch_clusters(latency<kOp>, cluster, cluster, 128, kSharedBytes, owner, cycles.device(), sink.device());
      finish("latency");
      report.scalar("cluster_shared",
                    std::string("question=latency;op=") + name + ";cluster=" + std::to_string(cluster) +
                        ";owner=" + std::to_string(owner),
                    "latency", static_cast<double>(cycles.host()[0]) / kSteps, "cycle");
    }
  }
}

template <Op kOp, int kWidth>
void measure_rate(Report& report, const char* name) {
  const auto kernel = stream<kOp, kWidth>;
  allow_shared_memory(kernel, kSharedBytes);
  for (const int cluster : {2, 4, 8}) {
    for (const int warps : {1, 4, 16, 32}) {
      for (const char* const pattern : {"one", "ring", "self"}) {
        const bool one = pattern == std::string("one");
        const int ctas = one ? cluster : resident_ctas(kernel, cluster, 32 * warps, kSharedBytes);
        const Recorder<int> cycles(ctas);
        const Recorder<unsigned> sink(1024);
        for (int pass = 0; pass < 2; ++pass) {
          launch_clusters(kernel, ctas, cluster, 32 * warps, kSharedBytes, pattern == std::string("self") ? 0 : 1, one,
                          cycles.device(), sink.device());
          finish("stream");
        }
        const std::vector<int> all = cycles.host();
        report.scalar("cluster_shared",
                      std::string("question=rate;op=") + name + ";pattern=" + pattern +
                          ";cluster=" + std::to_string(cluster) + ";warps=" + std::to_string(warps),
                      "rate_of_sm",
                      32.0 * warps * kWidth * kRounds * kUnroll / *std::max_element(all.begin(), all.end()), "B/cycle");
      }
    }
  }
}

}  // namespace

void cluster_shared(Report& report) {
  if (!has_hopper("cluster_shared")) {
    return;
  }
  measure_latency<Op::kLoad>(report, "load");
  measure_latency<Op::kAtomic>(report, "atomic");
  const Recorder<int> cycles(1);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    launch_clusters(round_trip, 2, 2, 1, 0, cycles.device(), failures.device());
    failures.finish("round_trip");
  }
  report.scalar("cluster_shared", "question=round_trip", "each", static_cast<double>(cycles.host()[0]) / kSteps,
                "cycle");
  measure_rate<Op::kLoad, 4>(report, "ld.32");
  measure_rate<Op::kLoad, 16>(report, "ld.128");
  measure_rate<Op::kStore, 4>(report, "st.32");
  measure_rate<Op::kStore, 16>(report, "st.128");
  measure_rate<Op::kAtomic, 4>(report, "red.32");
}

}  // namespace tilescope::gpu
