// cp.async.bulk from global to shared memory, completed on an mbarrier.
//   question=latency: from the copy's issue to the end of the wait for it, by bytes; state=l2: the lines are in L2;
//     hbm: L2 was flushed; prefetched: likewise, then cp.async.bulk.prefetch.L2 and 20,000 cycles. median of kSamples.
//   question=rate: bytes per cycle of one SM and of all, by bytes and copies in flight; the data are 16 MiB, in L2.
//   question=issue: cycles of the issuing thread for each of kQueued copies on one mbarrier (of=copy) or L2 prefetches
//     (of=prefetch). Trace rows: row = 0, index = copy, value = cycles since the first.
#include <algorithm>

#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSamples = 32;
constexpr int kQueued = 64;
[[maybe_unused]] constexpr int kMostInFlight = 32;
constexpr int kSharedBytes = 200 * 1024;
constexpr int kRingBytes = 128 * 1024;
constexpr std::size_t kBytes = 16 << 20;

__global__ void warm(const char* data) {
  for (std::size_t i = 32 * (blockIdx.x * std::size_t{256} + threadIdx.x); i < kBytes; i += 32 * 256 * gridDim.x) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i) : "memory");
  }
}

#ifdef TILESCOPE_SM90A
__device__ inline void bulk_prefetch(const void* global, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes) : "memory");
}
#endif

__global__ void latency(const char* data, unsigned bytes, bool prefetch, int sm, int* claims, unsigned* cycles,
                        int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  mbarrier_init(barrier, 1);
  mbarrier_publish();
  if (prefetch) {
    for (int i = 0; i < kSamples; ++i) {
      bulk_prefetch(data + i * (kBytes / kSamples), bytes);
    }
    const unsigned start = clock_now();
    while (clock_now() - start < 20000) {
    }
  }
#pragma unroll 1
  for (int i = 0; i < kSamples; ++i) {
    const unsigned start = clock_now(shared);
    mbarrier_arrive_expect(barrier, bytes);
    bulk_load(shared, data + i * (kBytes / kSamples), bytes, barrier);
    if (!mbarrier_wait(barrier, i % 2, failures)) {
      return;
    }
    cycles[i] = clock_now(shared) - start;
  }
#endif
}

// `rounds` copies by one thread, `in_flight` of them at a time, each with a mbarrier of its own.
__global__ void rate(const char* data, unsigned bytes, int in_flight, int rounds, int only_sm, int* claims, int* cycles,
                     int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long words[kMostInFlight];
  if (only_sm >= 0 && claim_sm(only_sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  const unsigned barriers = shared_address(words);
  for (int i = 0; i < in_flight; ++i) {
    mbarrier_init(barriers + 8 * i, 1);
  }
  mbarrier_publish();
  unsigned offset = blockIdx.x * 131072U % kBytes;
  const auto issue = [&](int stage) {
    mbarrier_arrive_expect(barriers + 8 * stage, bytes);
    bulk_load(shared + stage * bytes, data + offset, bytes, barriers + 8 * stage);
    offset = (offset + bytes) % kBytes;
  };
  const unsigned start = clock_now();
  if (!keep_in_flight(barriers, in_flight, rounds, failures, issue)) {
    return;
  }
  cycles[blockIdx.x] = static_cast<int>(clock_now() - start);
#endif
}

template <bool kPrefetch>
__global__ void issue(const char* data, unsigned bytes, int sm, int* claims, unsigned* clocks, int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  mbarrier_init(barrier, 1);
  mbarrier_publish();
  if (!kPrefetch) {
    mbarrier_arrive_expect(barrier, kQueued * bytes);
  }
  unsigned t[kQueued];
#pragma unroll
  for (int i = 0; i < kQueued; ++i) {
    t[i] = clock_now(shared);
    if constexpr (kPrefetch) {
      bulk_prefetch(data + i * (kBytes / kQueued), bytes);
    } else {
      bulk_load(shared, data + i * (kBytes / kQueued), bytes, barrier);
    }
  }
  if (!kPrefetch && !mbarrier_wait(barrier, 0, failures)) {
    return;
  }
#pragma unroll
  for (int i = 0; i < kQueued; ++i) {
    clocks[i] = t[i] - t[0];
  }
#endif
}

void measure_latency(Report& report, const Recorder<char>& data, unsigned bytes, const std::string& state) {
  Recorder<int> claims(1);
  const Recorder<unsigned> cycles(kSamples);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    if (state == "l2") {
      warm<<<256, 256>>>(data.device());
    } else {
      flush_l2();
    }
    claims.clear();
    latency<<<4 * sm_count(), 1, kSharedBytes>>>(data.device(), bytes, state == "prefetched", 0, claims.device(),
                                                 cycles.device(), failures.device());
    failures.finish("latency");
  }
  std::vector<unsigned> all = cycles.host();
  std::sort(all.begin(), all.end());
  report.scalar("tma_bulk", "question=latency;state=" + state + ";bytes=" + std::to_string(bytes), "median",
                all[kSamples / 2], "cycle");
}

void measure_rate(Report& report, const Recorder<char>& data, unsigned bytes, int in_flight, bool all_sms) {
  const int ctas = all_sms ? sm_count() : 4 * sm_count();
  const int rounds = std::clamp(static_cast<int>((2 << 20) / bytes), 2 * in_flight, 4096);
  Recorder<int> claims(1);
  const Recorder<int> cycles(ctas);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    warm<<<256, 256>>>(data.device());
    claims.clear();
    rate<<<ctas, 1, kSharedBytes>>>(data.device(), bytes, in_flight, rounds, all_sms ? -1 : 0, claims.device(),
                                    cycles.device(), failures.device());
    failures.finish("rate");
  }
  const std::vector<int> all = cycles.host();
  report.scalar("tma_bulk",
                std::string("question=rate;sms=") + (all_sms ? "all" : "1") + ";bytes=" + std::to_string(bytes) +
                    ";in_flight=" + std::to_string(in_flight),
                "rate_of_sm", static_cast<double>(rounds) * bytes / *std::max_element(all.begin(), all.end()),
                "B/cycle");
}

template <bool kPrefetch>
void measure_issue(Report& report, const Recorder<char>& data, unsigned bytes, bool warm_l2) {
  Recorder<int> claims(1);
  const Recorder<unsigned> clocks(kQueued);
  const Failures failures;
  allow_shared_memory(issue<kPrefetch>, kSharedBytes);
  for (int pass = 0; pass < 2; ++pass) {
    if (warm_l2) {
      warm<<<256, 256>>>(data.device());
    } else {
      flush_l2();
    }
    claims.clear();
    issue<kPrefetch><<<4 * sm_count(), 1, kSharedBytes>>>(data.device(), bytes, 0, claims.device(), clocks.device(),
                                                          failures.device());
    failures.finish("issue");
  }
  const std::vector<unsigned> all = clocks.host();
  const std::string the_case = std::string("question=issue;of=") + (kPrefetch ? "prefetch" : "copy") +
                               ";state=" + (warm_l2 ? "l2" : "hbm") + ";bytes=" + std::to_string(bytes);
  report.scalar("tma_bulk", the_case, "first_8_each", all[8] / 8.0, "cycle");
  report.scalar("tma_bulk", the_case, "last_32_each", (all[kQueued - 1] - all[kQueued - 33]) / 32.0, "cycle");
  for (int i = 0; i < kQueued; ++i) {
    report.trace("tma_bulk", the_case, 0, i, all[i]);
  }
}

}  // namespace

void tma_bulk(Report& report) {
  if (!has_hopper("tma_bulk")) {
    return;
  }
  const Recorder<char> data(kBytes);
  allow_shared_memory(latency, kSharedBytes);
  allow_shared_memory(rate, kSharedBytes);
  for (const unsigned bytes : {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}) {
    for (const char* const state : {"l2", "hbm", "prefetched"}) {
      measure_latency(report, data, bytes, state);
    }
    for (const int in_flight : {1, 2, 4, 8, 16, 32}) {
      if (in_flight * bytes <= kRingBytes) {
        measure_rate(report, data, bytes, in_flight, false);
        measure_rate(report, data, bytes, in_flight, true);
      }
    }
  }
  for (const unsigned bytes : {16, 128, 1024, 8192}) {
    for (const bool warm_l2 : {true, false}) {
      measure_issue<false>(report, data, bytes, warm_l2);
    }
    measure_issue<true>(report, data, bytes, false);
  }
}

}  // namespace tilescope::gpu
