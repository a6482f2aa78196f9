// How long does a word take from the CTA that stores it to one that waits for it? One CTA on each SM; the first stores
// to a flag, the second reads that flag until it has come and stores to the next, and so on through all SMs, several
// rounds. order=near: SMs by their numbers; far: each 7 further. hop: from one to the next. how: relaxed, words alone;
// acquire, loads that acquire and stores that release; fence, a fence before each store and after each wait, as scans
// do. pitch: bytes from flag to flag. seen: reads of a flag until it had come.
#include <numeric>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 16;

enum class How { relaxed, acquire, fence };
const char* const kHow[] = {"relaxed", "acquire", "fence"};

struct Chain {
  How how;
  unsigned step, pitch;
};

__device__ unsigned read_flag(How how, const unsigned* flag) {
  unsigned value;
  if (how == How::acquire) {
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  } else {
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  }
  return value;
}

__device__ void write_flag(How how, unsigned* flag, unsigned value) {
  if (how == How::acquire) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
    return;
  }
  if (how == How::fence) {
    __threadfence();
  }
  asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__global__ void probe_cta_chain(unsigned* flags, unsigned* arrived, Chain chain, long long* cycles, unsigned* reads) {
  if (threadIdx.x != 0) {
    return;
  }
  const unsigned sms = gridDim.x, sm = static_cast<unsigned>(sm_id());
  unsigned place = 0;  // in the chain: its SM's number is place * step modulo the SMs
  while (place * chain.step % sms != sm) {
    ++place;
  }
  atomicAdd(arrived, 1);
  while (read_flag(How::relaxed, arrived) != sms) {
  }
  unsigned* const mine = flags + static_cast<std::size_t>(place) * chain.pitch / 4;
  unsigned* const next = flags + static_cast<std::size_t>((place + 1) % sms) * chain.pitch / 4;
  const long long start = clock64_now();
  unsigned seen = 0;
  for (unsigned round = 1; round <= kRounds; ++round) {
    if (place != 0 || round != 1) {
      const unsigned awaited = place == 0 ? round - 1 : round;
      do {
        ++seen;
      } while (read_flag(chain.how, mine) != awaited);
      if (chain.how == How::fence) {
        __threadfence();
      }
    }
    write_flag(chain.how, next, round);
  }
  if (place == 0) {
    *cycles = clock64_now() - start;
  }
  atomicAdd(reads, seen);
}

}  // namespace

void cta_chain(Report& report) {
  check(cudaFuncSetAttribute(probe_cta_chain, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const int sms = sm_count();
  for (const How how : {How::relaxed, How::acquire, How::fence}) {
    for (unsigned step : {1U, 7U}) {
      while (std::gcd(step, static_cast<unsigned>(sms)) != 1) {
        ++step;
      }
      for (const unsigned pitch : {8U, 128U, 4096U}) {
        const Recorder<unsigned> flags(static_cast<std::size_t>(sms) * pitch / 4);
        const Recorder<unsigned> arrived(1), reads(1);
        const Recorder<long long> cycles(1);
        probe_cta_chain<<<sms, 32, kOneCtaPerSm>>>(flags.device(), arrived.device(), {how, step, pitch},
                                                   cycles.device(), reads.device());
        finish("probe_cta_chain");
        const std::string the_case = std::string("how=") + kHow[static_cast<int>(how)] +
                                     ";order=" + (step == 1 ? "near" : "far") + ";pitch=" + std::to_string(pitch);
        const double hops = static_cast<double>(sms) * kRounds;
        report.scalar("cta_chain", the_case, "hop", static_cast<double>(cycles.host()[0]) / (hops - sms), "cycle");
        report.scalar("cta_chain", the_case, "seen", static_cast<double>(reads.host()[0]) / hops, "");
      }
    }
  }
}

}  // namespace tilescope::gpu
