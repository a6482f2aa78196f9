// Runs the warps of one CTA, or of the CTAs of one cluster, together, when they exchange values that matter: through
// shared memory, global memory or barriers.
//
// Warps take turns in order of their number; a turn ends at a barrier, at the end of the warp, or after some thousand
// instructions. So what a warp sees does not depend on who asks for its instructions.
//
// CTAs that pass values to each other take turns too (passed_values.h): a warp that comes again to what may bring a
// value from another CTA holds, and the CTA's turn ends when no other warp can go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "traces/sass/memory_image.h"
#include "traces/sass/operand_record.h"
#include "traces/sass/warp_executor.h"

namespace tilescope::sass {

// What the CTAs that are kept at once hold together.
class PassedValues;

struct Resident {
  std::atomic<std::uint64_t> runs{0}, pages{0};
};

class CtaExecutor {
 public:
  struct Recorded {
    WarpRun run;
    const MemoryOperand* operands = nullptr;  // stay where they are until the next cluster starts
    const AsyncOperand* asynchronous = nullptr;
  };

  // `before`: how CTAs before have left the memory, see CtaMemory; then the CTA takes turns.
  CtaExecutor(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
              bool write_through, Resident& resident, GridMemory* before = nullptr);
  CtaExecutor(const CtaExecutor&) = delete;
  CtaExecutor& operator=(const CtaExecutor&) = delete;
  ~CtaExecutor() { resident_.runs -= kept_; }

  // `cluster`: its number; without clusters, the CTA's. `passed`: what others pass to it, in which turn; null: nothing,
  // and it takes no turns unless with `before`.
  void start(std::int64_t cluster, const PassedValues* passed = nullptr);
  std::int64_t cluster() const { return cluster_; }
  // The index-th run of a warp of the CTA of this rank, executing as far as needed; false when the warp has ended
  // before.
  bool run_of(std::int64_t rank, int warp, std::size_t index, Recorded& recorded);
  // To the end of all warps, keeping nothing. `visit` sees each run with its operands.
  using Visit = std::function<void(const WarpRun&, const std::vector<MemoryOperand>&)>;
  void run_to_end(const Visit& visit = {});
  // The same, to the end of the turn; or until more than `most` instructions are executed since the start.
  enum class Reached : std::uint8_t { end, turn, limit };
  Reached run_turn(const Visit& visit, std::uint64_t most);
  void next_turn();
  // By all warps since the start.
  std::uint64_t executed() const { return executed_; }
  const PageMap& written() const { return memory_.written(); }
  // The most that a warp has executed since the start.
  std::uint64_t furthest() const { return furthest_.load(std::memory_order_relaxed); }

 private:
  struct Warp {
    std::unique_ptr<WarpExecutor> executor;
    std::vector<Recorded> runs;
    OperandRecord operands;
    AsyncRecord asynchronous;
    std::size_t rank = 0;  // of its CTA
    bool waits = false;    // at a barrier
    bool polls = false;    // an mbarrier's phase that has not ended
    bool at_cluster_barrier = false;
    std::uint64_t arrived = 0;  // phase of the cluster's barrier at which it has arrived last, from 1
    bool holds = false;         // until the next turn of the CTA
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
  void release_cluster_barrier();
  bool give_up_waiting();
  std::uint32_t threads_alive(std::size_t rank) const;
  bool alive() const;
  bool holds() const;
  void begin_turn();
  void lay_over(bool first_turn);
  void count(const Warp& warp, std::uint64_t executed, std::uint64_t kept);
  // Names the place where the warp is.
  [[noreturn]] void stop(const Warp& warp, const std::string& why) const;
  [[noreturn]] void stop_at_barrier() const;

  const Program& program_;
  Resident& resident_;
  CtaMemory memory_;
  std::mutex mutex_;
  std::vector<Warp> warps_;
  std::vector<std::array<Barrier, kBarriers>> barriers_;  // by rank
  std::uint64_t cluster_phase_ = 1;                       // of the cluster's barrier, not complete
  std::uint64_t barrier_changes_ = 0;                     // of mbarriers, when waiting was given up last
  std::uint32_t given_up_ = 0;                            // in a row, without a change
  std::size_t warps_per_cta_ = 0;
  std::int64_t cluster_ = 0;
  bool record_ = true;
  const Visit* visit_ = nullptr;
  const bool first_in_turns_;  // with `before`
  const PassedValues* passed_ = nullptr;
  std::uint32_t turn_ = 0;      // from 1; 0: it takes none
  std::uint64_t executed_ = 0;  // of all warps, since the start
  std::uint64_t kept_ = 0;      // runs
  std::atomic<std::uint64_t> furthest_{0};
};

}  // namespace tilescope::sass
