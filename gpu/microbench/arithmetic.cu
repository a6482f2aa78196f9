// Latency and rate of arithmetic instructions: chains of dependent operations, kChains of them per warp, 1..32 warps on
// one SM. cycles_per_instruction is per SM: one warp with one chain gives the latency, many warps give the reciprocal
// of the SM's rate.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Op { kFfma, kFadd, kImad, kImadWide, kIadd3, kLop3, kShf, kMufuEx2, kHfma2, kDfma, kShfl, kHmma16816 };

struct Chain {
  float f = 1.0f;
  unsigned i = 1;
  unsigned previous = 2;
  unsigned long long l = 1;
  double d = 1.0;
  float hmma[4] = {};
};

// One link. Three-operand forms that the assembler cannot fold with their neighbours.
template <Op kOp>
__device__ void link(Chain& c, float fa, unsigned ia) {
  if constexpr (kOp == Op::kFfma) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(c.f) : "f"(fa));
  } else if constexpr (kOp == Op::kFadd) {
    asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(c.f) : "f"(fa));
  } else if constexpr (kOp == Op::kImad) {
    asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(c.i) : "r"(ia));
  } else if constexpr (kOp == Op::kImadWide) {
    asm volatile("{.reg .u32 low, high; mov.b64 {low, high}, %0; mad.wide.u32 %0, low, %1, %0;}" : "+l"(c.l) : "r"(ia));
  } else if constexpr (kOp == Op::kIadd3) {
    const unsigned sum = c.i + c.previous + ia;
    c.previous = c.i;
    c.i = sum;
  } else if constexpr (kOp == Op::kLop3) {
    const unsigned last = c.i;
    asm volatile("lop3.b32 %0, %0, %1, %2, 0xd4;" : "+r"(c.i) : "r"(c.previous), "r"(ia));
    c.previous = last;
  } else if constexpr (kOp == Op::kShf) {
    asm volatile("shf.l.wrap.b32 %0, %0, %1, %0;" : "+r"(c.i) : "r"(ia));
  } else if constexpr (kOp == Op::kMufuEx2) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(c.f));
  } else if constexpr (kOp == Op::kHfma2) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(c.i) : "r"(ia));
  } else if constexpr (kOp == Op::kDfma) {
    asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(c.d) : "d"(static_cast<double>(fa)));
  } else if constexpr (kOp == Op::kShfl) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(c.i));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, "
        "%3};"
        : "+f"(c.hmma[0]), "+f"(c.hmma[1]), "+f"(c.hmma[2]), "+f"(c.hmma[3])
        : "r"(ia));
  }
}

constexpr int kRounds = 16;
constexpr int kUnroll = 32;

template <Op kOp, int kChains>
__global__ void chains(float fa, unsigned ia, int sm, int* claims, int* cycles, float* sink) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  Chain chain[kChains];
  for (int c = 0; c < kChains; ++c) {
    chain[c].i += threadIdx.x + c;
    chain[c].l += threadIdx.x + c;  // differs by lane: keeps the chain off the uniform datapath
    chain[c].f += static_cast<float>(threadIdx.x + c);
  }
  __shared__ Span span;
  begin_span(span);
  const unsigned start = clock_now();
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) {
        link<kOp>(chain[c], fa, ia);
      }
    }
  }
  const unsigned stop = clock_now();
  float sum = 0.0f;
  for (int c = 0; c < kChains; ++c) {
    sum += chain[c].f + static_cast<float>(chain[c].i) + static_cast<float>(chain[c].l) +
           static_cast<float>(chain[c].d) + chain[c].hmma[0] + chain[c].hmma[3];
  }
  sink[threadIdx.x] = sum;
  end_span(span, start, stop, cycles);
}

template <Op kOp, int kChains>
void measure(Report& report, const char* name) {
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    Recorder<int> claims(1);
    Recorder<int> cycles(1);
    Recorder<float> sink(1024);
    for (int pass = 0; pass < 2; ++pass) {  // the first one fills the instruction caches
      claims.clear();
      chains<kOp, kChains><<<4 * sm_count(), 32 * warps>>>(1.0f, 3, 0, claims.device(), cycles.device(), sink.device());
      finish("chains");
    }
    report.scalar("arithmetic",
                  std::string("op=") + name + ";chains=" + std::to_string(kChains) + ";warps=" + std::to_string(warps),
                  "cycles_per_instruction",
                  static_cast<double>(cycles.host()[0]) / (kRounds * kUnroll * kChains * warps), "cycle");
  }
}

template <Op kOp>
void measure_chains(Report& report, const char* name) {
  measure<kOp, 1>(report, name);
  measure<kOp, 2>(report, name);
  measure<kOp, 4>(report, name);
  measure<kOp, 8>(report, name);
}

}  // namespace

void arithmetic(Report& report) {
  measure_chains<Op::kFfma>(report, "ffma");
  measure_chains<Op::kFadd>(report, "fadd");
  measure_chains<Op::kImad>(report, "imad");
  measure_chains<Op::kImadWide>(report, "imad.wide");
  measure_chains<Op::kIadd3>(report, "iadd3");
  measure_chains<Op::kLop3>(report, "lop3");
  measure_chains<Op::kShf>(report, "shf");
  measure_chains<Op::kMufuEx2>(report, "mufu.ex2");
  measure_chains<Op::kHfma2>(report, "hfma2");
  measure_chains<Op::kDfma>(report, "dfma");
  measure_chains<Op::kShfl>(report, "shfl");
  measure_chains<Op::kHmma16816>(report, "hmma.16816.f32");
}

}  // namespace tilescope::gpu
