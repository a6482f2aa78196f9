// mma.sync of every type and main shape, each a type with its inputs, its sums and one instruction. FP8 is left out:
// for sm_90 it is assembled as conversions and HMMAs of halves.
#pragma once

namespace tilescope::gpu {

#if defined(__CUDA_ARCH__)
constexpr int kCompiledArchitecture = __CUDA_ARCH__ / 10;
#else
constexpr int kCompiledArchitecture = 0;
#endif

// Fragments of one lane in 32-bit registers.
template <int kA, int kB>
struct WordInputs {
  __device__ explicit WordInputs(unsigned seed) {
    for (int i = 0; i < kA; ++i) {
      asm volatile("add.u32 %0, %1, %2;" : "=r"(a[i]) : "r"(seed), "r"(i));  // registers of their own
    }
    for (int i = 0; i < kB; ++i) {
      asm volatile("add.u32 %0, %1, %2;" : "=r"(b[i]) : "r"(seed), "r"(i + 8));
    }
  }
  unsigned a[kA];
  unsigned b[kB];
};
template <int kCount>
struct WordSums {
  __device__ unsigned any() const { return d[0] ^ d[kCount - 1]; }
  unsigned d[kCount];
};
template <int kA, int kB>
struct DoubleInputs {
  __device__ explicit DoubleInputs(unsigned seed) {
    for (int i = 0; i < kA; ++i) {
      asm volatile("cvt.rn.f64.u32 %0, %1;" : "=d"(a[i]) : "r"(seed + i));
    }
    for (int i = 0; i < kB; ++i) {
      asm volatile("cvt.rn.f64.u32 %0, %1;" : "=d"(b[i]) : "r"(seed + i + 8));
    }
  }
  double a[kA];
  double b[kB];
};
template <int kCount>
struct DoubleSums {
  __device__ unsigned any() const { return static_cast<unsigned>(__double2loint(d[0] + d[kCount - 1])); }
  double d[kCount];
};

#define TILESCOPE_D4 "+r"(sums.d[0]), "+r"(sums.d[1]), "+r"(sums.d[2]), "+r"(sums.d[3])
#define TILESCOPE_D2 "+r"(sums.d[0]), "+r"(sums.d[1])
#define TILESCOPE_A4 "r"(in.a[0]), "r"(in.a[1]), "r"(in.a[2]), "r"(in.a[3])
#define TILESCOPE_A2 "r"(in.a[0]), "r"(in.a[1])
#define TILESCOPE_B2 "r"(in.b[0]), "r"(in.b[1])
#define TILESCOPE_B1 "r"(in.b[0])

// NAME: the type; KIND: its name in reports; INPUTS, SUMS: fragments; the rest: the instruction and its operands.
#define TILESCOPE_MMA(NAME, KIND, ARCHITECTURE, M, N, K, INPUTS, SUMS, TEXT, ...)         \
  struct NAME {                                                                           \
    static constexpr const char* kName = KIND ".m" #M "n" #N "k" #K;                      \
    static constexpr int kArchitecture = ARCHITECTURE;                                    \
    static constexpr double kMultiplyAdds = M * N * K;                                    \
    using Inputs = INPUTS;                                                                \
    using Sums = SUMS;                                                                    \
    template <class In>                                                                   \
    static __device__ void multiply_add(Sums& sums, const In& in) {                       \
      asm volatile("mma.sync.aligned.m" #M "n" #N "k" #K ".row.col." TEXT : __VA_ARGS__); \
    }                                                                                     \
  }
#define TILESCOPE_COMMA ,
#define TILESCOPE_WORDS(A, B) WordInputs<A TILESCOPE_COMMA B>
#define TILESCOPE_DOUBLES(A, B) DoubleInputs<A TILESCOPE_COMMA B>
#define TILESCOPE_MMA_442(NAME, KIND, ARCHITECTURE, K, TYPES)                                          \
  TILESCOPE_MMA(NAME, KIND, ARCHITECTURE, 16, 8, K, TILESCOPE_WORDS(4, 2), WordSums<4>,                \
                TYPES " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};", TILESCOPE_D4 \
                : TILESCOPE_A4, TILESCOPE_B2)
#define TILESCOPE_MMA_421(NAME, KIND, ARCHITECTURE, K, TYPES)                              \
  TILESCOPE_MMA(NAME, KIND, ARCHITECTURE, 16, 8, K, TILESCOPE_WORDS(2, 1), WordSums<4>,    \
                TYPES " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};", TILESCOPE_D4 \
                : TILESCOPE_A2, TILESCOPE_B1)

TILESCOPE_MMA_442(MmaF16K16, "f16.f32", 80, 16, "f32.f16.f16.f32");
TILESCOPE_MMA_421(MmaF16K8, "f16.f32", 80, 8, "f32.f16.f16.f32");
TILESCOPE_MMA_442(MmaBf16K16, "bf16.f32", 80, 16, "f32.bf16.bf16.f32");
TILESCOPE_MMA_421(MmaBf16K8, "bf16.f32", 80, 8, "f32.bf16.bf16.f32");
TILESCOPE_MMA_442(MmaTf32K8, "tf32.f32", 80, 8, "f32.tf32.tf32.f32");
TILESCOPE_MMA_421(MmaTf32K4, "tf32.f32", 80, 4, "f32.tf32.tf32.f32");
TILESCOPE_MMA_442(MmaS8K32, "s8.s32", 80, 32, "s32.s8.s8.s32");
TILESCOPE_MMA_421(MmaS8K16, "s8.s32", 80, 16, "s32.s8.s8.s32");
TILESCOPE_MMA(MmaF16SumsK16, "f16.f16", 80, 16, 8, 16, TILESCOPE_WORDS(4, 2), WordSums<2>,
              "f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};", TILESCOPE_D2
              : TILESCOPE_A4, TILESCOPE_B2);
TILESCOPE_MMA(MmaF16SumsK8, "f16.f16", 80, 16, 8, 8, TILESCOPE_WORDS(2, 1), WordSums<2>,
              "f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};", TILESCOPE_D2
              : TILESCOPE_A2, TILESCOPE_B1);
TILESCOPE_MMA(MmaS8N8K16, "s8.s32", 80, 8, 8, 16, TILESCOPE_WORDS(1, 1), WordSums<2>,
              "s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};", TILESCOPE_D2
              : "r"(in.a[0]), TILESCOPE_B1);

#define TILESCOPE_F64_D4 "+d"(sums.d[0]), "+d"(sums.d[1]), "+d"(sums.d[2]), "+d"(sums.d[3])
#define TILESCOPE_F64_A4 "d"(in.a[0]), "d"(in.a[1]), "d"(in.a[2]), "d"(in.a[3])
TILESCOPE_MMA(MmaF64M8K4, "f64.f64", 80, 8, 8, 4, TILESCOPE_DOUBLES(1, 1), DoubleSums<2>,
              "f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};", "+d"(sums.d[0]), "+d"(sums.d[1])
              : "d"(in.a[0]), "d"(in.b[0]));
TILESCOPE_MMA(MmaF64M16K4, "f64.f64", 90, 16, 8, 4, TILESCOPE_DOUBLES(2, 1), DoubleSums<4>,
              "f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};", TILESCOPE_F64_D4
              : "d"(in.a[0]), "d"(in.a[1]), "d"(in.b[0]));
TILESCOPE_MMA(MmaF64M16K8, "f64.f64", 90, 16, 8, 8, TILESCOPE_DOUBLES(4, 2), DoubleSums<4>,
              "f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};", TILESCOPE_F64_D4
              : TILESCOPE_F64_A4, "d"(in.b[0]), "d"(in.b[1]));
TILESCOPE_MMA(MmaF64M16K16, "f64.f64", 90, 16, 8, 16, TILESCOPE_DOUBLES(8, 4), DoubleSums<4>,
              "f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, "
              "%2, %3};",
              TILESCOPE_F64_D4
              : TILESCOPE_F64_A4, "d"(in.a[4]), "d"(in.a[5]), "d"(in.a[6]), "d"(in.a[7]), "d"(in.b[0]), "d"(in.b[1]),
                "d"(in.b[2]), "d"(in.b[3]));

}  // namespace tilescope::gpu
