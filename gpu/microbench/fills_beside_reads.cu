// What lines that come into L2 take of its slices. Some SMs read lines of device memory, each once; others read lines
// that L2 has, from a common moment on and for a fixed time; what they read in the later part of it is counted. All
// reads are past L1, 16 bytes a lane.
//   who: fetch, one SM of four reads device memory; read, the other three read what L2 has; both, at once; all, every
//   SM reads what L2 has; mixed, every SM does both, a quarter of its warps the first.
//   home: of what L2 has, as in home_rates. Of device memory half is far from whoever reads it.
//   read: of what L2 has: line, four an instruction; sector, 32 bytes of each of four.
//   fetched and read: sectors a cycle of the SM, all SMs.
#include <string>

#include "benchmarks.h"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 256U << 20U;  // of which parts are kept in L2
constexpr std::size_t kStream = std::size_t{2} << 30U;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kPlacesOfSm = 2 * kWarps;
constexpr unsigned kLine = 128;
constexpr unsigned kOfWarp = 2 * kPlace;  // bytes
constexpr unsigned kCountFrom = 20'000;   // cycles
constexpr unsigned kCountTo = 80'000;
constexpr int kGroup = 8;  // reads between two looks at the clock

enum class Role { idle, fetches, reads, both };
enum class Read { line, sector };

template <Read kRead>
__device__ unsigned read_group(const char* const (&from)[kGroup]) {
  uint4 v[kGroup] = {};
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    if (kRead == Read::line) {
      v[i] = load_past_l1(reinterpret_cast<const uint4*>(from[i]));
    } else {
      v[i].x = load_word_past_l1(from[i]);
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  }
  return sum;
}

template <Read kRead>
__device__ unsigned read_some(const char* data, const unsigned* own, unsigned step) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const char* from[kGroup];
  for (int i = 0; i < kGroup; ++i) {
    const unsigned at = (step * kGroup + i) * 4 * kLine % kOfWarp;
    from[i] = data + std::size_t{own[warp * 2 + at / kPlace]} * kPlace + at % kPlace +
              (kRead == Read::line ? lane * 16 : lane / 8 * kLine + lane % 8 * 4);
  }
  return read_group<kRead>(from);
}

// The SMs' warps take pieces of 4 KiB in turn.
__device__ unsigned fetch_some(const char* stream, unsigned reader, unsigned readers, unsigned step) {
  const std::size_t piece = (std::size_t{step} * readers + reader) * kGroup * 4 * kLine % kStream;
  const char* from[kGroup];
  for (int i = 0; i < kGroup; ++i) {
    from[i] = stream + piece + i * 4 * kLine + threadIdx.x % 32 * 16;
  }
  return read_group<Read::line>(from);
}

// The sectors that an SM got within the counted time.
struct Got {
  unsigned long long fetched, read;
};

template <Read kRead>
__global__ void __launch_bounds__(kThreads)
    fetch_and_read(const char* data, const char* stream, unsigned first, const unsigned* reads_from, const Role* roles,
                   Got* got, unsigned* sink) {
  const int sm = sm_id();
  const Role role = roles[sm];
  if (role == Role::idle) {
    return;
  }
  const unsigned* const from = reads_from + sm * kPlacesOfSm;
  const unsigned warp = threadIdx.x / 32;
  const bool fetches = role == Role::fetches || (role == Role::both && warp % 4 == 3);
  unsigned sum = 0;
  for (unsigned step = 0; step < kOfWarp / kLine / 4 / kGroup; ++step) {  // L2 has them all, and a copy of what is far
    sum ^= read_some<Read::line>(data, from, step);
  }
  __syncthreads();  // all warps wait for the same value
  const long long begin = ((globaltimer_now() >> 16) + 2) << 16;
  while (globaltimer_now() < begin) {
  }
  __syncthreads();
  const unsigned start = clock_now(threadIdx.x);
  unsigned counted = 0;
  unsigned now = 0;
  for (unsigned step = 0; now < kCountTo; ++step) {
    sum ^= fetches ? fetch_some(stream, blockIdx.x * kWarps + warp, gridDim.x * kWarps, first + step)
                   : read_some<kRead>(data, from, step);
    now = clock_now(threadIdx.x) - start;
    counted += now >= kCountFrom && now < kCountTo ? 1 : 0;
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(fetches ? &got[sm].fetched : &got[sm].read,
              1ULL * counted * kGroup * (fetches || kRead == Read::line ? 16 : 4));
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

struct Who {
  const char* name;
  Role fourth, others;
};
constexpr Who kWho[] = {{"fetch", Role::fetches, Role::idle},
                        {"read", Role::idle, Role::reads},
                        {"both", Role::fetches, Role::reads},
                        {"all", Role::reads, Role::reads},
                        {"mixed", Role::both, Role::both}};

struct Buffers {
  Recorder<char> data{kBytes}, stream{kStream};
};

template <Read kRead>
void measure(Report& report, const Buffers& buffers, Whose whose, const Recorder<unsigned>& reads_from) {
  const auto kernel = &fetch_and_read<kRead>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const int sms = sm_count();
  static const Recorder<unsigned> sink(1);
  static unsigned first = 0;
  for (const Who& who : kWho) {
    std::vector<Role> roles;
    for (int sm = 0; sm < sms; ++sm) {
      roles.push_back(sm % 4 == 0 ? who.fourth : who.others);
    }
    const Recorder<Role> role_of(roles);
    Recorder<Got> got(sms);
    for (int pass = 0; pass < 2; ++pass) {  // the first brings the code
      got.clear();
      kernel<<<sms, kThreads, kOneCtaPerSm>>>(buffers.data.device(), buffers.stream.device(), first,
                                              reads_from.device(), role_of.device(), got.device(), sink.device());
      finish("fills_beside_reads");
      first += 120;  // more than a launch gets through
    }
    double fetched = 0;
    double read = 0;
    for (const Got& one : got.host()) {
      fetched += static_cast<double>(one.fetched) / (kCountTo - kCountFrom);
      read += static_cast<double>(one.read) / (kCountTo - kCountFrom);
    }
    const std::string the_case = std::string("who=") + who.name + ";home=" + name_of(whose) +
                                 ";read=" + (kRead == Read::line ? "line" : "sector");
    if (fetched != 0) {
      report.scalar("fills_beside_reads", the_case, "fetched", fetched, "sector/cycle");
    }
    if (read != 0) {
      report.scalar("fills_beside_reads", the_case, "read", read, "sector/cycle");
    }
  }
}

}  // namespace

void fills_beside_reads(Report& report) {
  const Buffers buffers;
  const Homes homes = find_homes(reinterpret_cast<unsigned*>(buffers.data.device()), kBytes);
  for (const Whose whose : {Whose::own, Whose::other, Whose::both}) {
    const Recorder<unsigned> reads_from(lists_of_places(homes, whose, kPlacesOfSm, 0));
    measure<Read::line>(report, buffers, whose, reads_from);
    measure<Read::sector>(report, buffers, whose, reads_from);
  }
}

}  // namespace tilescope::gpu
