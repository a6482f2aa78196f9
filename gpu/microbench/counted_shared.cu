// How much of what SMs read together comes from L2 once for several of them, when nobody keeps them in step:
// readers=all, every SM reads every line of `mib` MiB that L2 holds, `passes` times; readers=one, each line has one
// reader. of=gpc: `sms` SMs of the largest GPC; of=tpc: one of each of its pairs; of=gpu: all SMs.
// For ncu --cache-control none: the first launch brings the lines into L2.
// l1tex__m_xbar2l1tex_read_sectors counts what the SMs get, lts__t_sectors_srcunit_tex_op_read what L2 is asked for.

#include "benchmarks.h"
#include "gpc_map.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 1024;
constexpr int kGpcMib = 16;  // that the SMs of one GPC read
constexpr int kMostMib = 40;
constexpr std::size_t kMib = 1 << 20;

__global__ void __launch_bounds__(kThreads) probe_shared(const uint4* data, int tiles, int passes, bool shared,
                                                         const int* rank_of_sm, int readers, unsigned* sink) {
  read_tiles(data, tiles, passes, shared, rank_of_sm, readers, sink);
}

}  // namespace

void counted_shared(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  const Recorder<uint4> data(kMostMib * kMib / sizeof(uint4));
  const Recorder<unsigned> sink(1);
  check(cudaFuncSetAttribute(probe_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const auto count = [&](const std::vector<int>& sms, bool shared, const char* of, int mib, int passes) {
    const SmSet set(sms);
    probe_shared<<<sm_count(), kThreads, kOneCtaPerSm>>>(data.device(),
                                                         static_cast<int>(mib * kMib / (kReadTile * sizeof(uint4))),
                                                         passes, shared, set.ranks(), set.size(), sink.device());
    finish("probe_shared");
    report.launch("counted_shared", std::string("of=") + of + ";sms=" + std::to_string(sms.size()) +
                                        ";readers=" + (shared ? "all" : "one") + ";mib=" + std::to_string(mib) +
                                        ";passes=" + std::to_string(passes));
  };
  count(gpc, false, "gpc", kGpcMib, 4);
  for (const int sms : {1, 2, 4, 6, 8, 10, 12, 14, 16, 18}) {
    if (sms <= static_cast<int>(gpc.size())) {
      const std::vector<int> some(gpc.begin(), gpc.begin() + sms);
      count(some, true, "gpc", kGpcMib, 4);
      count(some, false, "gpc", kGpcMib, 4);
    }
  }
  std::vector<int> pairs;
  for (std::size_t i = 0; i < gpc.size(); i += 2) {
    pairs.push_back(gpc[i]);
  }
  count(pairs, true, "tpc", kGpcMib, 4);
  std::vector<int> all;
  for (int i = 0; i < sm_count(); ++i) {
    all.push_back(i);
  }
  for (const int mib : {1, 2, 8, 16}) {
    const int passes = mib == 16 ? 4 : 16;
    count(all, true, "gpu", mib, passes);
    count(all, false, "gpu", mib, passes);
  }
  // They drift apart as they go on.
  for (const int mib : {8, 16, 24, 32, 40}) {
    for (const int passes : {2, 8, 32}) count(all, true, "gpu", mib, passes);
  }
}

}  // namespace tilescope::gpu
