// What a warp waits for that reads constants (parameters of the launch, bank 0) which its SM does not hold, and how
// much comes with each miss. A CTA with an SM to itself has up to five warps that come `turn` cycles after one another
// and read `count` words, `stride` byte apart, as operands of an addition (operand), at a place that a uniform register
// has a part in (indexed) or by LDC with a computed address (ldc), between two reads of the clock. at=I: the I-th word
// read. wave=0: the CTA that finds the SM as the launch found it; wave=1: the one that follows it. warp=W: warps 0 and
// 4 share a sub-partition. turn=0: all warps come at once.
#include <algorithm>
#include <array>
#include <map>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kWords = 832, kMost = 52;
constexpr int kShown = 6;  // of the words that a warp reads, the first ones are reported

struct Parameters {
  unsigned* notes;
  unsigned first, turn;  // cycles
  unsigned zero;
  unsigned padding[55];  // so that `words` begin at 0x300 in the bank
  unsigned words[kWords];
};

__constant__ unsigned table[kWords];  // bank 3

enum class Way { kOperand, kIndexed, kLdc, kOperandThenLdc, kLdcThenOperand, kBackwards, kTable, kTableLdc };

// How often each word is read: the code of more reads would not be fetched together with the loop that waits.
template <int kCount>
constexpr int kTurns = kCount > 16 ? 1 : 2;

template <Way kWay, int kStride, int kCount>
__global__ void __launch_bounds__(160) touch(const __grid_constant__ Parameters p) {
  const unsigned warp = threadIdx.x / 32;
  unsigned x = threadIdx.x & 31;
  unsigned waits[2][kCount] = {};
  constexpr bool kTable = kWay == Way::kTable || kWay == Way::kTableLdc;
  const unsigned zero = p.zero;
  const unsigned begin = clock_now(x);
  while (clock_now(x) - begin < p.first + warp * p.turn) {
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
#pragma unroll
    for (int turn = 0; turn < kTurns<kCount>; ++turn) {
      const int word = (kWay == Way::kBackwards ? kCount - 1 - i : i) * (kStride / 4);
      const bool ldc = kWay == Way::kLdc || kWay == Way::kTableLdc ||
                       kWay == (turn == 0 ? Way::kLdcThenOperand : Way::kOperandThenLdc);
      const unsigned start = clock_now(x);
      if (ldc) {
        x += (kTable ? table : p.words)[word + (x & zero)];
      } else {
        const unsigned at = word + (kWay == Way::kIndexed ? zero : 0);
        asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"((kTable ? table : p.words)[at]));
      }
      waits[turn][i] = clock_now(x) - start;
    }
  }
  unsigned* const mine = p.notes + (blockIdx.x * 5 + warp) * (2 * kMost + 1);
  if (threadIdx.x % 32 == 0) {
    mine[0] = sm_id();
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      mine[1 + i] = waits[0][i];
      mine[1 + kMost + i] = waits[1][i];
    }
  }
}

unsigned median(std::vector<unsigned> of) {
  std::nth_element(of.begin(), of.begin() + of.size() / 2, of.end());
  return of[of.size() / 2];
}

template <Way kWay, int kStride, int kCount>
void ask(Report& report, const std::string& way, int ctas, int warps, unsigned first = 4000, unsigned turn = 6000) {
  check(cudaFuncSetAttribute(touch<kWay, kStride, kCount>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const std::size_t row = 2 * kMost + 1;
  Recorder<unsigned> notes(static_cast<std::size_t>(ctas) * 5 * row);
  Parameters p = {};
  p.notes = notes.device();
  p.first = first;
  p.turn = turn;
  for (const char* state : {"first", "flushed"}) {
    if (std::string(state) == "flushed") {
      flush_l2();
    }
    touch<kWay, kStride, kCount><<<ctas, 32 * warps, kOneCtaPerSm>>>(p);
    finish("touch");
    const std::vector<unsigned> seen = notes.host();
    // By wave, warp, turn and place: one value per SM.
    std::map<std::array<int, 4>, std::vector<unsigned>> waits;
    std::map<unsigned, int> waves;
    for (int cta = 0; cta < ctas; ++cta) {
      const int wave = waves[seen[static_cast<std::size_t>(cta) * 5 * row]]++;
      for (int warp = 0; warp < warps; ++warp) {
        for (int turn = 0; turn < kTurns<kCount>; ++turn) {
          for (int i = 0; i < kCount; ++i) {
            waits[{wave, warp, turn, i}].push_back(
                seen[(static_cast<std::size_t>(cta) * 5 + warp) * row + 1 + turn * kMost + i]);
          }
        }
      }
    }
    for (const auto& [key, values] : waits) {
      if (key[3] >= kShown || (key[0] == 1 && key[1] > 0) || key[1] == 2 || key[1] == 3) {
        continue;
      }
      report.scalar("constant_cache",
                    "way=" + way + ";stride=" + std::to_string(kStride) + ";count=" + std::to_string(kCount) +
                        ";ctas=" + std::to_string(ctas) + ";warps=" + std::to_string(warps) +
                        ";first=" + std::to_string(first) + ";turn=" + std::to_string(turn) + ";state=" + state +
                        ";wave=" + std::to_string(key[0]) + ";warp=" + std::to_string(key[1]) +
                        ";at=" + std::to_string(key[3]),
                    key[2] == 0 ? "wait" : "wait_again", median(values), "cycle");
    }
  }
}

}  // namespace

void constant_cache(Report& report) {
  ask<Way::kOperand, 4, 16>(report, "operand", 1, 1);
  ask<Way::kOperand, 16, 16>(report, "operand", 1, 1);
  ask<Way::kOperand, 32, 16>(report, "operand", 1, 1);
  ask<Way::kOperand, 64, 16>(report, "operand", 1, 1);
  ask<Way::kOperand, 128, 16>(report, "operand", 1, 1);
  ask<Way::kOperand, 256, 13>(report, "operand", 1, 1);
  ask<Way::kIndexed, 4, 16>(report, "indexed", 1, 1);
  ask<Way::kIndexed, 64, 16>(report, "indexed", 1, 1);
  ask<Way::kIndexed, 64, 16>(report, "indexed", 2 * sm_count(), 5);
  ask<Way::kIndexed, 64, 16>(report, "indexed", 2 * sm_count(), 5, 0, 0);
  ask<Way::kBackwards, 64, 16>(report, "backwards", 1, 1);
  ask<Way::kLdc, 64, 16>(report, "ldc", 1, 1);
  ask<Way::kLdc, 256, 13>(report, "ldc", 1, 1);
  ask<Way::kOperandThenLdc, 256, 13>(report, "operand_ldc", 1, 1);
  ask<Way::kLdcThenOperand, 256, 13>(report, "ldc_operand", 1, 1);
  const int all = 2 * sm_count();
  ask<Way::kOperand, 64, 16>(report, "operand", all, 5);
  ask<Way::kOperand, 64, 32>(report, "operand", all, 5);
  ask<Way::kOperand, 64, 52>(report, "operand", all, 5);
  ask<Way::kOperand, 256, 13>(report, "operand", all, 5);
  ask<Way::kLdc, 64, 16>(report, "ldc", all, 5);
  ask<Way::kLdc, 256, 13>(report, "ldc", all, 5);
  ask<Way::kOperand, 64, 16>(report, "operand", all, 5, 0, 0);
  for (const int ctas : {1, 2, 8, 33, 66, 132}) {
    ask<Way::kOperand, 64, 16>(report, "operand", ctas, 4, 0, 0);
  }
  ask<Way::kTable, 4, 16>(report, "table", 1, 1);
  ask<Way::kTable, 64, 16>(report, "table", 1, 1);
  ask<Way::kTable, 256, 13>(report, "table", 1, 1);
  ask<Way::kTable, 64, 16>(report, "table", all, 5);
  ask<Way::kTable, 256, 13>(report, "table", all, 5);
  ask<Way::kTableLdc, 64, 16>(report, "table_ldc", all, 5);
}

}  // namespace tilescope::gpu
