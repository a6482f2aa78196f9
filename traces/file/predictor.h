// What writer and reader of a block both expect of a warp's next segment; only the differences are stored.
//
// Each warp is expected to do what the block's first warp, the leader, did: the same shapes in the same order, the same
// patterns, and bases that move in the same strides. Within a warp, a shape is expected to be followed by the shape
// that followed it last, and an operand to move by what it moved the time before last (which follows constant strides
// as well as the to and fro of double buffers). All arithmetic is modulo 2^64.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/isa/lane_pattern.h"
#include "traces/file/trace_tables.h"

namespace tilescope::trace {

// One operand of a shape, as the current warp last used it.
struct Slot {
  std::uint64_t base = 0;
  std::uint64_t step = 0;       // expected next
  std::uint64_t last_step = 0;  // expected the time after next
  PatternId pattern = 0;

  std::uint64_t expected() const { return base + step; }
  void as_expected() {
    base += step;
    std::swap(step, last_step);
  }
  void moved_to(std::uint64_t actual) {
    const std::uint64_t moved = actual - base;
    base = actual;
    step = std::exchange(last_step, moved);
  }
};

// The first visits of a block's first warp.
class Leader {
 public:
  void clear();
  // The next segment of the leader. Only the first kLeaderSegments count; shape 0 is the warp's end.
  void observe(const Tables& tables, std::uint32_t shape, const MemoryOperand* operands);
  std::uint32_t next(std::uint32_t shape) const { return shape < next_.size() ? next_[shape].shape : 0; }
  // Base and pattern of the leader's first visit, then how its base moved to the second and from there to the third.
  Slot first(std::uint32_t slot) const { return slot < first_.size() ? first_[slot].slot : Slot{}; }

 private:
  struct Next {
    std::uint32_t shape = 0;
    bool known = false;
  };
  struct First {
    Slot slot;
    std::uint64_t base = 0;  // of the latest visit
    int visits = 0;
  };
  std::vector<Next> next_;
  std::vector<First> first_;
  std::uint32_t shape_ = 0;
  std::uint64_t segments_ = 0;
};

// The state of one warp. `tables` and `leader` (which may have seen nothing) must outlive its use.
class Predictor {
 public:
  void begin(const Tables& tables, const Leader& leader);
  // The shape expected next; 0: none, or the end.
  std::uint32_t expected_shape() const {
    const Visit& visit = visits_[shape_];
    return visit.warp == warp_ && visit.left ? visit.next : leader_->next(shape_);
  }
  std::uint32_t shape() const { return shape_; }
  // Moves on to `shape`, whose slots then say what to expect of its operands. Call `settle` on each, or, where a run is
  // decoded and this is not the warp's first visit, Slot::as_expected.
  std::span<Slot> visit(const Tables& tables, std::uint32_t shape);
  bool is_first() const { return is_first_; }
  std::uint64_t expected_base(const Slot& slot) const { return is_first_ ? slot.base : slot.expected(); }
  void settle(Slot& slot, std::uint64_t actual) const {
    if (is_first_)
      slot.base = actual;  // the leader's steps hold from here on
    else
      slot.moved_to(actual);
  }

 private:
  struct Visit {
    std::uint64_t warp = 0;  // the warp (counted from 1) that visited last
    std::uint32_t next = 0;
    bool left = false;  // `next` is known
  };
  const Leader* leader_ = nullptr;
  std::vector<Visit> visits_;  // by shape
  std::vector<Slot> slots_;
  std::uint64_t warp_ = 0;
  std::uint32_t shape_ = 0;
  bool is_first_ = false;
};

}  // namespace tilescope::trace
