// cp.async.bulk.tensor of boxes of a matrix of halves, 8192 x 1024 (16 MiB), from global to shared memory.
//   question=latency: from a copy's issue to the end of the wait for it; state=l2 or hbm (L2 was flushed). median of
//     kSamples; `first`: of the very first one, which also fetches the tensor map.
//   question=rate: bytes per cycle of one SM and of all, from L2, by copies in flight.
//   question=issue: cycles of the issuing thread per copy. Trace rows: row = 0, index = copy, value = cycles since the
//     first.
#include <algorithm>

#include "../common/tensor_map.h"
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSamples = 32;
constexpr int kQueued = 24;  // of 32 KiB boxes: an mbarrier counts up to 2^20 - 1 bytes
[[maybe_unused]] constexpr int kMostInFlight = 16;
constexpr int kSharedBytes = 200 * 1024;
constexpr int kRingBytes = 128 * 1024;
constexpr int kRows = 8192;
constexpr int kColumns = 1024;

struct Box {
  int rows;
  int columns;
  int swizzle_bytes;  // 0: none
  int bytes() const { return rows * columns * 2; }
  std::string text() const {
    return "box=" + std::to_string(rows) + "x" + std::to_string(columns) +
           ";swizzle=" + (swizzle_bytes == 0 ? "none" : std::to_string(swizzle_bytes));
  }
};

__global__ void warm(const char* data) {
  const std::size_t bytes = std::size_t{2} * kRows * kColumns;
  for (std::size_t i = 32 * (blockIdx.x * std::size_t{256} + threadIdx.x); i < bytes; i += 32 * 256 * gridDim.x) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i) : "memory");
  }
}

#ifdef TILESCOPE_SM90A
__device__ inline void load_box(unsigned shared, const CUtensorMap& map, int column, int row, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(shared),
      "l"(&map), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}
#endif

__global__ void latency(const __grid_constant__ CUtensorMap map, int box_rows, unsigned bytes, int sm, int* claims,
                        unsigned* cycles, int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  mbarrier_init(barrier, 1);
  mbarrier_publish();
#pragma unroll 1
  for (int i = 0; i < kSamples; ++i) {
    const unsigned start = clock_now(shared);
    mbarrier_arrive_expect(barrier, bytes);
    load_box(shared, map, 0, i * box_rows % kRows, barrier);
    if (!mbarrier_wait(barrier, i % 2, failures)) {
      return;
    }
    cycles[i] = clock_now(shared) - start;
  }
#endif
}

__global__ void rate(const __grid_constant__ CUtensorMap map, int box_rows, int box_columns, unsigned bytes,
                     int in_flight, int rounds, int only_sm, int* claims, int* cycles, int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long words[kMostInFlight];
  if (only_sm >= 0 && claim_sm(only_sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  const unsigned barriers = shared_address(words);
  for (int i = 0; i < in_flight; ++i) {
    mbarrier_init(barriers + 8 * i, 1);
  }
  mbarrier_publish();
  int row = static_cast<int>(blockIdx.x) * 64 / box_rows * box_rows % kRows;
  int column = 0;
  const auto issue = [&](int stage) {
    mbarrier_arrive_expect(barriers + 8 * stage, bytes);
    load_box(shared + stage * bytes, map, column, row, barriers + 8 * stage);
    column += box_columns;
    if (column == kColumns) {
      column = 0;
      row = (row + box_rows) % kRows;
    }
  };
  const unsigned start = clock_now();
  if (!keep_in_flight(barriers, in_flight, rounds, failures, issue)) {
    return;
  }
  cycles[blockIdx.x] = static_cast<int>(clock_now() - start);
#endif
}

__global__ void issue(const __grid_constant__ CUtensorMap map, int box_rows, unsigned bytes, int sm, int* claims,
                      unsigned* clocks, int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  mbarrier_init(barrier, 1);
  mbarrier_publish();
  mbarrier_arrive_expect(barrier, kQueued * bytes);
  unsigned t[kQueued];
#pragma unroll
  for (int i = 0; i < kQueued; ++i) {
    t[i] = clock_now(shared);
    load_box(shared, map, 0, i * box_rows % kRows, barrier);
  }
  if (!mbarrier_wait(barrier, 0, failures)) {
    return;
  }
#pragma unroll
  for (int i = 0; i < kQueued; ++i) {
    clocks[i] = t[i] - t[0];
  }
#endif
}

void measure_latency(Report& report, const Recorder<char>& data, const Box& box, bool warm_l2) {
  const CUtensorMap map = matrix_map(data.device(), kRows, kColumns, box.rows, box.columns, box.swizzle_bytes);
  Recorder<int> claims(1);
  const Recorder<unsigned> cycles(kSamples);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    if (warm_l2) {
      warm<<<256, 256>>>(data.device());
    } else {
      flush_l2();
    }
    claims.clear();
    latency<<<4 * sm_count(), 1, kSharedBytes>>>(map, box.rows, box.bytes(), 0, claims.device(), cycles.device(),
                                                 failures.device());
    failures.finish("latency");
  }
  std::vector<unsigned> all = cycles.host();
  const std::string the_case = std::string("question=latency;state=") + (warm_l2 ? "l2" : "hbm") + ";" + box.text();
  report.scalar("tma_tensor", the_case, "first", all[0], "cycle");
  std::sort(all.begin(), all.end());
  report.scalar("tma_tensor", the_case, "median", all[kSamples / 2], "cycle");
}

void measure_rate(Report& report, const Recorder<char>& data, const Box& box, int in_flight, bool all_sms) {
  const CUtensorMap map = matrix_map(data.device(), kRows, kColumns, box.rows, box.columns, box.swizzle_bytes);
  const int ctas = all_sms ? sm_count() : 4 * sm_count();
  const int rounds = std::clamp((2 << 20) / box.bytes(), 2 * in_flight, 4096);
  Recorder<int> claims(1);
  const Recorder<int> cycles(ctas);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    warm<<<256, 256>>>(data.device());
    claims.clear();
    rate<<<ctas, 1, kSharedBytes>>>(map, box.rows, box.columns, box.bytes(), in_flight, rounds, all_sms ? -1 : 0,
                                    claims.device(), cycles.device(), failures.device());
    failures.finish("rate");
  }
  const std::vector<int> all = cycles.host();
  report.scalar("tma_tensor",
                std::string("question=rate;sms=") + (all_sms ? "all" : "1") + ";" + box.text() +
                    ";in_flight=" + std::to_string(in_flight),
                "rate_of_sm", static_cast<double>(rounds) * box.bytes() / *std::max_element(all.begin(), all.end()),
                "B/cycle");
}

void measure_issue(Report& report, const Recorder<char>& data, const Box& box) {
  const CUtensorMap map = matrix_map(data.device(), kRows, kColumns, box.rows, box.columns, box.swizzle_bytes);
  Recorder<int> claims(1);
  const Recorder<unsigned> clocks(kQueued);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    warm<<<256, 256>>>(data.device());
    claims.clear();
    issue<<<4 * sm_count(), 1, kSharedBytes>>>(map, box.rows, box.bytes(), 0, claims.device(), clocks.device(),
                                               failures.device());
    failures.finish("issue");
  }
  const std::vector<unsigned> all = clocks.host();
  report.scalar("tma_tensor", "question=issue;" + box.text(), "first_8_each", all[8] / 8.0, "cycle");
  report.scalar("tma_tensor", "question=issue;" + box.text(), "last_16_each",
                (all[kQueued - 1] - all[kQueued - 17]) / 16.0, "cycle");
  for (int i = 0; i < kQueued; ++i) {
    report.trace("tma_tensor", "question=issue;" + box.text(), 0, i, all[i]);
  }
}

}  // namespace

void tma_tensor(Report& report) {
  if (!has_hopper("tma_tensor")) {
    return;
  }
  const Recorder<char> data(std::size_t{2} * kRows * kColumns);
  allow_shared_memory(latency, kSharedBytes);
  allow_shared_memory(rate, kSharedBytes);
  allow_shared_memory(issue, kSharedBytes);
  std::vector<Box> boxes;
  for (const int rows : {8, 64, 128, 256}) {
    boxes.insert(boxes.end(), {{rows, 64, 0}, {rows, 16, 32}, {rows, 32, 64}, {rows, 64, 128}});
  }
  boxes.insert(boxes.end(), {{64, 128, 0}, {32, 256, 0}, {256, 8, 0}});
  for (const Box& box : boxes) {
    measure_latency(report, data, box, true);
    measure_latency(report, data, box, false);
    measure_issue(report, data, box);
    for (const int in_flight : {1, 2, 4, 8, 16}) {
      if (in_flight * box.bytes() <= kRingBytes) {
        measure_rate(report, data, box, in_flight, false);
        measure_rate(report, data, box, in_flight, true);
      }
    }
  }
}

}  // namespace tilescope::gpu
