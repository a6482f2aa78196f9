// One memory instruction of chosen space, width and address, that the compiler neither moves nor drops. SPACE is
// ".global",
// ".shared", ".local" or empty (generic); addresses are those of that space.
#pragma once

#include <cstdint>

#define KERNEL extern "C" __global__ void __launch_bounds__(256)
#define ARGS int *out, int *in, int n
#define ME                                             \
  const int i = blockIdx.x * blockDim.x + threadIdx.x; \
  const int lane = threadIdx.x % 32;                   \
  const int warp = threadIdx.x / 32;                   \
  (void)i, (void)lane, (void)warp

struct Value {
  unsigned x = 1, y = 2, z = 3, w = 4;
  __device__ int sum() const { return static_cast<int>(x + y + z + w); }
};

#define LOAD(SPACE, WIDTH, v, p) LOAD_##WIDTH(SPACE, v, p)
#define LOAD_1(S, v, p) asm volatile("ld" S ".u8 %0, [%1];" : "=r"((v).x) : "l"(p) : "memory")
#define LOAD_2(S, v, p) asm volatile("ld" S ".u16 %0, [%1];" : "=r"((v).x) : "l"(p) : "memory")
#define LOAD_4(S, v, p) asm volatile("ld" S ".u32 %0, [%1];" : "=r"((v).x) : "l"(p) : "memory")
#define LOAD_8(S, v, p) asm volatile("ld" S ".v2.u32 {%0, %1}, [%2];" : "=r"((v).x), "=r"((v).y) : "l"(p) : "memory")
#define LOAD_16(S, v, p)                                            \
  asm volatile("ld" S ".v4.u32 {%0, %1, %2, %3}, [%4];"             \
               : "=r"((v).x), "=r"((v).y), "=r"((v).z), "=r"((v).w) \
               : "l"(p)                                             \
               : "memory")
#define STORE(SPACE, WIDTH, v, p) STORE_##WIDTH(SPACE, v, p)
#define STORE_1(S, v, p) asm volatile("st" S ".u8 [%0], %1;" ::"l"(p), "r"((v).x) : "memory")
#define STORE_2(S, v, p) asm volatile("st" S ".u16 [%0], %1;" ::"l"(p), "r"((v).x) : "memory")
#define STORE_4(S, v, p) asm volatile("st" S ".u32 [%0], %1;" ::"l"(p), "r"((v).x) : "memory")
#define STORE_8(S, v, p) asm volatile("st" S ".v2.u32 [%0], {%1, %2};" ::"l"(p), "r"((v).x), "r"((v).y) : "memory")
#define STORE_16(S, v, p)                                                                                        \
  asm volatile("st" S ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"((v).x), "r"((v).y), "r"((v).z), "r"((v).w) \
               : "memory")

__device__ inline std::uint64_t global_of(const void* p) { return __cvta_generic_to_global(p); }
__device__ inline std::uint64_t shared_of(const void* p) { return __cvta_generic_to_shared(p); }
__device__ inline std::uint64_t local_of(const void* p) { return __cvta_generic_to_local(p); }
