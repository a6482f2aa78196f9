// Turns of a loop that can be told in advance: those in which every register that matters moves by the same number from
// turn to turn, and no predicate changes.
//
// The proof is by induction over turns. A turn begins with registers that have moved by certain steps since the turn
// before; LoopRun assumes that they go on so, watches one turn being executed and works out by how much each result
// moves then. If the turn leaves every register that it began with moved by the step that was assumed, the next turn
// begins as this one did. That holds until something wraps around where that matters, or a comparison changes its
// mind; how many turns are left until then follows from the values. Instructions of which it knows no rule
// (MicroOp::linear) are fine as long as nothing they read moves.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/sass/program.h"

namespace tilescope::sass {

class LoopRun {
 public:
  // REQUIRES: the program outlives this.
  explicit LoopRun(const Program& program);

  // A turn begins, one turn after registers were as in `turn`. Keeps in there how they are now, until end(). REQUIRES:
  // all lanes run.
  void begin(std::vector<LaneArray>& turn, const WarpState& now);
  // Around each step of the turn. `lanes`: those that execute it.
  void before(const WarpState& warp, const Step& step, std::uint32_t lanes);
  void after(const WarpState& warp, const Step& step, std::uint32_t lanes);
  void control(const Decoded& decoded);
  // The turn has ended where it began. Moves the registers on by as many turns as are like it, `most` at the most, and
  // returns how many.
  std::uint32_t end(WarpState& warp, std::uint64_t most);
  // Of the operands of the turn, in order: by how many bytes each moves with every turn.
  const std::vector<std::int64_t>& advance() const { return advance_; }

 private:
  struct Moving {
    std::int64_t assumed = 0;  // by how much it had moved when the turn began; from -2^31 to 2^31 - 1
    std::int64_t by = 0;       // by how much what it holds now moves from turn to turn
    bool known = true;         // false: its lanes had not moved alike
    bool read_first = false;   // before it was written
    bool written = false;
  };
  static constexpr std::uint64_t kMostTurns = std::uint64_t{1} << 30U;

  void fail() { turns_ = 0; }
  bool failed() const { return turns_ == 0; }
  std::int64_t reads(std::int32_t index);
  std::int64_t reads(const Source& source);
  void writes(std::int32_t slot, std::int64_t by);
  void memory(const WarpState& warp, const Step& step);
  std::int64_t address(const WarpState& warp, const AddressRule& rule);
  void other(const Step& step);
  std::int64_t product(const WarpState& warp, const MicroOp& op, bool is_signed, bool wide);
  std::int64_t wide_moves(const WarpState& warp, const Source& source);
  void compare(const WarpState& warp, const MicroOp& op);
  void stays_unsigned(const LaneArray& lanes, std::int64_t by);
  void stays_signed(const LaneArray& lanes, std::int64_t by);

  const Program& program_;
  std::vector<Moving> slots_;
  const std::vector<LaneArray>* began_ = nullptr;  // registers when the turn began
  std::array<std::uint32_t, 16> predicates_{};
  std::vector<std::int64_t> advance_;
  std::int64_t result_ = 0;  // by how much the result of the step that is executed moves
  std::uint64_t turns_ = 0;  // that are like this one, as far as is known
};

}  // namespace tilescope::sass
