// When does a CTA take another's place, whose warps may end at different times? Of each CTA `stays` warps work for
// some while, which differs from CTA to CTA so that ends lie apart, and end together; the others end at once.
//   resident: CTAs that an SM holds by the registers, threads and shared memory of all their warps. registers: of a
//   thread. gap: cycles from a CTA's end to the first warp's start of the CTA that takes its place, where all warps
//   stay. last_warp: from there to the last warp's start. most: CTAs that an SM has held at once, all SMs' median.
//   partner: starts (percent) which come within kSoon of an end on the other SM of the TPC, and of none on their own.
#include <algorithm>
#include <map>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "distribution.h"

namespace tilescope::gpu {
namespace {

constexpr int kTurns = 8;          // CTAs that come to each place
constexpr unsigned kLife = 13200;  // cycles, mean, for each CTA that an SM holds: the GPU starts one each 100 cycles
constexpr long long kSoon = 800;   // cycles

struct Note {  // of a warp
  long long start;
  long long end;  // of its CTA's first warp, which always stays
  int sm;
};

__device__ inline unsigned mixed(unsigned x) {
  x *= 2654435761U;
  x = (x ^ x >> 15) * 2246822519U;
  return x ^ x >> 13;
}

template <int kValues>
__global__ void probe_cta_turn(unsigned cycles, unsigned stays, const float* in, Note* notes, float* sink) {
  const long long start = clock64_now();
  const unsigned warp = threadIdx.x / 32;
  Note* const note = notes + blockIdx.x * (blockDim.x / 32) + warp;
  if (threadIdx.x % 32 == 0) {
    note->start = start;
    note->sm = sm_id();
  }
  if (warp >= stays) {
    return;
  }
  float held[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(held[i]) : "l"(in + i * 32));
  }
  const unsigned life = cycles / 2 + mixed(blockIdx.x) % cycles;
  while (clock64_now() - start < life) {
  }
  float x = held[0];
#pragma unroll
  for (int i = 1; i < kValues; ++i) {
    x = x * x + held[i];
  }
  if (x == 3.25f) {
    *sink = x;
  }
  __syncthreads();  // of the warps that are left
  if (threadIdx.x == 0) {
    note->end = clock64_now();
  }
}

struct Sm {
  std::vector<long long> starts;
  std::vector<long long> ends;

  // CTAs at once.
  double most() const {
    std::size_t ended = 0, most = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      while (ends[ended] <= starts[i]) {
        ++ended;
      }
      most = std::max(most, i + 1 - ended);
    }
    return static_cast<double>(most);
  }
  bool ended_before(long long start) const {
    const auto after = std::lower_bound(ends.begin(), ends.end(), start);
    return after != ends.begin() && start - after[-1] < kSoon;
  }
};

struct Seen {
  std::map<int, Sm> sms;
  std::vector<double> last_warps;
};

Seen seen_in(const std::vector<Note>& notes, int warps) {
  Seen seen;
  for (auto cta = notes.begin(); cta != notes.end(); cta += warps) {
    const auto [first, last] = std::minmax_element(cta, cta + warps, [](auto a, auto b) { return a.start < b.start; });
    Sm& sm = seen.sms[cta->sm];
    sm.starts.push_back(first->start);
    sm.ends.push_back(cta->end);
    seen.last_warps.push_back(static_cast<double>(last->start - first->start));
  }
  for (auto& [id, sm] : seen.sms) {
    std::sort(sm.starts.begin(), sm.starts.end());
    std::sort(sm.ends.begin(), sm.ends.end());
  }
  return seen;
}

void report_turns(Report& report, const std::string& the_case, Seen& seen, std::size_t resident, bool all_stay) {
  std::vector<double> gaps, most;
  double partner = 0;
  for (auto& [id, sm] : seen.sms) {
    most.push_back(sm.most());
    for (std::size_t i = resident; i < sm.starts.size(); ++i) {
      gaps.push_back(static_cast<double>(sm.starts[i] - sm.ends[i - resident]));
      partner += !sm.ended_before(sm.starts[i]) && seen.sms[id ^ 1].ended_before(sm.starts[i]) ? 1 : 0;
    }
  }
  if (all_stay) {
    report.scalar("cta_turn", the_case, "gap", median(gaps), "cycle");
    report.scalar("cta_turn", the_case, "last_warp", median(seen.last_warps), "cycle");
  }
  report.scalar("cta_turn", the_case, "most", median(most), "CTA");
  report.scalar("cta_turn", the_case, "partner", 100 * partner / static_cast<double>(gaps.size()), "%");
}

// With at most `places` CTAs on an SM.
template <int kValues>
void turn(Report& report, int threads, int places, int stays) {
  const Recorder<float> in(1 << 16);
  const Recorder<float> sink(1);
  const auto kernel = probe_cta_turn<kValues>;
  int resident = 0, shared = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (places < resident) {
    resident = places;
    shared = (227 / places - 1) * 1024;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "cudaFuncSetAttribute");
  }
  const int ctas = sm_count() * resident * kTurns;
  const int warps = threads / 32;
  Recorder<Note> notes(static_cast<std::size_t>(ctas) * warps);
  for (int pass = 0; pass < 2; ++pass) {  // the first finds caches cold
    kernel<<<ctas, threads, shared>>>(kLife * resident, stays, in.device(), notes.device(), sink.device());
    finish("probe_cta_turn");
  }
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  Seen seen = seen_in(notes.host(), warps);
  report_turns(report,
               "threads=" + std::to_string(threads) + ";resident=" + std::to_string(resident) +
                   ";registers=" + std::to_string(attributes.numRegs) + ";stays=" + std::to_string(stays),
               seen, resident, stays == warps);
}

}  // namespace

void cta_turn(Report& report) {
  for (const int threads : {64, 128, 256, 512, 1024}) {
    for (const int resident : {1, 4, 16}) {
      if (resident == 1 || threads * resident <= 2048) {
        turn<1>(report, threads, resident, threads / 32);
      }
    }
    for (const int stays : {1, 2, 4}) {
      if (threads >= 128 && stays < threads / 32) {
        turn<1>(report, threads, 32, stays);
        turn<24>(report, threads, 32, stays);
      }
    }
    if (threads == 128 || threads == 256) {
      turn<90>(report, threads, 32, 1);
      turn<90>(report, threads, 32, 2);
    }
  }
  turn<1>(report, 1024, 32, 8);
  turn<1>(report, 1024, 32, 16);
  turn<24>(report, 512, 32, 8);
  turn<90>(report, 256, 32, 7);
}

}  // namespace tilescope::gpu
