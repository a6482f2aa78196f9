// wgmma.mma_async: m64, n of 8 to 256, one K step of 32 bytes (16 halves, 8 TF32, 32 bytes); sums of 32 bits in n / 2
// registers a thread. Operands in shared memory are named by descriptors.
#pragma once

#include "hopper.cuh"

namespace tilescope::gpu {

enum class Input { kF16, kBf16, kTf32, kE4m3, kS8 };

constexpr const char* name_of(Input input) {
  constexpr const char* kNames[] = {"f16", "bf16", "tf32", "e4m3", "s8"};
  return kNames[static_cast<int>(input)];
}
constexpr int k_of(Input input) {
  constexpr int kDepths[] = {16, 16, 8, 32, 32};
  return kDepths[static_cast<int>(input)];
}

// How a tile lies in shared memory: the bytes that the swizzle permutes, and which index is the contiguous one.
struct Layout {
  int swizzle_bytes;  // 16 (none), 32, 64 or 128
  bool k_major;
  int span() const { return k_major ? swizzle_bytes : 32; }  // bytes of K until the next tile begins
  // Bytes of a tile of `rows` (m or n): K major, swizzle_bytes of K; else 16 K of halves.
  int tile_bytes(int rows) const { return rows * (k_major && swizzle_bytes > 32 ? swizzle_bytes : 32); }
  // The descriptor of a tile at shared address 0, to which the address / 16 is added. Offsets are in bytes: K major,
  // `stride` leads to the next 8 rows and `leading` to the next 16 bytes of K (without swizzle only); else `leading`
  // leads to the next swizzle_bytes of rows and `stride` to the next 8 of K.
  __host__ __device__ unsigned long long descriptor() const {
    const bool none = swizzle_bytes == 16;
    const int atom = 8 * swizzle_bytes;
    int leading = none ? atom : 16;
    int stride = none ? 2 * atom : atom;
    if (!k_major) {
      leading = none ? atom : 2 * atom;
      stride = none ? 2 * atom : atom;
    }
    const unsigned long long mode = none ? 0 : swizzle_bytes == 32 ? 3 : swizzle_bytes == 64 ? 2 : 1;
    return mode << 62 | static_cast<unsigned long long>(stride / 16) << 32 |
           static_cast<unsigned long long>(leading / 16) << 16;
  }
};

#ifdef TILESCOPE_SM90A

// Before a warpgroup's first wgmma, and after it wrote registers that the next one reads.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// clang-format off
#define TILESCOPE_LIST_4 "%0, %1, %2, %3"
#define TILESCOPE_LIST_8 TILESCOPE_LIST_4 ", %4, %5, %6, %7"
#define TILESCOPE_LIST_16 TILESCOPE_LIST_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define TILESCOPE_LIST_32 TILESCOPE_LIST_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TILESCOPE_LIST_64 TILESCOPE_LIST_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TILESCOPE_LIST_96 TILESCOPE_LIST_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define TILESCOPE_LIST_128 TILESCOPE_LIST_96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TILESCOPE_SUMS_4(d) "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])
#define TILESCOPE_SUMS_8(d) TILESCOPE_SUMS_4(d), TILESCOPE_SUMS_4((d) + 4)
#define TILESCOPE_SUMS_16(d) TILESCOPE_SUMS_8(d), TILESCOPE_SUMS_8((d) + 8)
#define TILESCOPE_SUMS_32(d) TILESCOPE_SUMS_16(d), TILESCOPE_SUMS_16((d) + 16)
#define TILESCOPE_SUMS_64(d) TILESCOPE_SUMS_32(d), TILESCOPE_SUMS_32((d) + 32)
#define TILESCOPE_SUMS_96(d) TILESCOPE_SUMS_64(d), TILESCOPE_SUMS_32((d) + 64)
#define TILESCOPE_SUMS_128(d) TILESCOPE_SUMS_64(d), TILESCOPE_SUMS_64((d) + 64)

// N; its registers C; the numbers of the operands behind them.
#define TILESCOPE_WGMMA_EACH_N(X)                                                                        \
  X(8, 4, 4, 5, 6, 7, 8, 9) X(16, 8, 8, 9, 10, 11, 12, 13) X(32, 16, 16, 17, 18, 19, 20, 21)             \
  X(64, 32, 32, 33, 34, 35, 36, 37) X(128, 64, 64, 65, 66, 67, 68, 69) X(192, 96, 96, 97, 98, 99, 100, 101) \
  X(256, 128, 128, 129, 130, 131, 132, 133)

#define TILESCOPE_WGMMA_HEAD(N, C, K, TYPES) \
  "{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n" #N "k" #K "." TYPES " {" TILESCOPE_LIST_##C "}, "
#define TILESCOPE_WGMMA_SHARED(N, C, K, TYPES, A, B, TAIL, ...)                          \
  asm volatile(TILESCOPE_WGMMA_HEAD(N, C, K, TYPES) "%" #A ", %" #B ", p" TAIL ";}"      \
               : TILESCOPE_SUMS_##C(d)                                                   \
               : "l"(a), "l"(b) __VA_ARGS__)
#define TILESCOPE_WGMMA_REGISTERS(N, C, K, TYPES, A, A1, A2, A3, B, TAIL, ...)                                         \
  asm volatile(TILESCOPE_WGMMA_HEAD(N, C, K, TYPES) "{%" #A ", %" #A1 ", %" #A2 ", %" #A3 "}, %" #B ", p" TAIL ";}"    \
               : TILESCOPE_SUMS_##C(d)                                                                                 \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) __VA_ARGS__)
#define TILESCOPE_COMMA_IMMEDIATE(value) , "n"(value)

// d += a * b with both operands in shared memory. Only halves may be transposed (not K major).
template <Input kInput, int kN, bool kTransposeA, bool kTransposeB>
__device__ void wgmma(unsigned (&d)[kN / 2], unsigned long long a, unsigned long long b) {
#define TILESCOPE_CASE(N, C, O0, O1, O2, O3, O4, O5)                                                                  \
  if constexpr (kN == N) {                                                                                            \
    if constexpr (kInput == Input::kF16) {                                                                            \
      TILESCOPE_WGMMA_SHARED(N, C, 16, "f32.f16.f16", O0, O1, ", 1, 1, %" #O2 ", %" #O3,                              \
                             TILESCOPE_COMMA_IMMEDIATE(kTransposeA) TILESCOPE_COMMA_IMMEDIATE(kTransposeB));          \
    } else if constexpr (kInput == Input::kBf16) {                                                                    \
      TILESCOPE_WGMMA_SHARED(N, C, 16, "f32.bf16.bf16", O0, O1, ", 1, 1, %" #O2 ", %" #O3,                            \
                             TILESCOPE_COMMA_IMMEDIATE(kTransposeA) TILESCOPE_COMMA_IMMEDIATE(kTransposeB));          \
    } else if constexpr (kInput == Input::kTf32) {                                                                    \
      TILESCOPE_WGMMA_SHARED(N, C, 8, "f32.tf32.tf32", O0, O1, ", 1, 1", );                                           \
    } else if constexpr (kInput == Input::kE4m3) {                                                                    \
      TILESCOPE_WGMMA_SHARED(N, C, 32, "f32.e4m3.e4m3", O0, O1, ", 1, 1", );                                          \
    } else {                                                                                                          \
      TILESCOPE_WGMMA_SHARED(N, C, 32, "s32.s8.s8", O0, O1, "", );                                                    \
    }                                                                                                                 \
  }
  TILESCOPE_WGMMA_EACH_N(TILESCOPE_CASE)
#undef TILESCOPE_CASE
}

// Likewise with A in registers.
template <Input kInput, int kN, bool kTransposeB>
__device__ void wgmma(unsigned (&d)[kN / 2], const unsigned (&a)[4], unsigned long long b) {
#define TILESCOPE_CASE(N, C, O0, O1, O2, O3, O4, O5)                                                                  \
  if constexpr (kN == N) {                                                                                            \
    if constexpr (kInput == Input::kF16) {                                                                            \
      TILESCOPE_WGMMA_REGISTERS(N, C, 16, "f32.f16.f16", O0, O1, O2, O3, O4, ", 1, 1, %" #O5,                         \
                                TILESCOPE_COMMA_IMMEDIATE(kTransposeB));                                              \
    } else if constexpr (kInput == Input::kBf16) {                                                                    \
      TILESCOPE_WGMMA_REGISTERS(N, C, 16, "f32.bf16.bf16", O0, O1, O2, O3, O4, ", 1, 1, %" #O5,                       \
                                TILESCOPE_COMMA_IMMEDIATE(kTransposeB));                                              \
    } else if constexpr (kInput == Input::kTf32) {                                                                    \
      TILESCOPE_WGMMA_REGISTERS(N, C, 8, "f32.tf32.tf32", O0, O1, O2, O3, O4, ", 1, 1", );                            \
    } else if constexpr (kInput == Input::kE4m3) {                                                                    \
      TILESCOPE_WGMMA_REGISTERS(N, C, 32, "f32.e4m3.e4m3", O0, O1, O2, O3, O4, ", 1, 1", );                           \
    } else {                                                                                                          \
      TILESCOPE_WGMMA_REGISTERS(N, C, 32, "s32.s8.s8", O0, O1, O2, O3, O4, "", );                                     \
    }                                                                                                                 \
  }
  TILESCOPE_WGMMA_EACH_N(TILESCOPE_CASE)
#undef TILESCOPE_CASE
}
// clang-format on

#endif

}  // namespace tilescope::gpu
