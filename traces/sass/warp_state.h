// The registers of one warp as lane arrays, and what else an instruction's execution reads.
//
// A register is 32 words, one per lane. Registers that the slice (slice.h) found irrelevant have no storage: all of
// them share slot 0, which is written and never read. Slot 1 holds zeros (RZ). Immediates and constants are lane arrays
// too, in a pool that all warps share.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "models/isa/kernel.h"
#include "traces/sass/limits.h"
#include "traces/sass/local_memory.h"
#include "traces/sass/memory_image.h"
#include "traces/sass/operand.h"
#include "traces/sass/unrecorded_memory.h"

namespace tilescope::sass {

inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
inline constexpr int kTrashSlot = 0, kZeroSlot = 1, kFirstSlot = 2;

using LaneArray = std::array<std::uint32_t, kLanes>;

// What a launch fixes for all warps.
struct LaunchState {
  Dim3 grid, block, cluster;
  Limits limits;
  std::map<int, std::vector<std::uint8_t>> constants;  // banks, bank 0 with parameters and dimensions
  std::shared_ptr<UnrecordedReads> unrecorded;         // null: all memory is recorded
  std::vector<LaneArray> pool;                         // immediates and constants, one value in all lanes
  std::array<std::uint16_t, kRegisterIds> slot{};      // of each register
  int slots = kFirstSlot;
};

// The CTA of this rank in a cluster, by its number; without clusters, the CTA of that number.
inline std::int64_t cta_at(const LaunchState& launch, std::int64_t cluster, std::int64_t rank) {
  Launch shape;
  shape.grid = launch.grid;
  shape.cluster = launch.cluster;
  return shape.cta_at(cluster, rank);
}

inline std::int64_t cluster_of(const LaunchState& launch, std::int64_t cta) {
  Launch shape;
  shape.grid = launch.grid;
  shape.cluster = launch.cluster;
  return shape.cluster_of(cta);
}

struct WarpState {
  const LaunchState* launch = nullptr;
  std::vector<LaneArray> lanes;                // by slot
  std::array<std::uint32_t, 16> predicates{};  // P0..P6, PT, UP0..UP6, UPT: bit per lane
  CtaMemory* memory = nullptr;                 // what loads whose values matter read; null when none does
  LocalMemory* local = nullptr;                // this warp's local memory
  Dim3 cta;                                    // coordinates
  std::uint32_t rank = 0;                      // of the CTA in its cluster
  int warp = 0;
  std::uint32_t exited = 0;                     // lanes that have left, and those that never were
  std::uint32_t active = 0;                     // lanes that run now, guard not applied
  std::array<std::uint64_t, kLanes> address{};  // of the memory instruction that runs: after windows are resolved,
  std::array<std::uint64_t, kLanes> to{};       // and the shared side of an async copy
  std::array<std::uint8_t, kLanes> zeros{};     // of a zero-filling copy: its last bytes
  std::uint8_t space = 0;                       // Space of `address`
  std::uint32_t barrier_result = 0;             // of BAR.RED
  std::uint64_t executed = 0;                   // warp instructions so far: the clock
};

}  // namespace tilescope::sass
