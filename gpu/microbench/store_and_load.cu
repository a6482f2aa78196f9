// How long loads take beside stores of the same SM. Eight warps store tiles as tile_store does; a ninth follows a chain
// of lines that L2 has, past L1, and one thread copies such lines by TMA (8 boxes' worth one behind the other), until
// the stores have issued.
//   sms=1 or all: that store and load. stores=0: nobody stores. latency: mean of a load, and of a bulk copy of 1 KiB,
//   over the SMs. cycles: until the last store has issued.
#include <algorithm>
#include <numeric>

#include "benchmarks.h"
#include "hopper.cuh"
#include "tile_of_sums.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kStoringWarps = 8;
constexpr int kChain = 4096;  // lines, 512 KiB
constexpr int kMostLoads = 64;
[[maybe_unused]] constexpr int kBulkBytes = 1024;

struct Result {
  int cycles;
  int loads, load_cycles;
  int copies, copy_cycles;
};

__global__ void load_beside_stores(float2* to, int pitch, int tiles, const unsigned long long* chain, const char* bulk,
                                   Result* results) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  __shared__ int storing;
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (threadIdx.x == 0) {
    storing = tiles != 0 ? kStoringWarps : 0;
    mbarrier_init(barrier, 1);
    mbarrier_publish();
  }
  __syncthreads();
  const unsigned start = clock_now();
  if (warp < kStoringWarps) {
    for (int tile = 0; tile < tiles; ++tile) {
      const int row = ((static_cast<int>(blockIdx.x) * tiles + tile) * kStoringWarps + warp) * kTileRows;
      store_tile_of_sums(to, pitch, row, lane);
    }
    if (lane == 0) {
      atomicMax(&results[blockIdx.x].cycles, static_cast<int>(clock_now() - start));
      atomicSub(&storing, 1);
    }
    return;
  }
  if (lane != 0) {
    return;
  }
  while (clock_now() - start < 1000) {  // the queues fill
  }
  const volatile int* const left = &storing;
  if (warp == kStoringWarps) {
    unsigned long long at = reinterpret_cast<unsigned long long>(chain + blockIdx.x * 31 % kChain * 16);
    int loads = 0;
    const unsigned from = clock_now();
    do {
      asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(at) : "memory");
      loads += at != 0 ? 1 : 0;
    } while (loads < kMostLoads && (tiles == 0 || *left > 0));
    results[blockIdx.x].load_cycles = static_cast<int>(clock_now() - from);
    results[blockIdx.x].loads = loads;
  } else {
    int copies = 0;
    const unsigned from = clock_now();
    do {
      mbarrier_arrive_expect(barrier, kBulkBytes);
      bulk_load(shared, bulk + (blockIdx.x * 67 + copies) % 512 * kBulkBytes, kBulkBytes, barrier);
      while (!mbarrier_try_wait(barrier, copies % 2)) {
      }
      ++copies;
    } while (copies < kMostLoads && (tiles == 0 || *left > 0));
    results[blockIdx.x].copy_cycles = static_cast<int>(clock_now() - from);
    results[blockIdx.x].copies = copies;
  }
#endif
}

}  // namespace

void store_and_load(Report& report) {
  if (!has_hopper("store_and_load")) {
    return;
  }
  allow_shared_memory(load_beside_stores, kOneCtaPerSm);
  const Recorder<float2> data(std::size_t{1} << 27);
  const Recorder<unsigned long long> chain(std::size_t{kChain} * 16);
  const Recorder<char> bulk(512 * kBulkBytes);
  std::vector<unsigned long long> links(std::size_t{kChain} * 16);
  for (int i = 0; i < kChain; ++i) {
    links[std::size_t{16} * i] =
        reinterpret_cast<unsigned long long>(chain.device() + std::size_t{16} * ((i + 1031) % kChain));
  }
  check(cudaMemcpy(chain.device(), links.data(), links.size() * 8, cudaMemcpyHostToDevice), "cudaMemcpy");
  for (const bool all : {false, true}) {
    for (const int tiles : {0, 1, 2, 4, 8}) {
      const int ctas = all ? sm_count() : 1;
      Recorder<Result> results(ctas);
      for (int pass = 0; pass < 2; ++pass) {
        results.clear();
        load_beside_stores<<<ctas, 32 * (kStoringWarps + 2), kOneCtaPerSm>>>(data.device(), 4096, tiles, chain.device(),
                                                                             bulk.device(), results.device());
        finish("store_and_load");
      }
      double cycles = 0;
      double load = 0;
      double copy = 0;
      for (const Result& one : results.host()) {
        cycles += static_cast<double>(one.cycles) / ctas;
        load += static_cast<double>(one.load_cycles) / std::max(1, one.loads) / ctas;
        copy += static_cast<double>(one.copy_cycles) / std::max(1, one.copies) / ctas;
      }
      const std::string the_case = std::string("sms=") + (all ? "all" : "1") + ";stores=" + std::to_string(tiles);
      report.scalar("store_and_load", the_case, "load", load, "cycle");
      report.scalar("store_and_load", the_case, "copy", copy, "cycle");
      report.scalar("store_and_load", the_case, "cycles", cycles, "cycle");
    }
  }
}

}  // namespace tilescope::gpu
