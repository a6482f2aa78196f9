// What bulk copies and stores of the same SM cost each other. Eight warps store tiles as tile_store does, into lines
// that L2 has; at the same moment one thread asks for pieces of 16 KiB that L2 has, all at once.
//   sms=1 or all: that store and copy, all from the same moment on. tiles: of 64 KiB each. pieces: of 16 KiB.
//   issued: until the last store has issued; stored: until L2 has them all; copied: until the last piece is there.
//   Means of the SMs and of five launches.
#include "benchmarks.h"
#include "hopper.cuh"
#include "tile_of_sums.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kPitch = 4096;  // bytes
constexpr int kStoringWarps = 8;
constexpr int kThreads = 32 * (kStoringWarps + 1);
constexpr int kPieceBytes = 16384;
constexpr int kMostPieces = 12;
constexpr int kSharedBytes = kMostPieces * kPieceBytes + 1024;
constexpr int kLaunches = 5;

struct Result {
  int issued, stored, copied;
};

__global__ void copies_beside_stores(float2* to, int tiles, const char* from, int pieces, Result* results) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const char* const own = from + static_cast<std::size_t>(blockIdx.x) * kMostPieces * kPieceBytes;
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    mbarrier_publish();
  }
  float sum = 0;  // brings what is copied into L2
  for (int i = static_cast<int>(threadIdx.x); i < pieces * kPieceBytes / 16; i += kThreads) {
    sum += sum_of_four(reinterpret_cast<const float*>(own + static_cast<std::size_t>(i) * 16));
  }
  if (sum != 0) {
    results[blockIdx.x].issued = 1;
  }
  // All SMs begin when the timer comes to the same value.
  const long long begin = ((globaltimer_now() >> 16) + 2) << 16;
  while (globaltimer_now() < begin) {
  }
  __syncthreads();
  const unsigned start = clock_now();
  Result& result = results[blockIdx.x];
  if (warp < kStoringWarps) {
    for (int tile = 0; tile < tiles; ++tile) {
      const int row = ((static_cast<int>(blockIdx.x) * tiles + tile) * kStoringWarps + warp) * kTileRows;
      store_tile_of_sums(to, kPitch, row, lane);
    }
    const int issued = static_cast<int>(clock_now() - start);
    __threadfence();
    const int stored = static_cast<int>(clock_now() - start);
    if (lane == 0) {
      atomicMax(&result.issued, issued);
      atomicMax(&result.stored, stored);
    }
  } else if (lane == 0 && pieces != 0) {
    mbarrier_arrive_expect(barrier, pieces * kPieceBytes);
    for (int i = 0; i < pieces; ++i) {
      bulk_load(shared + i * kPieceBytes, own + static_cast<std::size_t>(i) * kPieceBytes, kPieceBytes, barrier);
    }
    while (!mbarrier_try_wait(barrier, 0)) {
    }
    result.copied = static_cast<int>(clock_now() - start);
  }
#endif
}

}  // namespace

void copies_and_stores(Report& report) {
  if (!has_hopper("copies_and_stores")) {
    return;
  }
  allow_shared_memory(copies_beside_stores, kSharedBytes);
  const Recorder<float2> to(std::size_t{1} << 27);
  const Recorder<char> from(static_cast<std::size_t>(sm_count()) * kMostPieces * kPieceBytes);
  for (const bool all : {false, true}) {
    const int ctas = all ? sm_count() : 1;
    for (const int tiles : {0, 1, 2, 4}) {
      for (const int pieces : {0, 1, 3, 6, 12}) {
        double issued = 0;
        double stored = 0;
        double copied = 0;
        for (int launch = 0; launch <= kLaunches; ++launch) {
          const Recorder<Result> results(static_cast<std::size_t>(ctas));
          copies_beside_stores<<<ctas, kThreads, kSharedBytes>>>(to.device(), tiles, from.device(), pieces,
                                                                 results.device());
          finish("copies_and_stores");
          for (const Result& one : results.host()) {
            if (launch > 0) {  // the first brings code and lines
              issued += one.issued;
              stored += one.stored;
              copied += one.copied;
            }
          }
        }
        const std::string the_case = std::string("sms=") + (all ? "all" : "1") + ";tiles=" + std::to_string(tiles) +
                                     ";pieces=" + std::to_string(pieces);
        const double runs = static_cast<double>(ctas) * kLaunches;
        report.scalar("copies_and_stores", the_case, "issued", issued / runs, "cycle");
        report.scalar("copies_and_stores", the_case, "stored", stored / runs, "cycle");
        report.scalar("copies_and_stores", the_case, "copied", copied / runs, "cycle");
      }
    }
  }
}

}  // namespace tilescope::gpu
