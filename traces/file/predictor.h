// What writer and reader of a block both expect of a warp's next segment; only the differences are stored.
//
// Each warp is expected to do what the block's first warp, the leader, did: the same shapes in the same order, the same
// patterns, and bases that move in the same strides. Within a warp, a shape is expected to be followed by the shape
// that followed it last, and an operand to move by what it moved the time before last (which follows constant strides
// as well as the to and fro of double buffers). All arithmetic is modulo 2^64.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
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
  std::uint32_t next(std::uint32_t shape) const {
    const auto found = next_.find(shape);
    return found == next_.end() ? 0 : found->second;
  }
  // Base and pattern of the leader's first visit, then how its base moved to the second and from there to the third.
  Slot first(std::uint32_t slot) const {
    const auto found = first_.find(slot);
    return found == first_.end() ? Slot{} : found->second.slot;
  }

 private:
  struct First {
    Slot slot;
    std::uint64_t base = 0;  // of the latest visit
    int visits = 0;
  };
  std::unordered_map<std::uint32_t, std::uint32_t> next_;  // by shape
  std::unordered_map<std::uint32_t, First> first_;         // by slot
  std::uint32_t shape_ = 0;
  std::uint64_t segments_ = 0;
};

// The state of one warp. `tables` and `leader` (which may have seen nothing) must outlive its use. Takes memory for the
// shapes that it visits, not for those that the tables list.
class Predictor {
 public:
  void begin(const Leader& leader);
  // The shape expected next; 0: none, or the end.
  std::uint32_t expected_shape() const {
    return here_->warp == warp_ && here_->left ? here_->next : leader_->next(shape_);
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
    std::uint32_t first_slot = 0;  // in slots_
    bool left = false;             // `next` is known
    bool has_slots = false;
  };
  static constexpr std::uint32_t kPage = 256;
  using Page = std::array<Visit, kPage>;
  Visit& visit_of(std::uint32_t shape);

  const Leader* leader_ = nullptr;
  std::vector<std::unique_ptr<Page>> pages_;  // of visits, by shape
  std::vector<Slot> slots_;                   // of the shapes visited, in the order of their first visits
  Visit* here_ = nullptr;                     // of shape_
  std::uint64_t warp_ = 0;
  std::uint32_t shape_ = 0;
  bool is_first_ = false;
};

}  // namespace tilescope::trace
