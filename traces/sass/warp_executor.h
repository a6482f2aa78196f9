// Runs one warp of a program: block after block, keeping its registers, its lanes' places and the operands of its
// memory instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/pattern_table.h"
#include "traces/sass/async_execution.h"
#include "traces/sass/divergence.h"
#include "traces/sass/loop_run.h"
#include "traces/sass/program.h"

namespace tilescope::sass {

// A straight run of instructions that a warp has executed.
struct WarpRun {
  // again: the warp comes to a place again; polls: the phase of an mbarrier has not ended
  enum class End : std::uint8_t { jump, barrier, arrive, exit, again, polls, cluster_arrive, cluster_wait };
  std::uint32_t first = 0, length = 0;
  End end = End::jump;
  std::uint32_t barrier = 0;  // which, and of how many threads (0: all of the CTA)
  std::uint32_t barrier_threads = 0;
  std::uint32_t barrier_votes = 0;  // lanes whose predicate holds, and lanes that arrive
  std::uint32_t barrier_lanes = 0;
  std::uint32_t barrier_kind = 0;  // 1 POPC, 2 AND, 3 OR
};

class WarpExecutor {
 public:
  WarpExecutor(const Program& program, PatternTable& patterns);

  // Begins at the first instruction. `memory` may be null when the program needs none.
  void start(std::int64_t cta, int warp, CtaMemory* memory);
  bool done() const { return lanes_.done(); }
  std::uint32_t place() const { return lanes_.running().place; }  // instruction that comes next
  std::uint64_t executed() const { return state_.executed; }      // instructions since the start
  // From now on a warp stops, be it without having executed anything, in front of what may bring a value from another
  // CTA when it comes there with the same address again since this call: it draws another number. Where it may wait for
  // one (Block::polls), it stops when it has done so since this call, and always in the first turn. 0: never.
  void begin_turn(std::uint32_t turn) { turn_of_cta_ = turn; }
  // Executes to the end of the straight run. Its operands are left in operands(), until the next call.
  // Stops at barriers only with `stop_at_barriers`. Throws DiagnosticsError naming line and cause when an address is
  // misaligned, lanes wait for ever, or a loop does not end. REQUIRES: !done().
  WarpRun next(bool stop_at_barriers);
  // As next(false), and when the run is a turn of a loop whose further turns can be told in advance, executes these as
  // well: `repeats` turns in all. Operand i moves by advance()[i] byte with each.
  WarpRun next_turns(std::uint32_t& repeats);
  const std::vector<std::int64_t>& advance() const { return loop_.advance(); }
  const std::vector<MemoryOperand>& operands() const { return operands_; }
  const std::vector<AsyncOperand>& asynchronous() const { return asynchronous_; }
  // A wait that has not ended may end without what it waits for, once.
  void give_up_waiting() { gives_up_ = true; }
  void set_barrier_result(std::uint32_t value) { state_.barrier_result = value; }

 private:
  static constexpr std::size_t kMostOperands = 3;  // of one instruction
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint8_t kMostFailures = 4;

  void run_block(const Block& block);
  bool comes_again(const Block& block);
  bool has_polled(const Block& block);
  bool would_wait(const Block& block);
  // What is loaded must be known, and what is stored is known from now on.
  void know(const Step& step, const MemoryAccess& access, std::uint32_t lanes);
  void forget(const MemoryAccess& access, std::uint32_t lanes);
  void run_memory(const Step& step, std::uint32_t lanes);
  void addresses(const AddressRule& rule, std::array<std::uint64_t, kLanes>& to) const;
  void access_generic(const Step& step, const AddressRule& rule, std::uint32_t lanes);
  MemoryOperand access_local(const Step& step, const AddressRule& rule, std::uint32_t lanes);
  void split_zero_fill(unsigned bytes);
  void place_local(unsigned bytes, std::uint32_t lanes);
  std::uint32_t guarded(const MicroOp& op) const;
  // Control after the last instruction of a block; true when the straight run ends.
  void note_barrier(const Decoded& decoded, std::uint32_t lanes);
  bool go_on(std::uint32_t last, WarpRun& run, bool stop_at_barriers);
  std::uint32_t branch_lanes(const Decoded& decoded) const;
  std::uint32_t jump_target(const Decoded& decoded, std::uint32_t lanes, std::uint32_t& same) const;
  std::uint32_t place_after_call(std::uint32_t place, std::uint32_t next) const;
  [[noreturn]] void stop(std::uint32_t instruction, const std::string& why) const;

  const Program& program_;
  PatternTable& patterns_;
  WarpState state_;
  Divergence lanes_;
  LocalMemory local_;
  std::vector<PatternId> last_pattern_;      // by memory instruction; kMostOperands each
  std::vector<MemoryOperand> last_operand_;  // by memory instruction, of the block that runs
  std::vector<MemoryOperand> operands_;
  AsyncExecution async_;
  std::vector<AsyncOperand> asynchronous_;
  bool gives_up_ = false;
  bool in_cluster_ = false;  // of several CTAs
  struct Received {
    std::uint64_t address = 0;  // of the first lane
    std::uint32_t turn = 0;
  };
  std::vector<Received> received_;  // by memory instruction: what it asked for last
  std::uint32_t turn_of_cta_ = 0;
  std::uint32_t polled_ = 0;  // the turn in which it has polled last
  LoopRun loop_;
  std::vector<LaneArray> turn_;         // registers when the last turn of a loop began
  std::uint32_t turn_at_ = kNowhere;    // where that turn began, if the next one may be told from it
  std::uint32_t before_ = kNowhere;     // where the straight run before began
  std::vector<std::uint8_t> failures_;  // by instruction: loops that begin there and were no runs
  bool observed_ = false;               // the straight run that is executed, by loop_
  std::int64_t cta_ = 0;
  std::uint32_t last_ = 0;  // instruction executed last
};

}  // namespace tilescope::sass
