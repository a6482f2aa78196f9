// Do SMs that load the same tiles step by step stay in step? One CTA to an SM; in each step it copies kStepBytes that
// all read into shared memory, waits for them at a barrier, and pauses. The lines are in L2.
//   by=copy: cp.async past L1; by=load: LDG past L1.
//   of=gpc: the first `sms` of the largest GPC; of=gpu: all SMs. skew: cycles by which each SM in turn begins later
//   than the one before.
//   step: cycles from barrier to barrier, mean. Trace rows: row = SM, index = step (every kEvery-th), value = clock at
//   the barrier, less that of the GPC's first SM (all: of the first SM) at step 0. The clocks of one GPC's SMs agree.
// For ncu --cache-control none: l1tex__m_xbar2l1tex_read_sectors and lts__t_sectors_srcunit_tex_op_read.
#include <algorithm>

#include "benchmarks.h"
#include "gpc_map.h"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kCopies = 2;  // of 16 bytes by a thread in a step
constexpr unsigned kStepBytes = kThreads * kCopies * 16;
constexpr int kSteps = 1024;  // of 8 MiB in all
constexpr int kEvery = 8;

template <bool kCopy>
__global__ void __launch_bounds__(kThreads)
    probe_steps(const char* data, unsigned pause, unsigned skew, const int* rank_of_sm, unsigned* passed) {
  extern __shared__ __align__(16) volatile char tile[];
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(const_cast<char*>(tile))) + threadIdx.x * 16;
  for (const unsigned begin = clock_now(); clock_now() - begin < skew * rank;) {
  }
  const char* from = data + threadIdx.x * 16;
  for (int step = 0; step < kSteps; ++step, from += kStepBytes) {
    if constexpr (kCopy) {
#pragma unroll
      for (int i = 0; i < kCopies; ++i) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * kThreads * 16),
                     "l"(from + i * kThreads * 16)
                     : "memory");
      }
      asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
      uint4 v[kCopies];
#pragma unroll
      for (int i = 0; i < kCopies; ++i) {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                     : "l"(from + i * kThreads * 16)
                     : "memory");
      }
#pragma unroll
      for (int i = 0; i < kCopies; ++i) {
        *reinterpret_cast<volatile unsigned*>(tile + threadIdx.x * 4) = v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
      }
    }
    __syncthreads();
    const unsigned now = clock_now();
    if (threadIdx.x == 0) {
      passed[rank * kSteps + step] = now;
    }
    while (clock_now() - now < pause) {
    }
  }
}

}  // namespace

void counted_steps(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  const Recorder<char> data(static_cast<std::size_t>(kSteps) * kStepBytes);
  const Recorder<unsigned> passed(static_cast<std::size_t>(sm_count()) * kSteps);
  for (const auto kernel : {probe_steps<true>, probe_steps<false>}) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
  }
  const auto run = [&](const std::vector<int>& sms, bool copy, const char* of, unsigned pause, unsigned skew) {
    const SmSet set(sms);
    const std::string the_case = std::string("by=") + (copy ? "copy" : "load") + ";of=" + of +
                                 ";sms=" + std::to_string(sms.size()) + ";pause=" + std::to_string(pause) +
                                 ";skew=" + std::to_string(skew);
    (copy ? probe_steps<true> : probe_steps<false>)<<<sm_count(), kThreads, kOneCtaPerSm>>>(
        data.device(), pause, skew, set.ranks(), passed.device());
    finish("probe_steps");
    report.launch("counted_steps", the_case);
    const std::vector<unsigned> when = passed.host();
    for (std::size_t r = 0; r < sms.size(); ++r) {
      for (int step = 0; step < kSteps; step += kEvery) {
        report.trace("counted_steps", the_case, sms[r], step, static_cast<int>(when[r * kSteps + step] - when[0]));
      }
    }
    report.scalar("counted_steps", the_case, "step", (when[kSteps - 1] - when[0]) / static_cast<double>(kSteps - 1),
                  "cycle");
  };
  std::vector<int> all;
  for (int i = 0; i < sm_count(); ++i) {
    all.push_back(i);
  }
  run(all, true, "gpu", 0, 0);  // brings the lines into both partitions
  for (const bool copy : {true, false}) {
    for (const unsigned pause : {0U, 1000U}) {
      for (const int sms : {2, 4, 8, 16}) {
        const std::vector<int> some(gpc.begin(), gpc.begin() + std::min(sms, static_cast<int>(gpc.size())));
        for (const unsigned skew : {0U, 50U, 200U}) {
          if (sms <= 4 || skew == 0) {
            run(some, copy, "gpc", pause, skew);
          }
        }
      }
      run(all, copy, "gpu", pause, 0);
    }
  }
}

}  // namespace tilescope::gpu
