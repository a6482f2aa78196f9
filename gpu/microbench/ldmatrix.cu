// ldmatrix and stmatrix: latency and cycles per instruction of one SM, by matrices, transposition and the pitch of the
// eight rows of a matrix: 16 bytes apart they fill the banks once, 128 apart they all lie in the same four banks.
//   time=latency: an address that needs the last load's result (and one addition). op=ld.32, ld.128: plain loads for
//     comparison. op=stmatrix+ldmatrix: one stores, the other loads the same, which the next one stores.
//   time=rate: independent ones, 1 to 32 warps.
#include <cstdio>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 32;
constexpr int kUnroll = 8;
constexpr int kBufferBytes = 32 * 1024;

template <int kMatrices, bool kTranspose>
__device__ void load(unsigned address, unsigned (&v)[4]) {
#define TILESCOPE_LDMATRIX(TEXT, ...)                                                                            \
  if constexpr (kTranspose) {                                                                                    \
    asm volatile("ldmatrix.sync.aligned.m8n8." TEXT ".trans.shared.b16 " __VA_ARGS__ : "r"(address) : "memory"); \
  } else {                                                                                                       \
    asm volatile("ldmatrix.sync.aligned.m8n8." TEXT ".shared.b16 " __VA_ARGS__ : "r"(address) : "memory");       \
  }
  if constexpr (kMatrices == 1) {
    TILESCOPE_LDMATRIX("x1", "{%0}, [%1];" : "=r"(v[0]))
  } else if constexpr (kMatrices == 2) {
    TILESCOPE_LDMATRIX("x2", "{%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]))
  } else {
    TILESCOPE_LDMATRIX("x4", "{%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]))
  }
#undef TILESCOPE_LDMATRIX
}

template <int kMatrices, bool kTranspose>
__device__ void store(unsigned address, const unsigned (&v)[4]) {
#if __CUDA_ARCH__ >= 900
#define TILESCOPE_STMATRIX(TEXT, OPERANDS, ...)                                                                     \
  if constexpr (kTranspose) {                                                                                       \
    asm volatile("stmatrix.sync.aligned.m8n8." TEXT ".trans.shared.b16 [%0], " OPERANDS ::"r"(address), __VA_ARGS__ \
                 : "memory");                                                                                       \
  } else {                                                                                                          \
    asm volatile("stmatrix.sync.aligned.m8n8." TEXT ".shared.b16 [%0], " OPERANDS ::"r"(address), __VA_ARGS__       \
                 : "memory");                                                                                       \
  }
  if constexpr (kMatrices == 1) {
    TILESCOPE_STMATRIX("x1", "{%1};", "r"(v[0]))
  } else if constexpr (kMatrices == 2) {
    TILESCOPE_STMATRIX("x2", "{%1, %2};", "r"(v[0]), "r"(v[1]))
  } else {
    TILESCOPE_STMATRIX("x4", "{%1, %2, %3, %4};", "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]))
  }
#undef TILESCOPE_STMATRIX
#endif
}

enum class Op { kLoadMatrix, kStoreMatrix, kPlain };

// kMatrices of Op::kPlain: words of a lane.
template <Op kOp, int kMatrices, bool kTranspose>
__device__ void access(unsigned address, unsigned (&v)[4]) {
  if constexpr (kOp == Op::kLoadMatrix) {
    load<kMatrices, kTranspose>(address, v);
  } else if constexpr (kOp == Op::kStoreMatrix) {
    store<kMatrices, kTranspose>(address, v);
  } else if constexpr (kMatrices == 1) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(address) : "memory");
  } else {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(address)
                 : "memory");
  }
}

// The row that this lane names: lanes 0 to 7 those of the first matrix, 8 to 15 of the second, and so on.
__device__ unsigned row_address(const char* buffer, int pitch) {
  return shared_address(buffer) + threadIdx.x % 32 * pitch;
}

template <Op kOp, int kMatrices, bool kTranspose, bool kLatency>
__global__ void __launch_bounds__(1024)
    stream(int pitch, unsigned zero, int sm, int* claims, int* cycles, unsigned* sink) {
  __shared__ alignas(128) char buffer[kBufferBytes];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int i = threadIdx.x; i < kBufferBytes / 4; i += blockDim.x) {
    reinterpret_cast<unsigned*>(buffer)[i] = 0;
  }
  __shared__ Span span;
  begin_span(span);
  unsigned address = row_address(buffer, pitch);
  unsigned v[kUnroll][4] = {};
  unsigned sum = 0;
  const unsigned start = clock_now();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      if constexpr (kLatency && kOp == Op::kStoreMatrix) {
        store<kMatrices, kTranspose>(address, v[0]);
        load<kMatrices, kTranspose>(address, v[0]);
      } else if constexpr (kLatency) {
        access<kOp, kMatrices, kTranspose>(address, v[0]);
        asm volatile("add.u32 %0, %0, %1;" : "+r"(address) : "r"(v[0][0]));
      } else {
        // Addresses of their own, another one each round for all that is known, and results that are used a round
        // later: no load can be left out.
        if (kOp == Op::kLoadMatrix) {
          sum ^= v[i][0];
        }
        access<kOp, kMatrices, kTranspose>(address + i * 2048, v[i]);
      }
    }
    address += zero;
  }
  sum += address;
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    sum += v[i][0] + v[i][kMatrices - 1];
  }
  sink[threadIdx.x] = sum;
  const unsigned stop = clock_now();
  end_span(span, start, stop, cycles);
}

template <Op kOp, int kMatrices, bool kTranspose, bool kLatency>
void measure(Report& report, const char* name, int pitch, int warps) {
  Recorder<int> claims(1);
  const Recorder<int> cycles(1);
  const Recorder<unsigned> sink(1024);
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    stream<kOp, kMatrices, kTranspose, kLatency>
        <<<4 * sm_count(), 32 * warps>>>(pitch, 0, 0, claims.device(), cycles.device(), sink.device());
    finish("stream");
  }
  report.scalar("ldmatrix",
                std::string("time=") + (kLatency ? "latency" : "rate") + ";op=" + name +
                    ";pitch=" + std::to_string(pitch) + ";warps=" + std::to_string(warps),
                kLatency ? "latency" : "cycles_per_instruction",
                static_cast<double>(cycles.host()[0]) / (kRounds * kUnroll * warps), "cycle");
}

template <Op kOp, int kMatrices, bool kTranspose>
void measure_pitches(Report& report, const char* name, const char* latency_name) {
  for (const int pitch : {16, 32, 64, 128, 144}) {
    measure<kOp, kMatrices, kTranspose, true>(report, latency_name, pitch, 1);
    for (const int warps : {1, 4, 8, 16, 32}) {
      measure<kOp, kMatrices, kTranspose, false>(report, name, pitch, warps);
    }
  }
}

}  // namespace

void ldmatrix(Report& report) {
  measure_pitches<Op::kLoadMatrix, 1, false>(report, "ldmatrix.x1", "ldmatrix.x1");
  measure_pitches<Op::kLoadMatrix, 2, false>(report, "ldmatrix.x2", "ldmatrix.x2");
  measure_pitches<Op::kLoadMatrix, 4, false>(report, "ldmatrix.x4", "ldmatrix.x4");
  measure_pitches<Op::kLoadMatrix, 1, true>(report, "ldmatrix.x1.trans", "ldmatrix.x1.trans");
  measure_pitches<Op::kLoadMatrix, 2, true>(report, "ldmatrix.x2.trans", "ldmatrix.x2.trans");
  measure_pitches<Op::kLoadMatrix, 4, true>(report, "ldmatrix.x4.trans", "ldmatrix.x4.trans");
  measure<Op::kPlain, 1, false, true>(report, "ld.32", 4, 1);
  measure<Op::kPlain, 4, false, true>(report, "ld.128", 16, 1);
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  if (major < 9) {
    std::fprintf(stderr, "ldmatrix: stmatrix: not on this GPU\n");
    return;
  }
  measure_pitches<Op::kStoreMatrix, 1, false>(report, "stmatrix.x1", "stmatrix.x1+ldmatrix.x1");
  measure_pitches<Op::kStoreMatrix, 2, false>(report, "stmatrix.x2", "stmatrix.x2+ldmatrix.x2");
  measure_pitches<Op::kStoreMatrix, 4, false>(report, "stmatrix.x4", "stmatrix.x4+ldmatrix.x4");
  measure_pitches<Op::kStoreMatrix, 4, true>(report, "stmatrix.x4.trans", "stmatrix.x4.trans+ldmatrix.x4.trans");
}

}  // namespace tilescope::gpu
