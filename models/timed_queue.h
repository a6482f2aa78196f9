// Things with a time each, in the order in which they were put in; those whose time has come are taken out, in that
// order.
//
// Where thousands wait for times far ahead, a look at each of them every time would cost more than all else. So they
// lie in blocks, each of which knows its earliest time, and a block whose time has not come is passed over.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

template <class T, Cycle T::*kTime>
class TimedQueue {
 public:
  bool empty() const { return blocks_.empty(); }
  std::size_t size() const {
    std::size_t all = 0;
    for (const Block& block : blocks_) all += block.count;
    return all;
  }
  // kNever: it is empty.
  Cycle earliest() const {
    Cycle earliest = kNever;
    for (const Block& block : blocks_) earliest = std::min(earliest, block.earliest);
    return earliest;
  }

  void push_back(const T& one) {
    if (blocks_.empty() || blocks_.back().count == kBlock) add_block();
    Block& block = blocks_.back();
    (*block.all)[block.count++] = one;
    block.earliest = std::min(block.earliest, one.*kTime);
  }

  // The last one put in for which is(one) holds and which has not been taken; null: none.
  template <class Is>
  T* find_last(Is&& is) {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      for (std::size_t i = block->count; i-- > 0;)
        if (is((*block->all)[i])) return &(*block->all)[i];
    return nullptr;
  }

  // visit(one) for each whose time lies before `until`; it is not here any more.
  template <class Visit>
  void take(Cycle until, Visit&& visit) {
    std::size_t kept_blocks = 0;
    for (Block& block : blocks_) {
      if (block.earliest < until) take_from(block, until, visit);
      if (block.count == 0) {
        spare_.push_back(std::move(block.all));
        continue;
      }
      if (Block& to = blocks_[kept_blocks++]; &to != &block) to = std::move(block);
    }
    blocks_.resize(kept_blocks);
  }

 private:
  static constexpr std::size_t kBlock = 64;
  using Items = std::array<T, kBlock>;
  struct Block {
    std::unique_ptr<Items> all;
    std::size_t count = 0;
    Cycle earliest = kNever;
  };

  void add_block() {
    Block& block = blocks_.emplace_back();
    if (spare_.empty()) {
      block.all = std::make_unique<Items>();
    } else {
      block.all = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  template <class Visit>
  static void take_from(Block& block, Cycle until, Visit&& visit) {
    std::size_t kept = 0;
    Cycle earliest = kNever;
    for (std::size_t i = 0; i < block.count; ++i) {
      const T& one = (*block.all)[i];
      if (one.*kTime < until) {
        visit(one);
        continue;
      }
      earliest = std::min(earliest, one.*kTime);
      if (kept != i) (*block.all)[kept] = one;
      ++kept;
    }
    block.count = kept;
    block.earliest = earliest;
  }

  std::vector<Block> blocks_;
  std::vector<std::unique_ptr<Items>> spare_;  // to be used again
};

}  // namespace tilescope
