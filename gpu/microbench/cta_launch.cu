// When and where do CTAs start? Trace rows: row = linear CTA index; index 0: SM, 1: start, 2: end (clock64 of that SM),
// 3: start, 4: end (globaltimer, ns).
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
    for (int cta = 0; cta < c.ctas; ++cta) {
      for (int field = 0; field < 5; ++field) {
        report.trace("cta_launch", the_case, cta, field, seen[cta * 5 + field]);
      }
    }
  }
}

}  // namespace tilescope::gpu
