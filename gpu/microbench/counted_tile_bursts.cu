// How long does a CTA of one SM wait for tiles that it asks for at once, a box of 128 rows of 128 bytes each, and for
// the same bytes by loads? For sm__cycles_active and what L2 and HBM deliver; caches are empty.
//   pitch: bytes from a row to the next; 128: boxes lie in a row
//   tiles: own, each CTA has rows of its own; shared, every 18th CTA the same
//   cluster: each CTA asks for its share of the rows of a box, which goes to all CTAs of its cluster
#include <string>

#include "../common/tensor_map.h"
#include "benchmarks.h"
#include "hopper.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRows = 128;
constexpr int kRowBytes = 128;
constexpr int kBoxBytes = kRows * kRowBytes;
constexpr int kMostBoxes = 12;
constexpr int kSharedBytes = kMostBoxes * kBoxBytes + 1024;
constexpr int kThreads = 256;  // of loads

// Box `box` of tile `tile`: beside the one before, or, where the matrix is one box wide, behind those of all tiles.
__device__ inline int box_column(int box, bool wide) { return wide ? box * kRowBytes / 2 : 0; }
__device__ inline int box_row(int box, int tile, int tiles, bool wide) {
  return (wide ? tile : box * tiles + tile) * kRows;
}

__global__ void probe_tile_burst(const __grid_constant__ CUtensorMap map, int boxes, int tiles, bool wide) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long barriers[kMostBoxes];
  if (threadIdx.x != 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  const auto barrier = [&](int box) { return shared_address(barriers + box); };
  for (int box = 0; box < boxes; ++box) {
    mbarrier_init(barrier(box), 1);
  }
  mbarrier_publish();
  const int tile = static_cast<int>(blockIdx.x) % tiles;
  for (int box = 0; box < boxes; ++box) {
    mbarrier_arrive_expect(barrier(box), kBoxBytes);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared + box * kBoxBytes),
        "l"(&map), "r"(box_column(box, wide)), "r"(box_row(box, tile, tiles, wide)), "r"(barrier(box))
        : "memory");
  }
  for (int box = 0; box < boxes; ++box) {
    while (!mbarrier_try_wait(barrier(box), 0)) {
    }
  }
#endif
}

// The same, the clusters' tiles: `map` has boxes of a CTA's share of the rows.
__global__ void probe_multicast_burst(const __grid_constant__ CUtensorMap map, int boxes, int tiles, bool wide,
                                      int cluster) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long barriers[kMostBoxes];
  const unsigned shared = aligned_shared();
  const auto barrier = [&](int box) { return shared_address(barriers + box); };
  if (threadIdx.x == 0) {
    for (int box = 0; box < boxes; ++box) {
      mbarrier_init(barrier(box), 1);
      mbarrier_arrive_expect(barrier(box), kBoxBytes);
    }
    mbarrier_publish();
  }
  cluster_sync();
  if (threadIdx.x == 0) {
    const int rank = static_cast<int>(cluster_rank()), rows = kRows / cluster;
    const int tile = static_cast<int>(blockIdx.x) / cluster % tiles;
    for (int box = 0; box < boxes; ++box) {
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
          "[%1, {%2, %3}], [%4], %5;" ::"r"(shared + box * kBoxBytes + rank * rows * kRowBytes),
          "l"(&map), "r"(box_column(box, wide)), "r"(box_row(box, tile, tiles, wide) + rank * rows), "r"(barrier(box)),
          "h"(static_cast<unsigned short>((1 << cluster) - 1))
          : "memory");
    }
    for (int box = 0; box < boxes; ++box) {
      while (!mbarrier_try_wait(barrier(box), 0)) {
      }
    }
  }
  __syncwarp();
  cluster_sync();  // no CTA ends while another one writes to it
#endif
}

template <int kBoxes>
__global__ void __launch_bounds__(kThreads)
    probe_load_burst(const char* data, int pitch, int tiles, bool wide, unsigned* sink) {
  constexpr int kLoads = kBoxBytes / 16 / kThreads;
  const int tile = static_cast<int>(blockIdx.x) % tiles, row = static_cast<int>(threadIdx.x) / 8;
  uint4 v[kBoxes * kLoads];
#pragma unroll
  for (int i = 0; i < kBoxes * kLoads; ++i) {
    const int box = i / kLoads;
    const std::size_t from_row = box_row(box, tile, tiles, wide) + i % kLoads * (kThreads / 8) + row;
    v[i] = load_past_l1(
        reinterpret_cast<const uint4*>(data + from_row * pitch + box_column(box, wide) * 2 + threadIdx.x % 8 * 16));
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kBoxes * kLoads; ++i) {
    sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void counted_tile_bursts(Report& report) {
  if (!has_hopper("counted_tile_bursts")) {
    return;
  }
  const Recorder<char> data(std::size_t{160} << 20);
  const Recorder<unsigned> sink(1);
  allow_shared_memory(probe_tile_burst, kSharedBytes);
  allow_shared_memory(probe_multicast_burst, kSharedBytes);
  allow_shared_memory(probe_load_burst<1>, kOneCtaPerSm);
  allow_shared_memory(probe_load_burst<2>, kOneCtaPerSm);
  allow_shared_memory(probe_load_burst<4>, kOneCtaPerSm);
  allow_shared_memory(probe_load_burst<8>, kOneCtaPerSm);
  for (const int cluster : {2, 4, 8}) {
    for (const int ctas : {cluster, 64, 96}) {
      for (const int pitch : {kRowBytes, 2048}) {
        const bool wide = pitch != kRowBytes;
        const int tiles = ctas / cluster;
        const CUtensorMap map =
            matrix_map(data.device(), tiles * kRows * (wide ? 1 : kMostBoxes), pitch / 2, kRows / cluster, 64, 128);
        for (const int boxes : {1, 2, 4, 8, kMostBoxes}) {
          launch_clusters(probe_multicast_burst, ctas, cluster, 32, kSharedBytes, map, boxes, tiles, wide, cluster);
          finish("probe_multicast_burst");
          report.launch("counted_tile_bursts", "ctas=" + std::to_string(ctas) + ";cluster=" + std::to_string(cluster) +
                                                   ";pitch=" + std::to_string(pitch) +
                                                   ";boxes=" + std::to_string(boxes) + ";by=tma");
        }
      }
    }
  }
  for (const int ctas : {1, 64, sm_count()}) {
    for (const bool shared_tiles : {false, true}) {
      const int tiles = shared_tiles ? 18 : ctas;
      for (const int pitch : {128, 2048, 8192}) {
        const bool wide = pitch != kRowBytes;
        const CUtensorMap map =
            matrix_map(data.device(), tiles * kRows * (wide ? 1 : kMostBoxes), pitch / 2, kRows, 64, 128);
        for (const int boxes : {1, 2, 4, 8, kMostBoxes}) {
          const std::string the_case = "ctas=" + std::to_string(ctas) + ";tiles=" + (shared_tiles ? "shared" : "own") +
                                       ";pitch=" + std::to_string(pitch) + ";boxes=" + std::to_string(boxes);
          probe_tile_burst<<<ctas, 32, kSharedBytes>>>(map, boxes, tiles, wide);
          finish("probe_tile_burst");
          report.launch("counted_tile_bursts", the_case + ";by=tma");
          const auto loads = boxes == 1   ? probe_load_burst<1>
                             : boxes == 2 ? probe_load_burst<2>
                             : boxes == 4 ? probe_load_burst<4>
                                          : probe_load_burst<8>;
          if (boxes <= 8) {
            loads<<<ctas, kThreads, kOneCtaPerSm>>>(data.device(), pitch, tiles, wide, sink.device());
            finish("probe_load_burst");
            report.launch("counted_tile_bursts", the_case + ";by=loads");
          }
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
