// Finds out early that a kernel does not end.
//
// The engine moves all resident warps on together, so that a loop without an end would be met only after every one of
// them had executed its limit. Therefore the first warp that executes more than `cleared` instructions is executed
// alone to its end, keeping nothing, before the engine goes on; then four times as much is cleared as it took. A launch
// of warps with up to n instructions pays for log4(n / 500) warps.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "models/isa/pattern_table.h"
#include "traces/sass/cta_executor.h"
#include "traces/sass/memory_image.h"
#include "traces/sass/passed_values.h"
#include "traces/sass/program.h"

namespace tilescope::sass {

class EndGuard {
 public:
  // All of them outlive the guard.
  EndGuard(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
           Resident& resident, const PassedValues& passed)
      : program_(program),
        patterns_(patterns),
        memory_(memory),
        shared_bytes_(shared_bytes),
        resident_(resident),
        passed_(passed) {}

  // `executed`: instructions that this warp, or the furthest one of its CTA where warps run together, has executed so
  // far. Throws DiagnosticsError when it does not end within the limits. Safe to use from several threads.
  void check(std::int64_t cta, int warp, std::uint64_t executed) {
    if (executed > cleared_.load(std::memory_order_relaxed)) prove_end(cta, warp, executed);
  }

 private:
  // Less than one turn of a warp whose CTA runs together.
  static constexpr std::uint64_t kFirstCleared = 500, kGrowth = 4;

  void prove_end(std::int64_t cta, int warp, std::uint64_t executed);
  // Instructions of the longest warp; throws.
  std::uint64_t execute(std::int64_t cta, int warp);

  const Program& program_;
  PatternTable& patterns_;
  DeviceMemory& memory_;
  std::size_t shared_bytes_;
  Resident& resident_;
  const PassedValues& passed_;
  std::mutex mutex_;
  std::exception_ptr failure_;  // the first warp's that does not end, for all threads
  std::atomic<std::uint64_t> cleared_{kFirstCleared};
};

}  // namespace tilescope::sass
