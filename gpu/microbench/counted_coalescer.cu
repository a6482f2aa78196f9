// Which SMs' requests for one sector become one request to L2, and how far apart in time may they be? A set of SMs
// reads the same lines at a steady pace, each with its own delay. l1tex__m_xbar2l1tex_read_sectors counts what the SMs
// get, lts__t_sectors_srcunit_tex_op_read what L2 is asked for. Rank 0 first reads every line once, alone, so that L2
// has them: kLines * 4 sectors on top of both counts. Waiting is done with atomics, which neither counter sees.
#include <algorithm>

#include "benchmarks.h"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLines = 2048;
constexpr int kLinesPerStep = 4;
constexpr int kRounds = 48;

struct Mailbox {
  unsigned long long ping;   // rank 0 -> rank r: the round
  unsigned long long pong;   // rank r -> rank 0: its clock on seeing that round
  unsigned long long start;  // rank 0 -> rank r: the clock of r's SM at which to start
};

__device__ float read_line(const float* line) {
  float v;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(line + threadIdx.x) : "memory");
  return v;
}

// r's clock minus rank 0's, from the quickest of some round trips; called by one thread of rank 0.
__device__ long long clock_offset(Mailbox& box) {
  long long best_trip = 1LL << 60;
  long long offset = 0;
  unsigned long long last = 0;
  for (int round = 1; round <= kRounds; ++round) {
    const long long sent = clock64_now();
    atomicExch(&box.ping, round);
    unsigned long long answer;
    do {
      answer = atomicAdd(&box.pong, 0ULL);
    } while (answer == last);
    const long long back = clock64_now();
    last = answer;
    if (back - sent < best_trip) {
      best_trip = back - sent;
      offset = static_cast<long long>(answer) - (sent + back) / 2;
    }
  }
  return offset;
}

// One warp per CTA, one CTA per SM. delay_of_rank in cycles.
__global__ void probe_coalescer(const float* data, const int* rank_of_sm, int readers, int step_cycles,
                                const int* delay_of_rank, bool trust_clocks, Mailbox* boxes, long long* offsets,
                                float* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  __shared__ long long start;
  float sum = 0.0f;
  if (rank == 0) {
#pragma unroll 8
    for (int line = 0; line < kLines; ++line) {
      sum += read_line(data + line * 32);
    }
    if (threadIdx.x == 0) {
      for (int r = 1; r < readers; ++r) {
        offsets[r] = clock_offset(boxes[r]);
      }
      start = clock64_now() + 2000 + 1500 * readers;
      for (int r = 1; r < readers; ++r) {
        atomicExch(&boxes[r].start, static_cast<unsigned long long>(start + (trust_clocks ? 0 : offsets[r])));
      }
    }
  } else if (threadIdx.x == 0) {
    for (int round = 1; round <= kRounds; ++round) {
      while (atomicAdd(&boxes[rank].ping, 0ULL) != static_cast<unsigned long long>(round)) {
      }
      atomicExch(&boxes[rank].pong, static_cast<unsigned long long>(clock64_now()));
    }
    unsigned long long told;
    do {
      told = atomicAdd(&boxes[rank].start, 0ULL);
    } while (told == 0);
    start = static_cast<long long>(told);
  }
  __syncthreads();
  long long next = start + delay_of_rank[rank];
  for (int line = 0; line < kLines; line += kLinesPerStep) {
    while (clock64_now() < next) {
    }
#pragma unroll
    for (int i = 0; i < kLinesPerStep; ++i) {
      sum += read_line(data + (line + i) * 32);
    }
    next += step_cycles;
  }
  sink[rank * 32 + threadIdx.x] = sum;
}

void launch(Report& report, const std::string& the_case, const std::vector<int>& sms, const std::vector<int>& delays,
            int step_cycles, bool trust_clocks) {
  static const Recorder<float> data(kLines * 32);
  static const Recorder<float> sink(1024 * 32);
  const SmSet set(sms);
  Recorder<int> delay_of_rank(sm_count());
  Recorder<Mailbox> boxes(sm_count());
  Recorder<long long> offsets(sm_count());
  check(cudaMemcpy(delay_of_rank.device(), delays.data(), delays.size() * sizeof(int), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  check(cudaFuncSetAttribute(probe_coalescer, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  probe_coalescer<<<sm_count(), 32, kOneCtaPerSm>>>(data.device(), set.ranks(), static_cast<int>(sms.size()),
                                                    step_cycles, delay_of_rank.device(), trust_clocks, boxes.device(),
                                                    offsets.device(), sink.device());
  finish("probe_coalescer");
  report.launch("counted_coalescer", the_case);
  const std::vector<long long> seen = offsets.host();
  for (std::size_t i = 1; i < sms.size(); ++i) {
    report.trace("counted_coalescer", the_case + ";field=clock_offset", static_cast<int>(i), sms[i], seen[i]);
  }
}

std::string name_of(const std::vector<int>& sms) {
  std::string name;
  for (const int sm : sms) {
    name += (name.empty() ? "" : "+") + std::to_string(sm);
  }
  return name;
}

// Every rank starts at the same moment but for its delay.
void pair(Report& report, int a, int b, int delay, bool trust_clocks) {
  launch(report,
         "sms=" + name_of({a, b}) + ";delay=" + std::to_string(delay) +
             ";clocks=" + (trust_clocks ? "trusted" : "measured"),
         {a, b}, {0, delay}, 1500 + std::abs(delay), trust_clocks);
}

void group(Report& report, const std::vector<int>& sms) {
  launch(report, "sms=" + name_of(sms) + ";delay=0;clocks=trusted", sms, std::vector<int>(sms.size(), 0), 3000, true);
}

}  // namespace

// SM numbers are those of an H200. The clocks of one GPC's SMs agree (trusted); other SMs' are compared first
// (measured, some tens of cycles off).
void counted_coalescer(Report& report) {
  for (const int base : {0, 14}) {  // who shares with the base?
    for (int sm = base == 0 ? 1 : 0; sm < sm_count(); sm += sm == 1 ? 1 : 2) {
      if (sm != base) {
        pair(report, base, sm, 0, false);
      }
    }
  }
  pair(report, 14, 15, 0, false);
  for (const int partner : {1, 16, 48, 124}) {  // how far apart in time?
    for (int delay = -120; delay <= 120; delay += 15) {
      pair(report, 0, partner, delay, true);
    }
  }
  const std::vector<int> gpc = {14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105, 118, 119, 122, 123};
  for (const int count : {2, 3, 4, 5, 6, 8, 10, 12, 16, 18}) {  // how many at once?
    group(report, std::vector<int>(gpc.begin(), gpc.begin() + count));
  }
  group(report, {14, 30});
  group(report, {14, 30, 46});
  group(report, {14, 30, 46, 62});
  group(report, {14, 30, 46, 62, 76, 90, 104, 118});
}

}  // namespace tilescope::gpu
