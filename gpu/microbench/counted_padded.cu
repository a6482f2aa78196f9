// What cp.async asks for, by where in shared memory its pieces land: one warp that copies `copies` times, 16 bytes a
// lane, from rows of `chunks` pieces; rows of different lines. In shared memory rows lie `pitch` bytes apart, the first
// at `base`, and piece i of a row lies at place i ^ swap. cache=cg goes past L1.
// l1tex__t_sectors_pipe_lsu_mem_global_op_ld counts what L1 is asked for, l1tex__m_xbar2l1tex_read_sectors what comes
// from L2; sm__cycles_active holds what a copy takes, where the second of two cases that differ in `copies` is counted
// less the first.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRowPitch = 1024;  // between rows in global memory
constexpr int kMostCopies = 512;
constexpr int kGroup = 8;
constexpr int kPlaces = 2 * kGroup;  // what is under way lands in places of its own
constexpr int kMostOfPlace = 4096;   // byte of shared memory that a copy spans at most

struct Rows {
  int chunks;
  int pitch;
  int base;
  int swap;
};

template <bool kPastL1>
__global__ void probe_padded(const char* data, Rows rows, int copies) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x;
  const int row = lane / rows.chunks;
  const int chunk = lane % rows.chunks;
  const unsigned to = shared_address(buffer) + rows.base + row * rows.pitch + (chunk ^ rows.swap) * 16;
  const char* from = data + row * kRowPitch + chunk * 16;
  const int step = 32 / rows.chunks * kRowPitch;
  const int place = 32 / rows.chunks * rows.pitch;
#pragma unroll 1
  for (int i = 0; i < copies; i += kGroup) {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      const unsigned at = to + (i + j) % kPlaces * place;
      if constexpr (kPastL1) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
      } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
      }
      from += step;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

}  // namespace

void counted_padded(Report& report) {
  constexpr int kShared = kPlaces * kMostOfPlace + 128;
  const Recorder<char> data(static_cast<std::size_t>(kMostCopies) * 32 * kRowPitch);
  const auto count = [&](const Rows& rows, bool past_l1, int copies) {
    const auto kernel = past_l1 ? &probe_padded<true> : &probe_padded<false>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "cudaFuncSetAttribute");
    kernel<<<1, 32, kShared>>>(data.device(), rows, copies);
    finish("probe_padded");
    report.launch("counted_padded", "chunks=" + std::to_string(rows.chunks) + ";pitch=" + std::to_string(rows.pitch) +
                                        ";base=" + std::to_string(rows.base) + ";swap=" + std::to_string(rows.swap) +
                                        ";cache=" + (past_l1 ? "cg" : "ca") + ";copies=" + std::to_string(copies));
  };
  for (const int chunks : {1, 2, 4, 8}) {
    for (int pad = 0; pad < 128 && (chunks * 16 + pad) * (32 / chunks) <= kMostOfPlace; pad += 16) {
      count({chunks, chunks * 16 + pad, 0, 0}, true, 64);
    }
  }
  for (int base = 16; base < 128; base += 16) {
    count({8, 128, base, 0}, true, 64);
    count({2, 128, base, 0}, true, 64);
  }
  for (const int swap : {1, 2, 3, 4, 7}) {
    count({8, 128, 0, swap}, true, 64);
    count({8, 1024, 0, swap}, true, 64);
  }
  for (const int pad : {0, 16, 32, 64}) {
    count({4, 64 + pad, 0, 0}, false, 64);
    count({8, 128 + pad, 0, 0}, false, 64);
    count({4, 64 + pad, 0, 0}, true, kMostCopies);
    count({8, 128 + pad, 0, 0}, true, kMostCopies);
  }
}

}  // namespace tilescope::gpu
