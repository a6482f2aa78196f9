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
  membar,          // a memory barrier
  not_selected,    // ready, but another warp was chosen
  dispatch_stall,  // ready, but the dispatch port was taken
  no_instruction,  // its code is not there
  imc_miss,        // a constant that it reads is not there
  drain,           // after its exit: what it has stored has not left the SM
  gmma,            // products of its warpgroup
};
inline constexpr int kStalls = static_cast<int>(Stall::gmma) + 1;

// Of the accesses of one kind.
struct AccessCounters {
  std::uint64_t requests = 0;     // with at least one lane
  std::uint64_t sectors = 0;      // of 32 B; global and local memory
  std::uint64_t hit_sectors = 0;  // loads: of these, found in L1 or on their way to it
  std::uint64_t wavefronts = 0;   // of the data stage; shared memory
  std::uint64_t ideal = 0;        // of these, those that no conflict-free access could spare
};

// What executing instructions adds: of one of them, or of all.
struct WorkCounters {
  std::array<AccessCounters, kAccesses> access{};
  std::uint64_t fill_sectors = 0;     // L1 misses: sectors that came back from L2
  std::uint64_t joined_sectors = 0;   // of stores: written with those of earlier ones that were still in L1
  std::uint64_t partial_sectors = 0;  // of stores that are counted, not timed: written in part, so that some may join
  std::uint64_t tag_cycles = 0;       // tag stage busy
  std::uint64_t data_wavefronts = 0;  // data stage busy, shared and global
  std::uint64_t operand_rows = 0;  // of 32 B in shared memory, read by products of warpgroups; for each of four warps
  std::array<std::uint64_t, kStalls> stall_cycles{};

  AccessCounters& of(AccessKind kind) { return access[static_cast<std::size_t>(kind)]; }
  const AccessCounters& of(AccessKind kind) const { return access[static_cast<std::size_t>(kind)]; }

  // Over all accesses of instructions to shared memory; asynchronous copies are not among them.
  std::uint64_t shared_wavefronts() const {
    return of(AccessKind::shared_load).wavefronts + of(AccessKind::shared_store).wavefronts +
           of(AccessKind::shared_atomic).wavefronts;
  }
  // A product reads its rows once for the four warps, four rows in a wavefront.
  std::uint64_t operand_wavefronts() const { return operand_rows / 16; }
  std::uint64_t shared_ideal() const {
    return of(AccessKind::shared_load).ideal + of(AccessKind::shared_store).ideal + of(AccessKind::shared_atomic).ideal;
  }
  // Over all accesses that go through the tag stage: global and local memory.
  std::uint64_t line_requests() const { return sum_of(is_lines, &AccessCounters::requests); }
  std::uint64_t line_sectors() const { return sum_of(is_lines, &AccessCounters::sectors); }
  // Of these, of loads.
  std::uint64_t load_sectors() const { return sum_of(is_load, &AccessCounters::sectors); }
  std::uint64_t hit_sectors() const { return sum_of(is_load, &AccessCounters::hit_sectors); }
  // ... and those that go out to L2: stores and atomics.
  std::uint64_t sent_sectors() const { return line_sectors() - load_sectors() - joined_sectors; }

  WorkCounters& operator+=(const WorkCounters& other);
  WorkCounters& operator-=(const WorkCounters& other);
  // Adds what took `before` to `after`. `accesses`: that may be among it; without, `access`, the greater part of the
  // counters, is left out.
  void add_growth(const WorkCounters& before, const WorkCounters& after, bool accesses);

 private:
  std::uint64_t sum_of(bool (*which)(AccessKind), std::uint64_t AccessCounters::*counter) const {
    std::uint64_t sum = 0;
    for (int i = 0; i < kAccesses; ++i)
      if (which(static_cast<AccessKind>(i))) sum += access[static_cast<std::size_t>(i)].*counter;
    return sum;
  }
};

// Of one static instruction.
struct InstructionCounters : WorkCounters {
  std::uint64_t executed = 0;  // warp instructions

  using WorkCounters::operator+=;
  InstructionCounters& operator+=(const InstructionCounters& other);
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
