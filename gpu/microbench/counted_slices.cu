// How evenly do lines in a row load the slices of L2? SMs read a buffer, each line once, four loads of 512 bytes of a
// warp in a row; for the least, the mean and the largest number of sectors that a slice of the GPU is asked for.
//   set=partition: SMs beside one partition of L2, whose slices give all lines (so that the mean of its slices is twice
//   that of all); set=all: all SMs, each slice gives what the SMs beside it read. sms: how many take part; gpcs: of
//   each GPC, those beside the first partition.
// For ncu --cache-control none.
#include "benchmarks.h"
#include "gpc_map.h"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 1024;
constexpr int kMostMib = 64;
constexpr std::size_t kMib = 1 << 20;

__global__ void __launch_bounds__(kThreads)
    probe_slices(const uint4* data, int tiles, const int* rank_of_sm, int readers, unsigned* sink) {
  read_tiles(data, tiles, 1, false, rank_of_sm, readers, sink);
}

}  // namespace

void counted_slices(Report& report) {
  const Recorder<uint4> data(kMostMib * kMib / sizeof(uint4));
  const Recorder<unsigned> sink(1);
  const Homes homes = find_homes(reinterpret_cast<unsigned*>(data.device()), 4 * kMib);
  std::vector<int> beside_first, all;
  for (int sm = 0; sm < sm_count(); ++sm) {
    all.push_back(sm);
    if (homes.of_sm[sm] == 0) beside_first.push_back(sm);
  }
  std::string gpcs;
  for (const std::vector<int>& gpc : gpc_map()) {
    int first = 0;
    for (const int sm : gpc) first += homes.of_sm[sm] == 0 ? 1 : 0;
    gpcs += (gpcs.empty() ? "" : "+") + std::to_string(first) + "of" + std::to_string(gpc.size());
  }
  check(cudaFuncSetAttribute(probe_slices, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "probe_slices");
  for (const bool everyone : {false, true}) {
    const SmSet set(everyone ? all : beside_first);
    for (const int mib : {1, 2, 4, 8, 16, 20, 24, 28, 32, 40, 48, 64}) {
      probe_slices<<<sm_count(), kThreads, kOneCtaPerSm>>>(data.device(),
                                                           static_cast<int>(mib * kMib / (kReadTile * sizeof(uint4))),
                                                           set.ranks(), set.size(), sink.device());
      finish("probe_slices");
      report.launch("counted_slices", std::string("set=") + (everyone ? "all" : "partition") + ";sms=" +
                                          std::to_string(set.size()) + ";gpcs=" + gpcs + ";mib=" + std::to_string(mib));
    }
  }
}

}  // namespace tilescope::gpu
