// What the first copy by a tensor map waits for. The thread of a CTA copies boxes of eight rows of 128 bytes one after
// the other, four by each of four maps of the same matrix, by the same instruction.
//   maps: param, in the parameters of the kernel; global, in device memory; read, the same, after the SM has read them
//   by loads past L1; prefetched, in the parameters, all four by prefetch.tensormap, 5,000 cycles before.
//   data: resident, the SM has read them before by loads; cold, nobody has.
//   ctas: one to an SM; all read boxes of their own.
//   first: of the first copy by a map, again: of the other three. of_map: number of the map. Cycles until the data are
//   there, means of the CTAs.
#include "../common/tensor_map.h"
#include "benchmarks.h"
#include "hopper.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kMaps = 4;
constexpr int kOfMap = 4;  // copies
constexpr int kCopies = kMaps * kOfMap;
constexpr int kBoxRows = 8;
constexpr int kColumns = 1024;
constexpr int kRows = 32768;
constexpr std::size_t kBytes = std::size_t{kColumns} * kRows * 2;

struct Maps {
  CUtensorMap of[kMaps];
};
enum class Where { param, global, read, prefetched };

__global__ void copy_first(const __grid_constant__ Maps maps, const Maps* in_memory, Where where, const char* data,
                           bool resident, unsigned* cycles, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  const int first_row = static_cast<int>(blockIdx.x) * kCopies * kBoxRows;
  unsigned sum = 0;
  if (resident) {
    for (int row = 0; row < kCopies * kBoxRows; ++row) {
      sum ^= load_word_past_l1(data + std::size_t{2} * kColumns * (first_row + row) + threadIdx.x * 4);
    }
  }
  const Maps* const used = where == Where::param || where == Where::prefetched ? &maps : in_memory;
  if (where == Where::read) {
    for (unsigned i = threadIdx.x; i < sizeof(Maps) / 4; i += 32) {
      sum ^= load_word_past_l1(reinterpret_cast<const char*>(in_memory) + i * 4);
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
  __syncwarp();
  if (threadIdx.x != 0) {
    return;
  }
  mbarrier_init(barrier, 1);
  mbarrier_publish();
  if (where == Where::prefetched) {
    for (int map = 0; map < kMaps; ++map) {
      asm volatile("prefetch.tensormap [%0];" ::"l"(&used->of[map]) : "memory");
    }
    const unsigned until = clock_now(shared);
    while (clock_now(shared) - until < 5'000) {
    }
  }
#pragma unroll 1
  for (int i = 0; i < kCopies; ++i) {
    const unsigned start = clock_now(shared);
    mbarrier_arrive_expect(barrier, kBoxRows * 128);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared),
        "l"(&used->of[i / kOfMap]), "r"(0), "r"(first_row + i * kBoxRows), "r"(barrier)
        : "memory");
    while (!mbarrier_try_wait(barrier, i % 2)) {
    }
    cycles[blockIdx.x * kCopies + i] = clock_now(shared) - start;
  }
#endif
}

}  // namespace

void tma_first(Report& report) {
  if (!has_hopper("tma_first")) {
    return;
  }
  const Recorder<char> data(kBytes);
  Maps maps;
  for (CUtensorMap& map : maps.of) {
    map = matrix_map(data.device(), kRows, kColumns, kBoxRows, 64, 128);
  }
  const Recorder<Maps> in_memory(std::vector<Maps>{maps});
  const Recorder<unsigned> sink(1);
  allow_shared_memory(copy_first, kOneCtaPerSm);
  const struct {
    Where where;
    const char* name;
  } places[] = {
      {Where::param, "param"}, {Where::global, "global"}, {Where::read, "read"}, {Where::prefetched, "prefetched"}};
  for (const auto& place : places) {
    for (const bool resident : {true, false}) {
      for (const int ctas : {1, sm_count()}) {
        const Recorder<unsigned> cycles(static_cast<std::size_t>(ctas) * kCopies);
        for (int pass = 0; pass < 2; ++pass) {  // the first brings the code
          flush_l2();
          copy_first<<<ctas, 32, kOneCtaPerSm>>>(maps, in_memory.device(), place.where, data.device(), resident,
                                                 cycles.device(), sink.device());
          finish("tma_first");
        }
        double mean[kCopies] = {};
        const std::vector<unsigned> all = cycles.host();
        for (std::size_t i = 0; i < all.size(); ++i) {
          mean[i % kCopies] += static_cast<double>(all[i]) / ctas;
        }
        for (int map = 0; map < kMaps; ++map) {
          const double* const own = mean + map * kOfMap;
          const std::string the_case = std::string("maps=") + place.name + ";data=" + (resident ? "resident" : "cold") +
                                       ";ctas=" + std::to_string(ctas) + ";of_map=" + std::to_string(map);
          report.scalar("tma_first", the_case, "first", own[0], "cycle");
          report.scalar("tma_first", the_case, "again", (own[1] + own[2] + own[3]) / (kOfMap - 1), "cycle");
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
