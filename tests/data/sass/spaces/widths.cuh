// Global, shared and generic accesses of each width. Lane l's access lies at l * width * (n & 15); bits 4 to 7 of n
// choose which lanes take part: 0 all, 1 those below 11, 2 every third, 3 none, 4 warps of odd number only.
#include "access.cuh"

__device__ inline bool part_active(int part, int lane, int warp) {
  switch (part & 15) {
    case 1:
      return lane < 11;
    case 2:
      return lane % 3 == 0;
    case 3:
      return lane > 99;
    case 4:
      return warp % 2 == 1;
    default:
      return true;
  }
}

#define WIDTHS(space, name, of, width)                                       \
  KERNEL name##_ld_##width(ARGS) {                                           \
    ME;                                                                      \
    __shared__ uint4 words[2048];                                            \
    PREPARE;                                                                 \
    const std::uint64_t p = of + (warp % 2 * 512 + lane * width * (n & 15)); \
    Value v;                                                                 \
    if (part_active(n >> 4, lane, warp)) {                                   \
      LOAD(space, width, v, p);                                              \
      LOAD(space, width, v, p);                                              \
    }                                                                        \
    out[262144 + i] = v.sum();                                               \
  }                                                                          \
  KERNEL name##_st_##width(ARGS) {                                           \
    ME;                                                                      \
    __shared__ uint4 words[2048];                                            \
    PREPARE;                                                                 \
    const std::uint64_t p = of + (warp % 2 * 512 + lane * width * (n & 15)); \
    Value v;                                                                 \
    v.x = i;                                                                 \
    if (part_active(n >> 4, lane, warp)) {                                   \
      STORE(space, width, v, p);                                             \
      STORE(space, width, v, p);                                             \
    }                                                                        \
    out[262144 + i] = reinterpret_cast<int*>(words)[i % 1024];               \
  }
#define EACH_WIDTH(space, name, of) \
  WIDTHS(space, name, of, 1)        \
  WIDTHS(space, name, of, 2)        \
  WIDTHS(space, name, of, 4)        \
  WIDTHS(space, name, of, 8)        \
  WIDTHS(space, name, of, 16)

#define PREPARE words[threadIdx.x] = make_uint4(1, 2, 3, 4)
EACH_WIDTH(".shared", shared, shared_of(words))
#undef PREPARE
#define PREPARE
EACH_WIDTH(".global", global, global_of(out))
#undef PREPARE

// Generic: bits 8 to 11 of n choose the space: 0 global, 1 shared, 2 local, 3 shared for odd lanes and global for even
// ones, 4 shared, global, local by lane modulo 3, 5 local for odd lanes and global for even ones.
#define PREPARE                                                                              \
  words[threadIdx.x] = make_uint4(1, 2, 3, 4);                                               \
  uint4 mine[2];                                                                             \
  STORE(".local", 16, (Value{1, 2, 3, 4}), local_of(mine));                                  \
  STORE(".local", 16, (Value{1, 2, 3, 4}), local_of(mine + 1));                              \
  __syncthreads();                                                                           \
  const int s = n >> 8 & 15;                                                                 \
  const int space = s == 3 ? lane % 2 : s == 4 ? (lane + 1) % 3 : s == 5 ? lane % 2 * 2 : s; \
  const auto base = space == 0 ? reinterpret_cast<std::uint64_t>(out)                        \
                    : space == 1                                                             \
                        ? reinterpret_cast<std::uint64_t>(words)                             \
                        : reinterpret_cast<std::uint64_t>(mine) - (warp % 2 * 512 + lane * GENERIC_WIDTH * (n & 15))
#define GENERIC_WIDTH 1
WIDTHS("", generic, base, 1)
#undef GENERIC_WIDTH
#define GENERIC_WIDTH 2
WIDTHS("", generic, base, 2)
#undef GENERIC_WIDTH
#define GENERIC_WIDTH 4
WIDTHS("", generic, base, 4)
#undef GENERIC_WIDTH
#define GENERIC_WIDTH 8
WIDTHS("", generic, base, 8)
#undef GENERIC_WIDTH
#define GENERIC_WIDTH 16
WIDTHS("", generic, base, 16)
#undef GENERIC_WIDTH
#undef PREPARE
