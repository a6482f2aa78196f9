// When and where do CTAs start, and how long after the CTA whose place they take ended? Trace rows: row = linear CTA
// index; index 0: SM, 1: start, 2: end (clock64 of that SM), 3: start, 4: end (globaltimer, ns).
#include <algorithm>
#include <map>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

__global__ void note(int spin_cycles, long long* notes) {
  const long long start = clock64_now();
  const long long start_ns = globaltimer_now();
  while (clock64_now() - start < spin_cycles) {
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    long long* const mine = notes + blockIdx.x * 5;
    mine[0] = sm_id();
    mine[1] = start;
    mine[3] = start_ns;
    mine[4] = globaltimer_now();
    mine[2] = clock64_now();
  }
}

// Cycles from a CTA's end to its successor's start, sorted; `resident` CTAs share an SM.
std::vector<long long> successor_gaps(const std::vector<long long>& notes, int ctas, int resident) {
  struct Sm {
    std::vector<long long> starts;
    std::vector<long long> ends;
  };
  std::map<long long, Sm> sms;
  for (int cta = 0; cta < ctas; ++cta) {
    Sm& sm = sms[notes[cta * 5]];
    sm.starts.push_back(notes[cta * 5 + 1]);
    sm.ends.push_back(notes[cta * 5 + 2]);
  }
  std::vector<long long> gaps;
  for (auto& [id, sm] : sms) {
    std::sort(sm.starts.begin(), sm.starts.end());
    std::sort(sm.ends.begin(), sm.ends.end());
    for (std::size_t i = resident; i < sm.starts.size(); ++i) {  // the first end frees the first place
      gaps.push_back(sm.starts[i] - sm.ends[i - resident]);
    }
  }
  std::sort(gaps.begin(), gaps.end());
  return gaps;
}

// Cycles from the first start on an SM to that of the last of the `resident` CTAs that it holds, median of all SMs.
double first_wave(const std::vector<long long>& notes, int resident) {
  std::map<long long, std::vector<long long>> starts;
  for (std::size_t cta = 0; cta * 5 < notes.size(); ++cta) {
    starts[notes[cta * 5]].push_back(notes[cta * 5 + 1]);
  }
  std::vector<long long> spans;
  for (auto& [sm, of_sm] : starts) {
    std::sort(of_sm.begin(), of_sm.end());
    spans.push_back(of_sm[resident - 1] - of_sm[0]);
  }
  std::sort(spans.begin(), spans.end());
  return static_cast<double>(spans[spans.size() / 2]);
}

}  // namespace

void cta_launch(Report& report) {
  const struct {
    int ctas;
    int threads;
    int spin_cycles;
  } cases[] = {{132, 1024, 0},    {1056, 1024, 0}, {1056, 1024, 20000}, {2112, 256, 0},     {2112, 256, 20000},
               {2112, 256, 2000}, {4224, 32, 0},   {4224, 32, 5000},    {1056, 256, 20000}, {1056, 512, 20000}};
  for (const auto& c : cases) {
    Recorder<long long> notes(static_cast<std::size_t>(c.ctas) * 5);
    for (int pass = 0; pass < 2; ++pass) {
      note<<<c.ctas, c.threads>>>(c.spin_cycles, notes.device());
      finish("note");
    }
    const std::vector<long long> seen = notes.host();
    const std::string the_case = "ctas=" + std::to_string(c.ctas) + ";threads=" + std::to_string(c.threads) +
                                 ";spin=" + std::to_string(c.spin_cycles);
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, note, c.threads, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const std::vector<long long> gaps = successor_gaps(seen, c.ctas, resident);
    if (!gaps.empty() && c.spin_cycles > 0) {
      report.scalar("cta_launch", the_case, "successor_gap", static_cast<double>(gaps[gaps.size() / 2]), "cycle");
    }
    if (resident > 1 && c.ctas >= resident * sm_count() && c.spin_cycles > 2000) {
      report.scalar("cta_launch", the_case, "tpc_interval", first_wave(seen, resident) / (2 * resident - 1), "cycle");
    }
    for (int cta = 0; cta < c.ctas; ++cta) {
      for (int field = 0; field < 5; ++field) {
        report.trace("cta_launch", the_case, cta, field, seen[cta * 5 + field]);
      }
    }
  }
}

}  // namespace tilescope::gpu
