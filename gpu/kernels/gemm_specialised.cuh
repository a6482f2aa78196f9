// Step 7, for sm_90a: warps with one task each. One thread fetches tiles by tensor copies (TMA) into a ring of stages,
// guarded by mbarriers; one or two warpgroups multiply out of it with wgmma. FP16 or BF16 inputs, FP32 sums; B comes
// transposed, n x k. A cluster of two CTAs with the same columns shares B: each fetches half of it for both. CTAs take
// tiles in turns, columns of tiles first, so a grid smaller than the number of tiles is a persistent kernel.
#pragma once

#include <cuda.h>

#include "../common/hopper.cuh"
#include "../common/wgmma.cuh"
#include "tensor_type.h"

namespace tilescope::gpu {

template <TensorType TYPE, int BM, int BN, int STAGES, int GROUPS, int CLUSTER>
struct SpecialisedTile {
  static constexpr int kStepBytes = 128;  // of K: the widest swizzle
  static constexpr int kStep = kStepBytes / bytes_of(TYPE);
  static constexpr int kStageBytes = (BM + BN) * kStepBytes;
  static constexpr int kSharedBytes = STAGES * kStageBytes + 1024;  // stages lie at multiples of 1024
  static constexpr int kRows = BM / GROUPS;                         // of a warpgroup
  static constexpr bool kManySums = kRows / 64 * BN >= 256;         // 128 registers or more a thread
  // Warps that fetch: one, or a warpgroup that gives its registers to the others.
  static constexpr int kFetchers = kManySums && GROUPS == 2 ? 128 : 32;
  static constexpr int kThreads = GROUPS * 128 + kFetchers;
  static_assert(BM % (64 * GROUPS) == 0 && BM <= 256 && BN <= 256, "whole wgmmas; a box has at most 256 rows");
};

#ifdef TILESCOPE_SM90A

__device__ inline void wait_for(unsigned barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}
__device__ inline void load_box(unsigned shared, const CUtensorMap& map, int column, int row, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(shared),
      "l"(&map), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}
// To the same place in every CTA of the mask.
__device__ inline void load_box_multicast(unsigned shared, const CUtensorMap& map, int column, int row,
                                          unsigned barrier, unsigned short ctas) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
      "{%2, %3}], [%4], %5;" ::"r"(shared),
      "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"(ctas)
      : "memory");
}

// A place in the ring, and how often the ring has been gone round.
template <int STAGES>
struct RingPlace {
  int stage = 0;
  unsigned parity = 0;
  __device__ void advance() {
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0 ? 1 : 0;
  }
};

#endif

// Requires m, n and k to be multiples of BM * CLUSTER, BN and 64; the grid to be one of whole clusters. a_map: boxes of
// BM rows, b_map of BN / CLUSTER, both 64 columns wide and swizzled by 128 bytes.
template <TensorType TYPE, int BM, int BN, int STAGES, int GROUPS, int CLUSTER>
__global__ void __launch_bounds__(SpecialisedTile<TYPE, BM, BN, STAGES, GROUPS, CLUSTER>::kThreads, 1)
    gemm_specialised(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                     float2* __restrict__ c, int m, int n, int k) {
#ifdef TILESCOPE_SM90A
  using Tile = SpecialisedTile<TYPE, BM, BN, STAGES, GROUPS, CLUSTER>;
  __shared__ alignas(8) unsigned long long barriers[2 * STAGES];
  const unsigned full = shared_address(barriers);
  const unsigned empty = full + 8 * STAGES;
  const unsigned ring = aligned_shared();
  const unsigned rank = CLUSTER == 1 ? 0 : cluster_rank();
  const int steps = k / Tile::kStep;
  const int rows_of_tiles = m / BM;
  const int tiles = rows_of_tiles * (n / BN);
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      mbarrier_init(full + 8 * i, 1);
      mbarrier_init(empty + 8 * i, 4 * GROUPS * CLUSTER);  // a lane of each warp that reads the stage
    }
    mbarrier_publish();
  }
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  } else {
    __syncthreads();
  }
  RingPlace<STAGES> place;
  const int group = __shfl_sync(0xffffffffU, threadIdx.x / 128, 0);
  if (group == GROUPS) {
    if constexpr (Tile::kFetchers == 128) {
      asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    }
    if (threadIdx.x == GROUPS * 128) {
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int row = tile % rows_of_tiles * BM;
        const int column = tile / rows_of_tiles * BN;
        for (int i = 0; i < steps; ++i) {
          wait_for(empty + 8 * place.stage, place.parity ^ 1);
          const unsigned to = ring + place.stage * Tile::kStageBytes;
          const unsigned barrier = full + 8 * place.stage;
          mbarrier_arrive_expect(barrier, Tile::kStageBytes);
          load_box(to, a_map, i * Tile::kStep, row, barrier);
          if constexpr (CLUSTER > 1) {
            const int share = rank * (BN / CLUSTER);
            load_box_multicast(to + (BM + share) * Tile::kStepBytes, b_map, i * Tile::kStep, column + share, barrier,
                               (1 << CLUSTER) - 1);
          } else {
            load_box(to + BM * Tile::kStepBytes, b_map, i * Tile::kStep, column, barrier);
          }
          place.advance();
        }
      }
    }
    __syncwarp();
  } else {
    if constexpr (Tile::kFetchers == 128) {
      asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    }
    constexpr Input kInput = TYPE == TensorType::kF16 ? Input::kF16 : Input::kBf16;
    constexpr int kParts = Tile::kRows / 64;
    const int lane = threadIdx.x % 32;
    const unsigned long long descriptor = Layout{128, true}.descriptor();
    const auto release = [&](int stage) {
      if (lane < CLUSTER) {
        if constexpr (CLUSTER > 1) {
          mbarrier_arrive_cluster(cluster_address(empty + 8 * stage, lane));
        } else {
          mbarrier_arrive(empty + 8 * stage);
        }
      }
    };
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      unsigned sums[kParts][BN / 2] = {};
      int before = 0;
#pragma unroll 1
      for (int i = 0; i < steps; ++i) {
        wait_for(full + 8 * place.stage, place.parity);
        const unsigned from = ring + place.stage * Tile::kStageBytes;
        const unsigned long long a = descriptor + (from + group * Tile::kRows * Tile::kStepBytes) / 16;
        const unsigned long long b = descriptor + (from + BM * Tile::kStepBytes) / 16;
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < Tile::kStepBytes / 32; ++step) {
#pragma unroll
          for (int part = 0; part < kParts; ++part) {
            wgmma<kInput, BN, false, false>(sums[part], a + step * 2 + part * (64 * Tile::kStepBytes / 16),
                                            b + step * 2);
          }
        }
        wgmma_commit();
        wgmma_wait<1>();  // the step before has been read
        if (i > 0) {
          release(before);
        }
        before = place.stage;
        place.advance();
      }
      wgmma_wait<0>();
      release(before);
      const int row = tile % rows_of_tiles * BM + group * Tile::kRows + threadIdx.x % 128 / 32 * 16 + lane / 4;
      const int column = tile / rows_of_tiles * BN + lane % 4 * 2;
      float2* to = c + (static_cast<std::size_t>(row) * n + column) / 2;
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
#pragma unroll
        for (int i = 0; i < BN / 8; ++i) {
          const unsigned* pair = &sums[part][i * 4];
          to[part * 64 * (n / 2) + i * 4] = make_float2(__uint_as_float(pair[0]), __uint_as_float(pair[1]));
          to[(part * 64 + 8) * (n / 2) + i * 4] = make_float2(__uint_as_float(pair[2]), __uint_as_float(pair[3]));
        }
      }
    }
  }
  if constexpr (CLUSTER > 1) {
    cluster_sync();  // no CTA ends while another one writes to it or arrives at its mbarriers
  }
#endif
}

}  // namespace tilescope::gpu
