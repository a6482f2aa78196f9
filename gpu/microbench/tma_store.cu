// cp.async.bulk from shared to global memory, and cp.reduce.async.bulk, which adds.
//   question=latency: one copy and its commit; until=read: to the end of wait_group.read, complete: of wait_group.
//     median of kSamples.
//   question=rate: bytes per cycle of one SM and of all (each has 256 KiB of its own), by groups of one copy in flight.
#include <algorithm>

#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSamples = 32;
constexpr int kSharedBytes = 200 * 1024;
constexpr unsigned kBytesOfSm = 256 << 10;

enum class Op { kStore, kAddU32, kAddF16 };
constexpr const char* kOpNames[] = {"store", "add.u32", "add.f16"};

#ifdef TILESCOPE_SM90A
template <Op kOp>
__device__ void copy(void* global, unsigned shared, unsigned bytes) {
  if constexpr (kOp == Op::kStore) {
    bulk_store(global, shared, bytes);
  } else if constexpr (kOp == Op::kAddU32) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(global),
                 "r"(shared), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(global),
                 "r"(shared), "r"(bytes)
                 : "memory");
  }
}
// Zeros are what is stored and added.
__device__ inline void clear_shared(unsigned shared, unsigned bytes) {
  for (unsigned i = 4 * threadIdx.x; i < bytes; i += 4 * blockDim.x) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared + i), "r"(0) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}
#endif

template <Op kOp>
__global__ void latency(char* data, unsigned bytes, bool until_read, int sm, int* claims, unsigned* cycles) {
#ifdef TILESCOPE_SM90A
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  clear_shared(shared, bytes);
  if (threadIdx.x != 0) {
    return;
  }
#pragma unroll 1
  for (int i = 0; i < kSamples; ++i) {
    const unsigned start = clock_now(shared);
    copy<kOp>(data + i * 32768, shared, bytes);
    bulk_commit();
    if (until_read) {
      bulk_wait_read<0>();
    } else {
      bulk_wait<0>();
    }
    const unsigned stop = clock_now(shared);
    bulk_wait<0>();
    cycles[i] = stop - start;
  }
#endif
}

template <Op kOp, int kInFlight>
__global__ void rate(char* data, unsigned bytes, int rounds, int only_sm, int* claims, int* cycles) {
#ifdef TILESCOPE_SM90A
  if (only_sm >= 0 && claim_sm(only_sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  clear_shared(shared, bytes);
  if (threadIdx.x != 0) {
    return;
  }
  char* const mine = data + (only_sm >= 0 ? 0 : blockIdx.x * std::size_t{kBytesOfSm});
  unsigned offset = 0;
  const unsigned start = clock_now();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    copy<kOp>(mine + offset, shared, bytes);
    bulk_commit();
    bulk_wait<kInFlight - 1>();
    offset = (offset + bytes) % kBytesOfSm;
  }
  bulk_wait<0>();
  cycles[blockIdx.x] = static_cast<int>(clock_now() - start);
#endif
}

template <Op kOp>
void measure_latency(Report& report, const Recorder<char>& data, unsigned bytes, bool until_read) {
  Recorder<int> claims(1);
  const Recorder<unsigned> cycles(kSamples);
  allow_shared_memory(latency<kOp>, kSharedBytes);
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    latency<kOp>
        <<<4 * sm_count(), 128, kSharedBytes>>>(data.device(), bytes, until_read, 0, claims.device(), cycles.device());
    finish("latency");
  }
  std::vector<unsigned> all = cycles.host();
  std::sort(all.begin(), all.end());
  report.scalar("tma_store",
                std::string("question=latency;op=") + kOpNames[static_cast<int>(kOp)] +
                    ";until=" + (until_read ? "read" : "complete") + ";bytes=" + std::to_string(bytes),
                "median", all[kSamples / 2], "cycle");
}

template <Op kOp, int kInFlight>
void measure_rate(Report& report, const Recorder<char>& data, unsigned bytes, bool all_sms) {
  const int ctas = all_sms ? sm_count() : 4 * sm_count();
  const int rounds = std::min((1 << 20) / static_cast<int>(bytes), 2048);
  Recorder<int> claims(1);
  const Recorder<int> cycles(ctas);
  allow_shared_memory(rate<kOp, kInFlight>, kSharedBytes);
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    rate<kOp, kInFlight>
        <<<ctas, 128, kSharedBytes>>>(data.device(), bytes, rounds, all_sms ? -1 : 0, claims.device(), cycles.device());
    finish("rate");
  }
  const std::vector<int> all = cycles.host();
  report.scalar("tma_store",
                std::string("question=rate;op=") + kOpNames[static_cast<int>(kOp)] + ";sms=" + (all_sms ? "all" : "1") +
                    ";bytes=" + std::to_string(bytes) + ";in_flight=" + std::to_string(kInFlight),
                "rate_of_sm", static_cast<double>(rounds) * bytes / *std::max_element(all.begin(), all.end()),
                "B/cycle");
}

template <Op kOp>
void measure_op(Report& report, const Recorder<char>& data) {
  for (const unsigned bytes : {16, 128, 512, 2048, 8192, 32768}) {
    measure_latency<kOp>(report, data, bytes, true);
    measure_latency<kOp>(report, data, bytes, false);
    for (const bool all_sms : {false, true}) {
      measure_rate<kOp, 1>(report, data, bytes, all_sms);
      measure_rate<kOp, 4>(report, data, bytes, all_sms);
      measure_rate<kOp, 16>(report, data, bytes, all_sms);
    }
  }
}

}  // namespace

void tma_store(Report& report) {
  if (!has_hopper("tma_store")) {
    return;
  }
  const Recorder<char> data(std::max<std::size_t>(sm_count(), 8) * kBytesOfSm);
  measure_op<Op::kStore>(report, data);
  measure_op<Op::kAddU32>(report, data);
  measure_op<Op::kAddF16>(report, data);
}

}  // namespace tilescope::gpu
