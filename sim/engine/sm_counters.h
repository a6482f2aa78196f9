// What one SM counts while it runs. Plain sums, added up over SMs; names and units of the published metrics are in
// sim/results/metrics.h.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/instruction.h"

namespace tilescope {

// Why a resident warp did not issue, as Nsight Compute names it.
enum class Stall : std::uint8_t {
  selected,          // it issued
  wait,              // fixed latency, written into the instruction by the compiler
  long_scoreboard,   // global or local memory
  short_scoreboard,  // shared memory, special functions
  barrier,           // other warps of the CTA
  branch_resolving,
  math_pipe_throttle,
  mio_throttle,    // shared-memory queue full
  lg_throttle,     // global-memory queue full
  not_selected,    // ready, but another warp was chosen
  dispatch_stall,  // ready, but the dispatch port was taken
  no_instruction,
};
inline constexpr int kStalls = static_cast<int>(Stall::no_instruction) + 1;

// What executing instructions adds: of one of them, or of all.
struct WorkCounters {
  std::uint64_t shared_load_wavefronts = 0, shared_load_ideal = 0;
  std::uint64_t shared_store_wavefronts = 0, shared_store_ideal = 0;
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_hit_sectors = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0;
  std::uint64_t fill_sectors = 0;     // L1 misses: sectors that came back from L2
  std::uint64_t tag_cycles = 0;       // tag stage busy
  std::uint64_t data_wavefronts = 0;  // data stage busy, shared and global
  std::array<std::uint64_t, kStalls> stall_cycles{};

  WorkCounters& operator+=(const WorkCounters& other);
  WorkCounters& operator-=(const WorkCounters& other);
};

struct SmCounters : WorkCounters {
  std::array<std::uint64_t, kOpClasses> instructions{};
  std::uint64_t warp_cycles = 0;    // sum over warps of their residence
  std::uint64_t active_cycles = 0;  // cycles with at least one resident CTA
  std::uint64_t ctas = 0;

  std::uint64_t total_instructions() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : instructions) sum += count;
    return sum;
  }
  SmCounters& operator+=(const SmCounters& other);
};

}  // namespace tilescope
