// Runs the warps of one CTA together, when they exchange values that matter: through shared memory, global memory or
// barriers.
//
// Warps take turns in order of their number; a turn ends at a barrier, at the end of the warp, or after some thousand
// instructions. So what a warp sees does not depend on who asks for its instructions.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "traces/sass/memory_image.h"
#include "traces/sass/operand_record.h"
#include "traces/sass/warp_executor.h"

namespace tilescope::sass {

class CtaExecutor {
 public:
  struct Recorded {
    WarpRun run;
    const MemoryOperand* operands = nullptr;  // stay where they are until the next CTA starts
  };

  CtaExecutor(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
              bool write_through);

  void start(std::int64_t cta);
  std::int64_t cta() const { return cta_; }
  // The index-th run of a warp, executing as far as needed; false when the warp has ended before.
  bool run_of(int warp, std::size_t index, Recorded& recorded);
  // To the end of all warps, recording nothing.
  void run_to_end();

 private:
  struct Warp {
    std::unique_ptr<WarpExecutor> executor;
    std::vector<Recorded> runs;
    OperandRecord operands;
    bool waits = false;
    std::uint32_t barrier = 0;
  };
  struct Barrier {
    std::uint32_t arrived = 0;   // threads
    std::uint32_t expected = 0;  // 0: all of the CTA
    std::uint32_t votes = 0, voters = 0, kind = 0;
  };
  static constexpr std::uint32_t kBarriers = 16;
  static constexpr std::uint64_t kTurn = 4096;  // instructions

  bool round();
  void arrive(Warp& warp, const WarpRun& run);
  void release_full_barriers();
  std::uint32_t threads_alive() const;

  CtaMemory memory_;
  std::mutex mutex_;
  std::vector<Warp> warps_;
  std::array<Barrier, kBarriers> barriers_;
  std::int64_t cta_ = 0;
  bool record_ = true;
};

}  // namespace tilescope::sass
