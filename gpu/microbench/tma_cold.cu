// How long tensor copies of lines that L2 does not have take, by how many lines are waited for together and where they
// lie. The thread of a CTA copies `lines` rows of 128 bytes, `pitch` bytes apart, and waits for all; then the next.
//   walk=k: the next lines follow in the same rows, as steps along K do; walk=none: rows nobody has read, anywhere.
//   ctas=N;readers=R: N CTAs, one to an SM, of which R copy the same lines.
//   mean, p10, p50, p90: of all CTAs and steps but the first four, cycles from the first copy to the end of the wait.
//   even, odd: means over steps of walk=k whose lines are the first and the second of 256 bytes.
#include <algorithm>
#include <numeric>

#include "../common/tensor_map.h"
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 64;
constexpr int kSkipped = 4;
constexpr int kSharedBytes = kOneCtaPerSm;
constexpr std::size_t kBytes = std::size_t{4} << 30;

struct Case {
  int lines;
  int pitch;  // bytes
  bool along_k;
  int ctas;
  int readers;
};

// cycles: ctas x kSteps. Copies boxes of box_rows rows and 64 halves.
__global__ void copy_cold(const __grid_constant__ CUtensorMap map, int box_rows, int boxes, int rows, int columns,
                          int along_k, int readers, unsigned* cycles) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long word;
  const unsigned shared = aligned_shared();
  const unsigned barrier = shared_address(&word);
  mbarrier_init(barrier, 1);
  mbarrier_publish();
  const int tile_rows = box_rows * boxes;
  const int tiles = rows / tile_rows;
  const unsigned reader = blockIdx.x / readers;
  unsigned number = reader * 747796405U + 2891336453U;
  int row = static_cast<int>(reader) * tile_rows % (tiles * tile_rows);
  int column = 0;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    if (along_k == 0) {
      number = number * 1664525U + 1013904223U;
      row = static_cast<int>((number >> 8) % tiles) * tile_rows;
      column = static_cast<int>((number >> 12) % (columns / 64)) * 64;
    }
    const unsigned start = clock_now(shared);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(tile_rows * 128)
                 : "memory");
    for (int box = 0; box < boxes; ++box) {
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
          "[%4];" ::"r"(shared + box * box_rows * 128),
          "l"(&map), "r"(column), "r"(row + box * box_rows), "r"(barrier)
          : "memory");
    }
    while (!mbarrier_try_wait(barrier, step % 2)) {
    }
    cycles[blockIdx.x * kSteps + step] = clock_now(shared) - start;
    column += 64;
    if (column == columns) {
      column = 0;
      row = (row + tile_rows * static_cast<int>(gridDim.x)) % (tiles * tile_rows);
    }
  }
#endif
}

double mean(const std::vector<unsigned>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void measure(Report& report, const Recorder<char>& data, const Case& c) {
  const int columns = c.pitch / 2;
  const int rows = static_cast<int>(std::min<std::size_t>(kBytes / c.pitch, 1 << 20));
  const int box_rows = std::min(c.lines, 64);
  const CUtensorMap map = matrix_map(data.device(), rows, columns, box_rows, 64, 128);
  const Recorder<unsigned> cycles(static_cast<std::size_t>(c.ctas) * kSteps);
  flush_l2();
  copy_cold<<<c.ctas, 1, kSharedBytes>>>(map, box_rows, c.lines / box_rows, rows, columns, c.along_k ? 1 : 0, c.readers,
                                         cycles.device());
  finish("copy_cold");
  const std::vector<unsigned> all = cycles.host();
  std::vector<unsigned> counted;
  std::vector<unsigned> halves[2];
  for (int cta = 0; cta < c.ctas; ++cta) {
    for (int step = kSkipped; step < kSteps; ++step) {
      counted.push_back(all[cta * kSteps + step]);
      halves[step % 2].push_back(counted.back());
    }
  }
  std::sort(counted.begin(), counted.end());
  const std::string the_case = "lines=" + std::to_string(c.lines) + ";pitch=" + std::to_string(c.pitch) +
                               ";walk=" + (c.along_k ? "k" : "none") + ";ctas=" + std::to_string(c.ctas) +
                               ";readers=" + std::to_string(c.readers);
  report.scalar("tma_cold", the_case, "mean", mean(counted), "cycle");
  report.scalar("tma_cold", the_case, "p10", counted[counted.size() / 10], "cycle");
  report.scalar("tma_cold", the_case, "p50", counted[counted.size() / 2], "cycle");
  report.scalar("tma_cold", the_case, "p90", counted[counted.size() * 9 / 10], "cycle");
  if (c.along_k) {
    report.scalar("tma_cold", the_case, "even", mean(halves[0]), "cycle");
    report.scalar("tma_cold", the_case, "odd", mean(halves[1]), "cycle");
  }
  for (int step = 0; step < kSteps; ++step) {
    report.trace("tma_cold", the_case, 0, step, all[step]);
  }
}

}  // namespace

void tma_cold(Report& report) {
  if (!has_hopper("tma_cold")) {
    return;
  }
  const Recorder<char> data(kBytes);
  allow_shared_memory(copy_cold, kSharedBytes);
  for (const int pitch : {2048, 16384, 16384 + 512}) {
    for (const int lines : {1, 8, 32, 64, 128, 256}) {
      for (const bool along_k : {true, false}) {
        measure(report, data, {lines, pitch, along_k, 1, 1});
      }
    }
    for (const int lines : {8, 64, 128}) {
      for (const int readers : {1, 4, 8}) {
        measure(report, data, {lines, pitch, true, 64, readers});
      }
      measure(report, data, {lines, pitch, true, sm_count(), 1});
    }
  }
}

}  // namespace tilescope::gpu
