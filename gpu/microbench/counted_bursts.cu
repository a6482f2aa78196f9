// Which requests become one when many are under way? SMs of one GPC read the same lines in bursts, as the tiles of a
// GEMM are read: every step each of them asks for 64 lines (kWarps warps, all at once), some behind the others by a
// delay. l1tex__m_xbar2l1tex_read_sectors counts what the SMs get, lts__t_sectors_srcunit_tex_op_read what L2 is asked
// for. Rank 0 first reads all lines once, alone: kLines * 4 sectors on top of both counts. With state=cold nobody does,
// so that every line comes from device memory; with state=gpc<i> an SM of that GPC does, and half of the lines are far
// ones if it sits beside the other partition.
//
// op: the instruction: cg.32 and ca.32 read a line each, ca.128 and async.16 (cp.async.cg) four lines.
// spread: rank r of n starts a step spread * r / (n - 1) cycles behind rank 0.
#include <string>

#include "benchmarks.h"
#include "gpc_map.h"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLines = 8192;
constexpr int kLinesPerStep = 64;
constexpr int kStepCycles = 4000;

constexpr int kNobody = -1;    // reads the lines first
constexpr int kRankZero = -2;  // does

enum class Op { cg_32, ca_32, ca_128, async_16 };

template <Op op>
__device__ void read_lines(const float* lines, float4* staged, int warps, float& sum) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int per_warp = kLinesPerStep / warps;
  const float* mine = lines + warp * per_warp * 32;
  if constexpr (op == Op::cg_32 || op == Op::ca_32) {
#pragma unroll 8
    for (int i = 0; i < per_warp; ++i) {
      float v;
      if constexpr (op == Op::cg_32) {
        asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(mine + i * 32 + lane) : "memory");
      } else {
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(mine + i * 32 + lane) : "memory");
      }
      sum += v;
    }
  } else if constexpr (op == Op::ca_128) {
#pragma unroll 2
    for (int i = 0; i < per_warp; i += 4) {
      float4 v;
      asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                   : "l"(mine + i * 32 + lane * 4)
                   : "memory");
      sum += v.x + v.y + v.z + v.w;
    }
  } else {
    for (int i = 0; i < per_warp; i += 4) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       shared_address(staged + (warp * per_warp + i) * (128 / sizeof(float4)) + lane)),
                   "l"(mine + i * 32 + lane * 4)
                   : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
}

// One CTA per SM. ready counts the SMs that have come; start is then agreed on: the clocks of one GPC's SMs agree.
template <Op op>
__global__ void probe_bursts(const float* data, const int* rank_of_sm, int readers, int spread, int first_reader,
                             int* ready, unsigned long long* agreed, float* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0 && static_cast<int>(sm_id()) != first_reader) {
    return;
  }
  __shared__ long long start;
  // A copy's destination lies to sectors as its source does; otherwise each sector is asked for twice.
  __shared__ __align__(128) float4 staged[kLinesPerStep * 128 / sizeof(float4)];
  const int warps = static_cast<int>(blockDim.x) / 32;
  float sum = 0.0f;
  if (static_cast<int>(sm_id()) == first_reader) {
    for (int line = static_cast<int>(threadIdx.x) / 32; line < kLines; line += warps) {
      float v;
      asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(data + line * 32 + threadIdx.x % 32) : "memory");
      sum += v;
    }
    __syncthreads();
    if (rank < 0) {
      if (threadIdx.x == 0) {
        atomicAdd(ready, 1);
      }
      sink[blockDim.x * readers + threadIdx.x] = sum;
      return;
    }
  }
  if (threadIdx.x == 0) {
    const int all = readers + (first_reader >= 0 && rank_of_sm[first_reader] < 0 ? 1 : 0);
    start = agreed_start(rank, all, ready, agreed);
  }
  __syncthreads();
  long long next = start + (readers > 1 ? spread * rank / (readers - 1) : 0);
  for (int line = 0; line < kLines; line += kLinesPerStep) {
    while (clock64_now() < next) {
    }
    read_lines<op>(data + line * 32, staged, warps, sum);
    __syncthreads();
    next += kStepCycles;
  }
  if (op == Op::async_16) {
    sum += staged[threadIdx.x].x;
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
}

template <Op op>
void launch(Report& report, const char* name, const std::vector<int>& sms, int warps, int spread,
            const char* state = "near", int first_reader = kRankZero) {
  static const Recorder<float> data(kLines * 32);
  static const Recorder<float> sink(1024 * 512);
  const SmSet set(sms);
  const Recorder<int> ready(1);
  const Recorder<unsigned long long> agreed(1);
  check(cudaFuncSetAttribute(probe_bursts<op>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  probe_bursts<op><<<sm_count(), warps * 32, kOneCtaPerSm>>>(data.device(), set.ranks(), static_cast<int>(sms.size()),
                                                             spread, first_reader == kRankZero ? sms[0] : first_reader,
                                                             ready.device(), agreed.device(), sink.device());
  finish("probe_bursts");
  report.launch("counted_bursts", std::string("op=") + name + ";sms=" + std::to_string(sms.size()) + ";warps=" +
                                      std::to_string(warps) + ";spread=" + std::to_string(spread) + ";state=" + state);
}

template <Op op>
void all(Report& report, const char* name, const std::vector<int>& gpc) {
  const auto first = [&](std::size_t count) { return std::vector<int>(gpc.begin(), gpc.begin() + count); };
  // Every other SM comes from another TPC.
  std::vector<int> apart;
  for (std::size_t i = 0; i < gpc.size(); i += 2) {
    apart.push_back(gpc[i]);
  }
  for (const int spread : {0, 15, 30, 60, 90, 120, 200, 400}) {
    launch<op>(report, name, {gpc[0], gpc[2]}, 16, spread);
  }
  for (const int spread : {0, 30, 60, 120}) {
    launch<op>(report, name, {gpc[0], gpc[2]}, 1, spread);
  }
  for (const std::size_t count : {2U, 4U, 8U, 16U}) {
    for (const int spread : {0, 60, 200, 800}) {
      launch<op>(report, name, first(count), 16, spread);
    }
  }
  launch<op>(report, name, apart, 16, 0);
}

// How long can a request for a line that L2 does not have be joined?
void missing(Report& report, const std::vector<std::vector<int>>& gpcs, const std::vector<int>& gpc) {
  const auto first = [&](std::size_t count) { return std::vector<int>(gpc.begin(), gpc.begin() + count); };
  for (const int spread : {0, 30, 60, 90, 120, 150, 200, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500, 2000}) {
    launch<Op::cg_32>(report, "cg.32", {gpc[0], gpc[2]}, 16, spread, "cold", kNobody);
    launch<Op::cg_32>(report, "cg.32", {gpc[0], gpc[2]}, 1, spread, "cold", kNobody);
    launch<Op::cg_32>(report, "cg.32", {gpc[0], gpc[1]}, 16, spread, "cold", kNobody);
    launch<Op::cg_32>(report, "cg.32", first(4), 16, spread, "cold", kNobody);
    launch<Op::cg_32>(report, "cg.32", first(8), 16, spread, "cold", kNobody);
    launch<Op::async_16>(report, "async.16", first(8), 16, spread, "cold", kNobody);
  }
  for (std::size_t g = 0; g < gpcs.size(); ++g) {
    if (gpcs[g] == gpc || gpcs[g].size() < 8) {
      continue;
    }
    const std::string state = "gpc" + std::to_string(g);
    for (const int spread : {0, 60, 120, 180, 240, 300, 400}) {
      launch<Op::cg_32>(report, "cg.32", {gpc[0], gpc[2]}, 16, spread, state.c_str(), gpcs[g][0]);
    }
  }
}

}  // namespace

void counted_bursts(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  for (std::size_t g = 0; g < gpcs.size(); ++g) {
    for (std::size_t i = 0; i < gpcs[g].size(); ++i) {
      report.trace("counted_bursts", "field=gpc", static_cast<int>(g), static_cast<int>(i), gpcs[g][i]);
    }
  }
  all<Op::cg_32>(report, "cg.32", gpc);
  all<Op::ca_32>(report, "ca.32", gpc);
  all<Op::ca_128>(report, "ca.128", gpc);
  all<Op::async_16>(report, "async.16", gpc);
  missing(report, gpcs, gpc);
}

}  // namespace tilescope::gpu
