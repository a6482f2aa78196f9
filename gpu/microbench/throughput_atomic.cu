// Cycles per atomic instruction of a warp, with a result (atom) and without (red), on global memory: of one SM by lanes
// and how their words lie, of all SMs by how many lines they share. op=load: red is a store, atom a load past L1. Lane
// l of instruction i of warp w (counted over the grid) takes part if l < lanes, and addresses
//   base + (w * warp_pitch + i * step) mod span + l * lane_pitch
// cycles_per_instruction: the mean span of a CTA from its first start to the last result (red: to a membar behind the
// last), divided by the instructions of all its warps. instructions_per_cycle: of the whole grid.
#include <algorithm>
#include <numeric>

#include "atomic_op.cuh"
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kUnroll = 8;

struct Layout {
  int lanes, lane_pitch, warp_pitch, step, span, rounds;
};

template <AtomicOp kOp, bool kResult>
__global__ void __launch_bounds__(1024) stream(unsigned* words, Layout layout, int* cycles, unsigned* sink) {
  __shared__ Span span;
  begin_span(span);
  const int lane = threadIdx.x % 32;
  const unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const std::uint64_t base = __cvta_generic_to_global(words) + lane * layout.lane_pitch;
  const unsigned mask = layout.span - 1;
  unsigned offset = warp * layout.warp_pitch;
  unsigned sum = 0;
  const bool active = lane < layout.lanes;
  const unsigned start = clock_now();
  for (int round = 0; round < layout.rounds; ++round) {
    unsigned r[kUnroll] = {};
    if (active) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        if constexpr (kResult) {
          r[i] = global_atom<kOp>(base + (offset & mask), 0);
        } else {
          global_red<kOp>(base + (offset & mask), 0);
        }
        offset += layout.step;
      }
    }
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      sum += r[i];
    }
  }
  if (kResult) {
    asm volatile("" ::"r"(sum) : "memory");
    if (sum == 12345) {
      *sink = sum;
    }
  } else {
    __threadfence();
  }
  const unsigned stop = clock_now();
  end_span(span, start, stop, &cycles[blockIdx.x]);
}

template <AtomicOp kOp, bool kResult>
void measure(Report& report, const std::string& the_case, int ctas, int warps, Layout layout) {
  static const Recorder<unsigned> words(32U << 20);
  const Recorder<unsigned> sink(1);
  Recorder<int> cycles(ctas);
  for (int pass = 0; pass < 2; ++pass) {
    stream<kOp, kResult><<<ctas, 32 * warps>>>(words.device(), layout, cycles.device(), sink.device());
    finish("stream");
  }
  const std::vector<int> all = cycles.host();
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / ctas;
  const double instructions = static_cast<double>(layout.rounds) * kUnroll * warps;
  const std::string name = std::string("op=") + name_of(kOp) + ";form=" + (kResult ? "atom" : "red") +
                           ";ctas=" + std::to_string(ctas) + ";warps=" + std::to_string(warps) + ";" + the_case;
  report.scalar("throughput_atomic", name, "cycles_per_instruction", mean / instructions, "cycle");
  report.scalar("throughput_atomic", name, "instructions_per_cycle", instructions * ctas / mean, "");
}

template <AtomicOp kOp, bool kResult>
void one_sm(Report& report) {
  for (const int lanes : {1, 2, 4, 8, 16, 32}) {
    for (const int pitch : {0, 4, 8, 32, 128}) {
      if ((lanes == 1 && pitch != 0) || (bytes_of(kOp) == 8 && pitch == 4)) {
        continue;
      }
      for (const int warps : {8, 32}) {
        if (warps == 32 && lanes != 32 && lanes != 1) {
          continue;
        }
        // Every warp at lines of its own, 8 KiB apart, so that nothing but the SM limits.
        measure<kOp, kResult>(report,
                              "lanes=" + std::to_string(lanes) + ";pitch_bytes=" + std::to_string(pitch) + ";to=own", 1,
                              warps, {lanes, pitch, 8192, 65536 * 4, 1 << 26, 16});
      }
    }
  }
}

template <AtomicOp kOp, bool kResult>
void all_sms(Report& report) {
  const int ctas = sm_count();
  for (const int lines : {1, 2, 4, 16, 64, 256, 1024, 4096, 32768}) {
    for (const int lanes : {1, 32}) {
      for (const int pitch : {0, bytes_of(kOp)}) {
        if (lanes == 1 && pitch != 0) {
          continue;
        }
        // 17 lines further each time and 5 for each warp: all lines in turn.
        measure<kOp, kResult>(report,
                              "lanes=" + std::to_string(lanes) + ";pitch_bytes=" + std::to_string(pitch) +
                                  ";to=lines;lines=" + std::to_string(lines),
                              ctas, 8, {lanes, pitch, 5 * 256, 17 * 256, lines * 256, lines < 64 ? 2 : 8});
      }
    }
  }
  for (const int lanes : {1, 8, 32}) {  // one word for each warp, always the same
    measure<kOp, kResult>(report, "lanes=" + std::to_string(lanes) + ";pitch_bytes=0;to=word_of_warp", ctas, 8,
                          {lanes, 0, 256, 0, 1 << 24, 8});
  }
  for (const int pitch : {32, 128}) {  // scattered lanes over 32 MiB
    measure<kOp, kResult>(report, "lanes=32;pitch_bytes=" + std::to_string(pitch) + ";to=spread", ctas, 8,
                          {32, pitch, 8192, 65536 * 5, 1 << 25, 8});
  }
}

}  // namespace

void throughput_atomic(Report& report) {
  one_sm<AtomicOp::load, false>(report);
  one_sm<AtomicOp::load, true>(report);
  one_sm<AtomicOp::add_u32, false>(report);
  one_sm<AtomicOp::add_u32, true>(report);
  one_sm<AtomicOp::add_u64, false>(report);
  one_sm<AtomicOp::add_u64, true>(report);
  one_sm<AtomicOp::add_f32, false>(report);
  one_sm<AtomicOp::add_f32, true>(report);
  one_sm<AtomicOp::cas_b32, true>(report);
  all_sms<AtomicOp::load, true>(report);
  all_sms<AtomicOp::add_u32, false>(report);
  all_sms<AtomicOp::add_u32, true>(report);
  all_sms<AtomicOp::add_u64, false>(report);
  all_sms<AtomicOp::add_u64, true>(report);
  all_sms<AtomicOp::add_f32, false>(report);
  all_sms<AtomicOp::add_f32, true>(report);
  all_sms<AtomicOp::add_f16x2, false>(report);
  all_sms<AtomicOp::max_s32, false>(report);
  all_sms<AtomicOp::exch_b32, true>(report);
  all_sms<AtomicOp::cas_b32, true>(report);
  all_sms<AtomicOp::cas_b64, true>(report);
}

}  // namespace tilescope::gpu
