// What the pipelined GEMMs share: a ring of tiles in shared memory that cp.async fills, read by ldmatrix and multiplied
// by mma.sync. Operands are rows of bytes along K (A: m rows, B: n rows), so that all types lie alike: a product takes
// 32 bytes of K, which are 16 FP16 or BF16, 8 TF32 or 32 INT8. Chunks of 16 bytes are permuted within a row by XOR with
// the row, or rows lie 16 bytes further apart than they are long.
#pragma once

#include "tensor_type.h"

namespace tilescope::gpu {

__device__ inline void copy_16_async(unsigned shared, const char* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}
__device__ inline void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int PENDING>
__device__ void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
__device__ inline void load_matrices(unsigned (&to)[4], unsigned shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared)
               : "memory");
}

// sum (16 x 8) += a (16 rows of 32 bytes) * b (8 rows of 32 bytes); the sums are floats, or ints with INT8.
template <TensorType TYPE>
__device__ void multiply(unsigned (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#define TILESCOPE_MMA(SHAPE_AND_TYPES)                                  \
  asm volatile("mma.sync.aligned." SHAPE_AND_TYPES                      \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "        \
               "{%0, %1, %2, %3};"                                      \
               : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
  if constexpr (TYPE == TensorType::kF16) {
    TILESCOPE_MMA("m16n8k16.row.col.f32.f16.f16.f32");
  } else if constexpr (TYPE == TensorType::kBf16) {
    TILESCOPE_MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
  } else if constexpr (TYPE == TensorType::kTf32) {
    TILESCOPE_MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
  } else {
    TILESCOPE_MMA("m16n8k32.row.col.s32.s8.s8.s32");
  }
#undef TILESCOPE_MMA
}

// A CTA's tile of C, BM x BN, of which a warp owns WM x WN; a step of K is BYTES (64 or 128) of each row.
// PADDED: rows are kept apart by padding, not permuted.
template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES, bool PADDED = false>
struct PipelineTile {
  static_assert(BYTES == 64 || BYTES == 128, "the permutation is for rows of 64 or 128 bytes");
  static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0, "whole fragments");
  static constexpr int kThreads = (BM / WM) * (BN / WN) * 32;
  static constexpr int kChunks = BYTES / 16;  // of a row
  static constexpr int kRowBytes = BYTES + (PADDED ? 16 : 0);
  static constexpr int kStageBytes = (BM + BN) * kRowBytes;
  static constexpr int kSharedBytes = STAGES * kStageBytes;
  static_assert(BM * kChunks % kThreads == 0 && BN * kChunks % kThreads == 0, "every thread makes as many copies");

  unsigned shared;  // address of the ring, a multiple of 128
  unsigned sum[WM / 16][WN / 8][4];

  // Byte of a chunk within a tile: eight rows that ldmatrix reads together lie in all banks.
  __device__ static unsigned place(int row, int chunk) {
    const int permuted = PADDED ? chunk : BYTES == 128 ? chunk ^ (row & 7) : chunk ^ (row >> 1 & 3);
    return row * kRowBytes + permuted * 16;
  }

  __device__ void clear() {
#pragma unroll
    for (int y = 0; y < WM / 16; ++y) {
#pragma unroll
      for (int x = 0; x < WN / 8; ++x) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sum[y][x][i] = 0;
        }
      }
    }
  }

  // Starts the copies of one step: a and b point to its first byte in the tile's first row, rows are `pitch` bytes
  // apart.
  __device__ void fetch(int stage, const char* a, const char* b, int pitch) const {
    const unsigned to = shared + stage * kStageBytes;
#pragma unroll
    for (int i = 0; i < BM * kChunks / kThreads; ++i) {
      const int at = i * kThreads + threadIdx.x;
      copy_16_async(to + place(at / kChunks, at % kChunks), a + at / kChunks * pitch + at % kChunks * 16);
    }
#pragma unroll
    for (int i = 0; i < BN * kChunks / kThreads; ++i) {
      const int at = i * kThreads + threadIdx.x;
      copy_16_async(to + BM * kRowBytes + place(at / kChunks, at % kChunks),
                    b + at / kChunks * pitch + at % kChunks * 16);
    }
  }

  __device__ void multiply_stage(int stage) {
    const unsigned a_tile = shared + stage * kStageBytes;
    const unsigned b_tile = a_tile + BM * kRowBytes;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int a_row = warp / (BN / WN) * WM + lane % 16;
    const int b_row = warp % (BN / WN) * WN + lane / 16 * 8 + lane % 8;
#pragma unroll
    for (int step = 0; step < BYTES / 32; ++step) {
      unsigned a[WM / 16][4];
      unsigned b[WN / 16][4];
#pragma unroll
      for (int y = 0; y < WM / 16; ++y) {
        load_matrices(a[y], a_tile + place(a_row + y * 16, step * 2 + lane / 16));
      }
#pragma unroll
      for (int x = 0; x < WN / 16; ++x) {
        load_matrices(b[x], b_tile + place(b_row + x * 16, step * 2 + lane / 8 % 2));
      }
#pragma unroll
      for (int y = 0; y < WM / 16; ++y) {
#pragma unroll
        for (int x = 0; x < WN / 8; ++x) {
          multiply<TYPE>(sum[y][x], a[y], b[x / 2][x % 2 * 2], b[x / 2][x % 2 * 2 + 1]);
        }
      }
    }
  }

  // Sums over `steps` steps; leaves no copy under way and the ring free.
  __device__ void run(const char* a, const char* b, int pitch, int steps) {
#pragma unroll
    for (int i = 0; i < STAGES - 1; ++i) {
      if (i < steps) {
        fetch(i, a + i * BYTES, b + i * BYTES, pitch);
      }
      copy_commit();
    }
    int read = 0;
    int write = STAGES - 1;
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
      copy_wait<STAGES - 2>();
      __syncthreads();  // all copies of this stage are here, and all warps have read the one that is filled next
      const int next = i + STAGES - 1;
      if (next < steps) {
        fetch(write, a + next * BYTES, b + next * BYTES, pitch);
      }
      copy_commit();  // an empty group behind the last step, so that the count of groups stays that of steps
      multiply_stage(read);
      read = read + 1 == STAGES ? 0 : read + 1;
      write = write + 1 == STAGES ? 0 : write + 1;
    }
    copy_wait<0>();
    __syncthreads();
  }

  // f(row, column, pair of sums) for each pair of neighbouring sums of this thread, counted from the tile's corner.
  template <class F>
  __device__ void each_pair(F f) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int row = warp / (BN / WN) * WM + lane / 4;
    const int column = warp % (BN / WN) * WN + lane % 4 * 2;
#pragma unroll
    for (int y = 0; y < WM / 16; ++y) {
#pragma unroll
      for (int x = 0; x < WN / 8; ++x) {
        f(row + y * 16, column + x * 8, sum[y][x][0], sum[y][x][1]);
        f(row + y * 16 + 8, column + x * 8, sum[y][x][2], sum[y][x][3]);
      }
    }
  }
};

__device__ inline unsigned ring_address() {
  extern __shared__ char ring[];
  return static_cast<unsigned>(__cvta_generic_to_shared(ring));
}

}  // namespace tilescope::gpu
