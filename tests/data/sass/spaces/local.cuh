// Local memory: indexed arrays, spills, widths, lanes off, footprints within and beyond L1.
#include "access.cuh"

// Indexed arrays as compilers make them: every lane at the same index.
#define LOCAL_ARRAY(name, type, length)                                       \
  KERNEL name(ARGS) {                                                         \
    ME;                                                                       \
    type a[length];                                                           \
    for (int k = 0; k < length; ++k) a[k] = (type)(in[(i + k * 32) & 65535]); \
    type s = 0;                                                               \
    for (int k = 0; k < length; ++k) s += a[(k * 5 + n) & (length - 1)];      \
    out[i] = (int)s;                                                          \
  }
LOCAL_ARRAY(local_array_u8, unsigned char, 64)
LOCAL_ARRAY(local_array_u16, unsigned short, 64)
LOCAL_ARRAY(local_array_u32, unsigned, 64)
LOCAL_ARRAY(local_array_u64, unsigned long long, 64)

KERNEL local_array_lanes(ARGS) {  // every lane at its own index: lines of their own
  ME;
  volatile int a[64];
  for (int k = 0; k < 64; ++k) a[k] = k + i;
  int s = 0;
  for (int k = 0; k < 8; ++k) s += a[(lane * n + k) & 63];
  out[i] = s;
}
KERNEL local_some_lanes(ARGS) {
  ME;
  volatile int a[16];
  for (int k = 0; k < 16; ++k) a[k] = k;
  int s = 0;
  if (lane < n) {
    for (int k = 0; k < 8; ++k) a[k] = in[i];
    for (int k = 4; k < 12; ++k) s += a[k];
  }
  if (in[i] & 1) {
    for (int k = 0; k < 4; ++k) s += a[k];
  }
  out[i] = s;
}
// Words a lane: n & 4095; passes over them: n >> 12. Stores all, then reads all in each pass.
extern "C" __global__ void __launch_bounds__(1024) local_footprint(ARGS) {
  ME;
  int a[4096];
  const int words = n & 4095, passes = n >> 12;
  const std::uint64_t base = local_of(a);
  Value v;
  for (int k = 0; k < words; ++k) STORE(".local", 4, v, base + 4 * k);
  int s = 0;
  for (int p = 0; p < passes; ++p) {
    for (int k = 0; k < words; ++k) {
      LOAD(".local", 4, v, base + 4 * k);
      s += v.x;
    }
  }
  out[i] = s;
}
// Stores n >> 12 times over the same n & 4095 words and reads nothing.
extern "C" __global__ void __launch_bounds__(1024) local_store_again(ARGS) {
  ME;
  int a[4096];
  const int words = n & 4095, passes = n >> 12;
  const std::uint64_t base = local_of(a);
  Value v;
  for (int p = 0; p < passes; ++p) {
    for (int k = 0; k < words; ++k) STORE(".local", 4, v, base + 4 * k);
  }
  out[i] = in[i];
}
// Reads only: words never written.
extern "C" __global__ void __launch_bounds__(1024) local_load_again(ARGS) {
  ME;
  int a[4096];
  const int words = n & 4095, passes = n >> 12;
  const std::uint64_t base = local_of(a);
  Value v;
  int s = 0;
  for (int p = 0; p < passes; ++p) {
    for (int k = 0; k < words; ++k) {
      LOAD(".local", 4, v, base + 4 * k);
      s += v.x;
    }
  }
  out[i] = s;
}
// Registers that do not fit: 128 live values in 32 or 64 registers.
#define LOCAL_SPILL(name, ctas)                                                                   \
  extern "C" __global__ void __launch_bounds__(256, ctas) name(ARGS) {                            \
    ME;                                                                                           \
    float v[128];                                                                                 \
    _Pragma("unroll") for (int k = 0; k < 128; ++k) v[k] = (float)in[(i + 256 * k) & 65535];      \
    for (int r = 0; r < 2; ++r) {                                                                 \
      _Pragma("unroll") for (int k = 0; k < 128; ++k) v[k] = v[k] * v[(k * 37 + 11) & 127] + 1.f; \
    }                                                                                             \
    float s = 0;                                                                                  \
    _Pragma("unroll") for (int k = 0; k < 128; ++k) s = s * 1.5f + v[k];                          \
    out[i] = (int)s;                                                                              \
  }
LOCAL_SPILL(local_spill_32, 8)
LOCAL_SPILL(local_spill_64, 4)

// One access of each width at offsets 0 and 64 of an array; n lanes of each warp.
#define LOCAL_WIDTH(width)                  \
  KERNEL local_ld_##width(ARGS) {           \
    ME;                                     \
    int a[64];                              \
    const std::uint64_t base = local_of(a); \
    Value v;                                \
    if (lane < n) {                         \
      LOAD(".local", width, v, base);       \
      LOAD(".local", width, v, base + 64);  \
      LOAD(".local", width, v, base + 64);  \
    }                                       \
    out[i] = v.sum();                       \
  }                                         \
  KERNEL local_st_##width(ARGS) {           \
    ME;                                     \
    int a[64];                              \
    const std::uint64_t base = local_of(a); \
    Value v;                                \
    v.x = i;                                \
    if (lane < n) {                         \
      STORE(".local", width, v, base);      \
      STORE(".local", width, v, base + 64); \
      STORE(".local", width, v, base + 64); \
    }                                       \
    out[i] = in[i];                         \
  }
LOCAL_WIDTH(1)
LOCAL_WIDTH(2)
LOCAL_WIDTH(4)
LOCAL_WIDTH(8)
LOCAL_WIDTH(16)
