// How memory instructions leave the queues of the sub-partitions for the queue of the SM, whose places go to one
// sub-partition after the other. Instructions take the pipeline in order of issue; what follows turns is when the
// queues have places free. Sub-partitions whose queues are full issue when they have, so that as soon as all are full
// they issue in turn, however long a row one of them has issued before.
//
// Source: register tiles whose eight warps write whole lines word by word (gemm_register_*_8x8_v1 in
// gpu/measured/h200/gemm_train.csv and train_more.csv). Two stores of a warp to the same eight lines would leave the SM
// together if fewer than three others stood between (models/store_joins.h); of 1.05 million sectors stored, 0.2 % do.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

class QueueTurns {
 public:
  // Each sub-partition has so many places, and so many of them for global memory.
  QueueTurns(std::size_t sub_partitions, std::int64_t places, std::int64_t global_places)
      : places_(static_cast<std::size_t>(places)),
        global_places_(static_cast<std::size_t>(global_places)),
        subs_(sub_partitions, Sub{std::vector<Entry>(std::bit_ceil(places_))}),
        order_(sub_partitions * places_) {}

  // From when on a sub-partition has a place free, and one for global memory, as promised when it issued last.
  Cycle room_at(std::size_t sub) const { return subs_[sub].room; }
  Cycle global_room_at(std::size_t sub) const { return subs_[sub].global_room; }

  // `sub` issues an instruction at `now`, which would leave at `leaves` if all left in order of issue. REQUIRES: for
  // each sub-partition neither time goes back.
  void enter(std::size_t sub, Cycle now, Cycle leaves, bool global) {
    Sub& own = subs_[sub];
    leave(sub, now);
    if (own.waiting == places_) drop(own);  // it did not ask for room
    own.entries[own.came++ & (own.entries.size() - 1)] = {leaves, global};
    ++own.waiting;
    own.global += global ? 1 : 0;
    own.room = own.global_room = 0;
    if (!full(own)) return;
    deal(sub, now);
    if (own.waiting == places_) own.room = own.global_room = at(own, own.waiting).leaves;
    if (own.global >= global_places_) own.global_room = std::max(own.room, first_global(own).leaves);
  }

 private:
  struct Entry {
    Cycle leaves = 0;
    bool global = false;
  };
  struct Sub {
    std::vector<Entry> entries;  // a ring
    std::size_t came = 0;        // so many in all
    std::size_t waiting = 0;     // the latest so many of these
    std::size_t global = 0;      // so many of these
    Cycle room = 0, global_room = 0;
  };

  // Of those that wait, counted from the latest, which is the first.
  static Entry& at(Sub& one, std::size_t i) { return one.entries[(one.came - i) & (one.entries.size() - 1)]; }
  static Entry& first_global(Sub& one) {
    std::size_t i = one.waiting;
    while (!at(one, i).global) --i;
    return at(one, i);
  }
  bool full(const Sub& one) const { return one.waiting == places_ || one.global >= global_places_; }
  static void drop(Sub& one) { one.global -= at(one, one.waiting--).global ? 1 : 0; }
  void leave(std::size_t sub, Cycle now) {
    Sub& one = subs_[sub];
    for (; one.waiting != 0 && at(one, one.waiting).leaves <= now; drop(one)) {
      if (at(one, one.waiting).leaves <= latest_) continue;
      latest_ = at(one, one.waiting).leaves;
      served_ = sub;
    }
  }
  // The queue of `issuer` has become full: the times at which instructions leave the full queues go round, but for the
  // first one of the others, which is promised.
  void deal(std::size_t issuer, Cycle now) {
    for (std::size_t i = 0; i < subs_.size(); ++i)
      if (full(subs_[i])) leave(i, now);
    full_.clear();
    for (std::size_t i = 0, sub = served_; i < subs_.size(); ++i) {
      sub = sub + 1 == subs_.size() ? 0 : sub + 1;
      if (full(subs_[sub])) full_.push_back(&subs_[sub]);
    }
    if (full_.size() == 1) return;
    Entry** last = order_.data();
    *last = &at(subs_[issuer], subs_[issuer].waiting);
    bool ordered = true;
    for (std::size_t round = 1; round < places_; ++round)
      for (Sub* const one : full_) {
        if (round >= one->waiting) continue;
        Entry* const entry = &at(*one, one->waiting - round);
        ordered = ordered && entry->leaves >= (*last)->leaves;
        *++last = entry;
      }
    if (ordered) return;
    for (Entry** next = order_.data() + 1; next <= last; ++next) {
      const Cycle leaves = (*next)->leaves;
      Entry** later = next;
      for (; later != order_.data() && (*(later - 1))->leaves > leaves; --later)
        (*later)->leaves = (*(later - 1))->leaves;
      (*later)->leaves = leaves;
    }
  }

  std::size_t places_, global_places_;
  std::vector<Sub> subs_;
  std::size_t served_ = 0;     // last
  Cycle latest_ = -1;          // ... when
  std::vector<Sub*> full_;     // of these, in turn
  std::vector<Entry*> order_;  // of what waits there
};

}  // namespace tilescope
