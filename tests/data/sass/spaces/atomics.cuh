// Atomics on global and shared memory. Addresses of a lane by `pattern` (n & 15): 0 one word of the buffer, 1 a word of
// one line for each lane, 2 eight words of one sector, 3 a line of its own for each lane, 4 scattered over 64 KiB, 5
// the grid's threads side by side, 6 one word for each warp, 7 as 1, lanes below 11 only, 8 two words, 9 as 1 with
// every fourth lane.
#include "access.cuh"

__device__ inline bool pattern_active(int pattern, int lane) {
  return pattern == 7 ? lane < 11 : pattern == 9 ? lane % 4 == 0 : true;
}
__device__ inline int pattern_word(int pattern, int i) {
  const int lane = i % 32;
  switch (pattern) {
    case 0:
      return 0;
    case 2:
      return lane % 8;
    case 3:
      return lane * 32;
    case 4:
      return static_cast<int>(static_cast<unsigned>(i) * 2654435761U >> 18);
    case 5:
      return i;
    case 6:
      return i / 32 * 32;
    case 8:
      return lane % 2;
    default:
      return lane;
  }
}

// With a result (atom) and without (red); `bytes` is the size of a word.
#define ATOMIC(name, space, of, base, bytes, atom, red)                      \
  KERNEL name##_atom(ARGS) {                                                 \
    ME;                                                                      \
    PREPARE;                                                                 \
    const std::uint64_t p = of(base) + bytes * pattern_word(n & 15, THREAD); \
    [[maybe_unused]] unsigned r = 0, v = i + 1, c = lane;                    \
    if (pattern_active(n & 15, lane)) {                                      \
      atom;                                                                  \
      atom;                                                                  \
    }                                                                        \
    out[262144 + i] = r;                                                     \
  }                                                                          \
  KERNEL name##_red(ARGS) {                                                  \
    ME;                                                                      \
    PREPARE;                                                                 \
    const std::uint64_t p = of(base) + bytes * pattern_word(n & 15, THREAD); \
    unsigned v = i + 1;                                                      \
    if (pattern_active(n & 15, lane)) {                                      \
      red;                                                                   \
      red;                                                                   \
    }                                                                        \
    out[262144 + i] = v;                                                     \
  }
#define DO_A(s, op) asm volatile("atom" s "." op " %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory")
#define DO_R(s, op) asm volatile("red" s "." op " [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define DO_A64(s, op)                                                                                 \
  asm volatile("{.reg .b64 a, b; cvt.u64.u32 a, %2; atom" s "." op " b, [%1], a; cvt.u32.u64 %0, b;}" \
               : "=r"(r)                                                                              \
               : "l"(p), "r"(v)                                                                       \
               : "memory")
#define DO_R64(s, op) \
  asm volatile("{.reg .b64 a; cvt.u64.u32 a, %1; red" s "." op " [%0], a;}" ::"l"(p), "r"(v) : "memory")
#define DO_AF(s, op)                                                                          \
  asm volatile("{.reg .f32 a, b; mov.b32 a, %2; atom" s "." op " b, [%1], a; mov.b32 %0, b;}" \
               : "=r"(r)                                                                      \
               : "l"(p), "r"(v)                                                               \
               : "memory")
#define DO_RF(s, op) asm volatile("{.reg .f32 a; mov.b32 a, %1; red" s "." op " [%0], a;}" ::"l"(p), "r"(v) : "memory")
#define DO_CAS(s, type) \
  asm volatile("atom" s ".cas." type " %0, [%1], %2, %3;" : "=r"(r) : "l"(p), "r"(c), "r"(v) : "memory")
#define DO_CAS64(s)                                                               \
  asm volatile("{.reg .b64 a, b, c; cvt.u64.u32 a, %2; cvt.u64.u32 b, %3; atom" s \
               ".cas.b64 c, [%1], a, b; cvt.u32.u64 %0, c;}"                      \
               : "=r"(r)                                                          \
               : "l"(p), "r"(c), "r"(v)                                           \
               : "memory")

#define THREAD i
#define PREPARE
ATOMIC(global_add_u32, ".global", global_of, out, 4, DO_A(".global", "add.u32"), DO_R(".global", "add.u32"))
ATOMIC(global_add_u64, ".global", global_of, out, 8, DO_A64(".global", "add.u64"), DO_R64(".global", "add.u64"))
ATOMIC(global_add_f32, ".global", global_of, out, 4, DO_AF(".global", "add.f32"), DO_RF(".global", "add.f32"))
ATOMIC(global_add_f16x2, ".global", global_of, out, 4, DO_A(".global", "add.noftz.f16x2"),
       DO_R(".global", "add.noftz.f16x2"))
ATOMIC(global_max_s32, ".global", global_of, out, 4, DO_A(".global", "max.s32"), DO_R(".global", "max.s32"))
ATOMIC(global_and_b32, ".global", global_of, out, 4, DO_A(".global", "and.b32"), DO_R(".global", "and.b32"))

// Those that exist with a result only.
#define ATOMIC_RESULT(name, of, base, bytes, atom)                           \
  KERNEL name##_atom(ARGS) {                                                 \
    ME;                                                                      \
    PREPARE;                                                                 \
    const std::uint64_t p = of(base) + bytes * pattern_word(n & 15, THREAD); \
    [[maybe_unused]] unsigned r = 0, v = i + 1, c = lane;                    \
    if (pattern_active(n & 15, lane)) {                                      \
      atom;                                                                  \
      atom;                                                                  \
    }                                                                        \
    out[262144 + i] = r;                                                     \
  }
ATOMIC_RESULT(global_exch_b32, global_of, out, 4, DO_A(".global", "exch.b32"))
ATOMIC_RESULT(global_cas_b32, global_of, out, 4, DO_CAS(".global", "b32"))
ATOMIC_RESULT(global_cas_b64, global_of, out, 8, DO_CAS64(".global"))

#undef THREAD
#undef PREPARE
#define THREAD (threadIdx.x & 255)
#define PREPARE                                               \
  __shared__ int words[4096];                                 \
  for (int k = threadIdx.x; k < 4096; k += 256) words[k] = 0; \
  __syncthreads()
// Pattern 4 is left out: its words lie outside.
ATOMIC(shared_add_u32, ".shared", shared_of, words, 4, DO_A(".shared", "add.u32"), DO_R(".shared", "add.u32"))
ATOMIC(shared_add_u64, ".shared", shared_of, words, 8, DO_A64(".shared", "add.u64"), DO_R64(".shared", "add.u64"))
ATOMIC(shared_add_f32, ".shared", shared_of, words, 4, DO_AF(".shared", "add.f32"), DO_RF(".shared", "add.f32"))
ATOMIC(shared_add_f16x2, ".shared", shared_of, words, 4, DO_A(".shared", "add.noftz.f16x2"),
       DO_R(".shared", "add.noftz.f16x2"))
ATOMIC(shared_max_s32, ".shared", shared_of, words, 4, DO_A(".shared", "max.s32"), DO_R(".shared", "max.s32"))
ATOMIC_RESULT(shared_exch_b32, shared_of, words, 4, DO_A(".shared", "exch.b32"))
ATOMIC_RESULT(shared_cas_b32, shared_of, words, 4, DO_CAS(".shared", "b32"))
ATOMIC_RESULT(shared_cas_b64, shared_of, words, 8, DO_CAS64(".shared"))
#undef THREAD
#undef PREPARE

KERNEL shared_inc(ARGS) {  // a histogram as programs write it
  ME;
  __shared__ int words[256];
  words[threadIdx.x & 255] = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) atomicAdd(&words[in[i + 1024 * k] & n], 1);
  __syncthreads();
  out[i] = words[threadIdx.x & 255];
}
KERNEL global_inc(ARGS) {
  ME;
  for (int k = 0; k < 4; ++k) atomicAdd(&out[in[i + 1024 * k] & n], 1);
}
// Atomics through generic pointers: into shared memory for bit 4 of n, into global memory otherwise, per lane for
// bit 5.
KERNEL generic_atomics(ARGS) {
  ME;
  __shared__ int words[4096];
  for (int k = threadIdx.x; k < 4096; k += 256) words[k] = 0;
  __syncthreads();
  const bool shared = (n & 32) != 0 ? (lane & 1) != 0 : (n & 16) != 0;
  int* const base = shared ? words : out;
  const auto p = reinterpret_cast<std::uint64_t>(base + pattern_word(n & 15, threadIdx.x));
  unsigned r = 0, v = i + 1;
  DO_A("", "add.u32");
  DO_A("", "add.u32");
  DO_R("", "add.u32");
  out[262144 + i] = r;
}
KERNEL generic_cas(ARGS) {
  ME;
  __shared__ int words[4096];
  for (int k = threadIdx.x; k < 4096; k += 256) words[k] = 0;
  __syncthreads();
  const bool shared = (n & 32) != 0 ? (lane & 1) != 0 : (n & 16) != 0;
  int* const base = shared ? words : out;
  const auto p = reinterpret_cast<std::uint64_t>(base + pattern_word(n & 15, threadIdx.x));
  unsigned r = 0, v = i + 1, c = lane;
  DO_CAS("", "b32");
  DO_CAS("", "b32");
  out[262144 + i] = r;
}
