// What a cp.async of 4 bytes through L1 costs the SM's data stage, by any map of lanes to words and places
// (copy_map.h).
//   state=l1: its lines are in L1; l2: they come from L2; shared: they come from L2, and four copies in a row read
//   neighbouring words of them. group: copies that a warp
//   commits, and waits for, together. cycles: of a copy, kWarps warps on one SM. For ncu:
//   l1tex__data_pipe_lsu_wavefronts, l1tex__data_bank_reads.
#include "../common/copy_map.h"
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kWarps = 8;
constexpr int kCopies = 256;    // of a warp
constexpr int kTile = 32 * 32;  // words

struct Ends {
  int from = -1, to = 0;  // bytes in the tile read, in the tile written; from -1: the lane takes no part
};

template <int kGroup>
__global__ void __launch_bounds__(kWarps * 32)
    probe_copy_maps(const int* data, const Ends* map, int step, bool shared, int sm, int* claims, int* cycles) {
  extern __shared__ __align__(128) int tile[];
  __shared__ Span span;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const Ends ends = map[threadIdx.x % 32];
  const int warp = threadIdx.x / 32;
  const char* from = reinterpret_cast<const char*>(data + warp * kTile) + ends.from;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + warp * kTile)) + ends.to;
  begin_span(span);
  const unsigned start = clock_now();
  for (int round = 0; round < kCopies / kGroup; ++round) {
    if (ends.from >= 0) {
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
        from += !shared ? step : i % 4 < 3 ? 4 : step - 12;
      }
    }
    __syncwarp();
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  end_span(span, start, clock_now(), cycles);
}

}  // namespace

void counted_copy_maps(Report& report) {
  const Recorder<int> data(static_cast<std::size_t>(kWarps) * kTile * (kCopies + 1));
  Recorder<int> claims(1);
  const Recorder<int> cycles(1);
  const DeviceBuffer<Ends> table(32);
  const auto run = [&](auto kernel, int group, const CopyMap& map, const std::string& state) {
    const bool walks = state != "l1", shared = state == "shared";
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
    std::vector<Ends> ends(32);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const CopyLane& lane = map.lanes[i];
      if (lane.active) {
        ends[i] = {(lane.line * 32 + lane.word) * 4, (lane.row * 32 + lane.bank) * 4};
      }
    }
    check(cudaMemcpy(table.data(), ends.data(), table.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    claims.clear();
    kernel<<<4 * sm_count(), kWarps * 32, kOneCtaPerSm>>>(data.device(), table.data(), walks ? kWarps * kTile * 4 : 0,
                                                          shared, 0, claims.device(), cycles.device());
    finish("probe_copy_maps");
    const std::string the_case = "map=" + map.name + ";state=" + state + ";group=" + std::to_string(group);
    report.launch("counted_copy_maps", the_case);
    report.scalar("counted_copy_maps", the_case, "cycles", cycles.host()[0] / static_cast<double>(kWarps * kCopies),
                  "cycle");
  };
  for (const CopyMap& map : copy_maps()) {
    run(probe_copy_maps<8>, 8, map, "l1");
    run(probe_copy_maps<8>, 8, map, "l2");
    run(probe_copy_maps<8>, 8, map, "shared");
    run(probe_copy_maps<1>, 1, map, "l2");
  }
}

}  // namespace tilescope::gpu
