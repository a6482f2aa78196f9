// At what frequency SMs run beside tensor cores that work. One warpgroup of each working SM multiplies in bursts, with
// pauses between them; the other SMs wait, and every SM reads its clock and the wall clock before and after.
//   op=wgmma: m64n64k16, A and B in shared memory; op=mma: m16n8k16 of four warps. data=zeros or random.
//   burst: instructions of a warp without a pause; pause: cycles. work=one: one SM; half: every other SM; all.
//   working, neighbours, others: MHz of the SMs that work, of those in their GPCs that do not, and of all others.
//   question=latency: an SM of the working one's GPC, or of another GPC, follows a chain of lines that L2 has: cycles
//   and ns of a load. question=transient: trace rows are 0 for the working SM's neighbour and 1 for an SM of another
//   GPC; index is ns since the work began, less the lead; value: MHz since the sample before, in units of 0.1. Scalars:
//   when work begins and ends.
#include <algorithm>
#include <random>

#include "../common/wgmma.cuh"
#include "benchmarks.h"
#include "gpc_map.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSharedBytes = kOneCtaPerSm;
constexpr int kSamples = 2048;
constexpr int kChain = 2048;  // lines
[[maybe_unused]] constexpr int kLoads = 512;

enum class Role { kWait, kWork, kChase, kSample };

struct Sample {
  long long cycles;
  long long ns;
};
struct Work {
  int rounds;
  int burst;
  int pause;     // cycles
  int random;    // whether operands are
  int lead_ns;   // before work begins
  int trail_ns;  // that those who wait go on for after its end
};

template <bool kWgmma>
__device__ void multiply(unsigned long long descriptor, unsigned (&sums)[32], const unsigned (&a)[4], int burst) {
#ifdef TILESCOPE_SM90A
  if constexpr (kWgmma) {
    wgmma_fence();
    for (int i = 0; i < burst; ++i) {
      wgmma<Input::kF16, 64, false, false>(sums, descriptor + 512 + i % 4 * 2, descriptor + i % 4 * 2);
    }
    wgmma_commit();
    wgmma_wait<0>();
  } else {
    for (int i = 0; i < burst; i += 4) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
            "%2, %3};"
            : "+r"(sums[4 * j]), "+r"(sums[4 * j + 1]), "+r"(sums[4 * j + 2]), "+r"(sums[4 * j + 3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[0]), "r"(a[1]));
      }
    }
  }
#endif
}

// samples: two of each SM, its first and its last; series: kSamples of each.
template <bool kWgmma>
__global__ void __launch_bounds__(128, 1)
    clocks(const Role* roles, Work work, unsigned long long descriptor, unsigned long long* chain, int workers,
           int* ended, int* arrived, Sample* samples, Sample* series, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  const int sm = sm_id();
  const Role role = roles[sm];
  const unsigned shared = aligned_shared();
  for (unsigned i = 4 * threadIdx.x; i < 32 * 1024; i += 4 * blockDim.x) {
    unsigned x = (i + 1) * 2654435761U;
    x ^= x >> 15;
    x *= 2246822519U;
    const unsigned halves = (x & 0x83ff83ffU) | 0x38003800U;  // -1 to 1
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared + i), "r"(work.random != 0 ? halves : 0) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  unsigned a[4];
  for (int i = 0; i < 4; ++i) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a[i]) : "r"(shared + threadIdx.x % 32 * 16 + 4 * i));
  }
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*static_cast<volatile int*>(arrived) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  const long long begin = globaltimer_now();
  if (threadIdx.x == 0) {
    samples[2 * sm] = {clock64_now(), begin};
  }
  if (role == Role::kWork) {
    while (globaltimer_now() - begin < work.lead_ns) {
    }
    __syncthreads();
    if (threadIdx.x == 0 && work.lead_ns != 0) {
      samples[2 * sm] = {clock64_now(), globaltimer_now()};
    }
    unsigned sums[32] = {};
#pragma unroll 1
    for (int round = 0; round < work.rounds; ++round) {
      multiply<kWgmma>(descriptor + shared / 16, sums, a, work.burst);
      if (work.pause != 0) {
        const unsigned from = clock_now();
        while (clock_now() - from < static_cast<unsigned>(work.pause)) {
        }
      }
    }
    __syncthreads();
    unsigned sum = 0;
    for (const unsigned word : sums) {
      sum ^= word;
    }
    sink[blockIdx.x * 128 + threadIdx.x] = sum;
    if (threadIdx.x == 0) {
      samples[2 * sm + 1] = {clock64_now(), globaltimer_now()};
      __threadfence();
      atomicAdd(ended, 1);
    }
    return;
  }
  if (threadIdx.x != 0) {
    return;
  }
  volatile int* const watched = ended;
  if (role == Role::kChase) {
    unsigned long long at = reinterpret_cast<unsigned long long>(chain);
    for (int i = 0; i < kChain; ++i) {
      asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(at) : "memory");
    }
    const long long ns = globaltimer_now();
    const long long from = clock64_now();
    for (int i = 0; i < kLoads; ++i) {
      asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(at) : "memory");
    }
    samples[2 * sm] = {from, ns};
    samples[2 * sm + 1] = {clock64_now(), globaltimer_now()};
    sink[blockIdx.x * 128] = static_cast<unsigned>(at);
    return;
  }
  if (role == Role::kSample) {
    long long until = -1;
    for (int i = 0; i < kSamples; ++i) {
      const long long ns = globaltimer_now();
      series[static_cast<long long>(sm) * kSamples + i] = {clock64_now(), ns};
      if (until < 0 && *watched == workers) {
        until = ns + work.trail_ns;
      }
      if (until >= 0 && ns > until) {
        break;
      }
      const unsigned from = clock_now();
      while (clock_now() - from < 400) {
      }
    }
    return;
  }
  while (*watched < workers) {
    __nanosleep(2000);
  }
  samples[2 * sm + 1] = {clock64_now(), globaltimer_now()};
#endif
}

struct Machine {
  std::vector<std::vector<int>> gpcs = gpc_map();
  int sms = sm_count();
  Recorder<Role> roles{static_cast<std::size_t>(sms)};
  Recorder<unsigned long long> chain{std::size_t{kChain} * 16};
  Recorder<int> counts{2};
  Recorder<Sample> samples{static_cast<std::size_t>(sms) * 2};
  Recorder<Sample> series{static_cast<std::size_t>(sms) * kSamples};
  Recorder<unsigned> sink{static_cast<std::size_t>(sms) * 128};
};

double mhz(const Sample& from, const Sample& to) {
  return 1e3 * static_cast<double>(to.cycles - from.cycles) / static_cast<double>(to.ns - from.ns);
}

template <bool kWgmma>
void launch(Machine& machine, const std::vector<Role>& roles, const Work& work) {
  const int workers = static_cast<int>(std::count(roles.begin(), roles.end(), Role::kWork));
  check(cudaMemcpy(machine.roles.device(), roles.data(), roles.size() * sizeof(Role), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  machine.counts.clear();
  machine.series.clear();
  clocks<kWgmma><<<machine.sms, 128, kSharedBytes>>>(machine.roles.device(), work, Layout{128, true}.descriptor(),
                                                     machine.chain.device(), workers, machine.counts.device(),
                                                     machine.counts.device() + 1, machine.samples.device(),
                                                     machine.series.device(), machine.sink.device());
  finish("clocks");
}

template <bool kWgmma>
std::string text(const Work& work) {
  return std::string("op=") + (kWgmma ? "wgmma" : "mma") + ";data=" + (work.random != 0 ? "random" : "zeros") +
         ";burst=" + std::to_string(work.burst) + ";pause=" + std::to_string(work.pause);
}

template <bool kWgmma>
void frequency(Report& report, Machine& machine, const std::string& who, Work work) {
  std::vector<Role> roles(machine.sms, Role::kWait);
  for (std::size_t gpc = 0; gpc < machine.gpcs.size(); ++gpc) {
    for (std::size_t i = 0; i < machine.gpcs[gpc].size(); ++i) {
      const bool works = who == "all" || (who == "half" && i % 2 == 0) || (who == "one" && gpc == 0 && i == 0);
      if (works) roles[machine.gpcs[gpc][i]] = Role::kWork;
    }
  }
  const int each = work.burst * (kWgmma ? 32 : 8) + work.pause + 100;
  work.rounds = 400000 / each + 1;  // some 200 us
  for (int pass = 0; pass < 2; ++pass) {
    launch<kWgmma>(machine, roles, work);
  }
  const std::vector<Sample> samples = machine.samples.host();
  double sums[3] = {};
  int counts[3] = {};
  for (const std::vector<int>& gpc : machine.gpcs) {
    const bool touched = std::any_of(gpc.begin(), gpc.end(), [&](int sm) { return roles[sm] == Role::kWork; });
    for (const int sm : gpc) {
      const int kind = roles[sm] == Role::kWork ? 0 : touched ? 1 : 2;
      sums[kind] += mhz(samples[2 * sm], samples[2 * sm + 1]);
      ++counts[kind];
    }
  }
  constexpr const char* kNames[] = {"working", "neighbours", "others"};
  for (int kind = 0; kind < 3; ++kind) {
    if (counts[kind] != 0) {
      report.scalar("tensor_clock", text<kWgmma>(work) + ";work=" + who, kNames[kind], sums[kind] / counts[kind],
                    "MHz");
    }
  }
}

void latency(Report& report, Machine& machine, bool same_gpc, bool working) {
  std::vector<Role> roles(machine.sms, Role::kWait);
  roles[machine.gpcs[0][0]] = Role::kWork;
  const int chaser = same_gpc ? machine.gpcs[0][4] : machine.gpcs[1][4];
  roles[chaser] = Role::kChase;
  const Work work{working ? 4000 : 1, 16, working ? 0 : 2000000, 1, 0, 0};
  for (int pass = 0; pass < 2; ++pass) {
    launch<true>(machine, roles, work);
  }
  const std::vector<Sample> samples = machine.samples.host();
  const std::string the_case =
      std::string("question=latency;tensor=") + (working ? "busy" : "idle") + ";gpc=" + (same_gpc ? "same" : "other");
  report.scalar("tensor_clock", the_case, "cycles",
                static_cast<double>(samples[2 * chaser + 1].cycles - samples[2 * chaser].cycles) / kLoads, "cycle");
  report.scalar("tensor_clock", the_case, "ns",
                static_cast<double>(samples[2 * chaser + 1].ns - samples[2 * chaser].ns) / kLoads, "ns");
}

template <bool kWgmma>
void transient(Report& report, Machine& machine, Work work) {
  std::vector<Role> roles(machine.sms, Role::kWait);
  const int worker = machine.gpcs[0][0];
  const int samplers[] = {machine.gpcs[0][4], machine.gpcs[1][4]};
  roles[worker] = Role::kWork;
  for (const int sm : samplers) roles[sm] = Role::kSample;
  for (int pass = 0; pass < 2; ++pass) {
    launch<kWgmma>(machine, roles, work);
  }
  const std::vector<Sample> samples = machine.samples.host();
  const std::vector<Sample> series = machine.series.host();
  const long long begin = samples[2 * worker].ns;
  const std::string the_case = "question=transient;" + text<kWgmma>(work) + ";rounds=" + std::to_string(work.rounds);
  report.scalar("tensor_clock", the_case, "work", static_cast<double>(samples[2 * worker + 1].ns - begin), "ns");
  for (int row = 0; row < 2; ++row) {
    const Sample* const from = series.data() + static_cast<std::size_t>(samplers[row]) * kSamples;
    for (int i = 1; i < kSamples && from[i].ns != 0; ++i) {
      if (from[i].ns > from[i - 1].ns) {
        report.trace("tensor_clock", the_case, row, static_cast<int>(from[i].ns - begin),
                     static_cast<long long>(10 * mhz(from[i - 1], from[i])));
      }
    }
  }
}

}  // namespace

void tensor_clock(Report& report) {
  if (!has_hopper("tensor_clock")) {
    return;
  }
  allow_shared_memory(clocks<true>, kSharedBytes);
  allow_shared_memory(clocks<false>, kSharedBytes);
  Machine machine;
  std::vector<unsigned long long> chain(std::size_t{kChain} * 16);
  for (int i = 0; i < kChain; ++i) {
    chain[std::size_t{16} * i] =
        reinterpret_cast<unsigned long long>(machine.chain.device() + std::size_t{16} * ((i + 769) % kChain));
  }
  check(cudaMemcpy(machine.chain.device(), chain.data(), chain.size() * 8, cudaMemcpyHostToDevice), "cudaMemcpy");
  for (const char* who : {"one", "half", "all"}) {
    for (const int random : {0, 1}) {
      frequency<true>(report, machine, who, {0, 64, 0, random, 0, 0});
      frequency<false>(report, machine, who, {0, 64, 0, random, 0, 0});
    }
    for (const int burst : {1, 4, 16, 64}) {
      for (const int pause :
           {100, 200, 400, 600, 700, 800, 900, 1000, 1100, 1200, 1400, 1600, 2000, 2400, 3200, 6400, 20000, 100000}) {
        frequency<true>(report, machine, who, {0, burst, pause, 1, 0, 0});
      }
    }
    for (const int burst : {16, 64}) {
      for (const int pause : {200, 800, 1600, 6400, 20000}) {
        frequency<false>(report, machine, who, {0, burst, pause, 1, 0, 0});
      }
    }
  }
  for (const bool same_gpc : {true, false}) {
    latency(report, machine, same_gpc, false);
    latency(report, machine, same_gpc, true);
  }
  transient<true>(report, machine, {40, 64, 0, 1, 20000, 40000});
  transient<true>(report, machine, {1, 4, 0, 1, 20000, 40000});
  transient<true>(report, machine, {8, 4, 20000, 1, 20000, 40000});
  transient<true>(report, machine, {40, 4, 1200, 1, 20000, 40000});
  transient<false>(report, machine, {40, 64, 0, 1, 20000, 40000});
}

}  // namespace tilescope::gpu
