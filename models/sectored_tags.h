// Set-associative tags of a sectored cache. L1 and both partitions of L2 are built on it.
//
// A way holds a 128 B line of which any of the four sectors may be present. What a sector's arrival means (pending
// fills in L1, data in flight in L2) is the owner's business: each way carries a `Payload` for it, by whose place the
// way is known.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/replacement/way.h"
#include "models/set_index.h"
#include "models/support/huge_pages.h"
#include "models/support/units.h"

namespace tilescope {

template <class Payload, class Replacement, class Index = SetIndex>
class SectoredTags {
 public:
  // REQUIRES: ways > 0; `replacement` was made for as many sets as `index` tells apart, and for as many ways.
  SectoredTags(std::size_t sets, std::size_t ways, Index index, Replacement replacement)
      : index_(std::move(index)),
        ways_(ways),
        chunks_((ways + kChunk - 1) / kChunk),
        replacement_(std::move(replacement)),
        prints_(sets * chunks_),
        all_(sets * ways) {}

  // What is kept with the line, touched; null when absent.
  Payload* find(LineAddress line) {
    return find_if(line, [](const Payload&) { return true; });
  }

  // The same, but nothing is touched.
  Payload* peek(LineAddress line) {
    const std::size_t first = index_(line) * ways_;
    return each_candidate(first / ways_, line, [&](std::size_t way) -> Payload* {
      return all_[first + way].line == line ? &all_[first + way] : nullptr;
    });
  }
  // As find(), but null, and nothing touched, when `counts(payload)` does not hold.
  template <class Counts>
  Payload* find_if(LineAddress line, Counts counts) {
    if (line != last_.line) last_ = looked_up(line);
    if (last_.way == kNoWay || !counts(all_[last_.place])) return nullptr;
    replacement_.touch(last_.set, last_.way);
    return &all_[last_.place];
  }

  // The line is looked for soon: brings what tells whether it is here into the host's cache; and, when that is there,
  // what is kept with it, or else with those of which one may have to leave for it. Nothing is touched. The second
  // returns false when the line is not here.
  void announce(LineAddress line) const {
    const std::size_t set = index_(line);
    __builtin_prefetch(&prints_[set * chunks_]);
    replacement_.announce(set);
  }
  bool announce_found(LineAddress line) const {
    const std::size_t set = index_(line);
    const std::size_t first = set * ways_;
    const bool found = each_candidate(set, line, [&](std::size_t way) -> const Payload* {
                         if (ways_ < kChunk && all_[first + way].line != line) return nullptr;
                         __builtin_prefetch(&all_[first + way], 1);
                         return &all_[first + way];
                       }) != nullptr;
    if (found) return true;
    constexpr std::size_t kHostLine = 64;
    const char* const begin = reinterpret_cast<const char*>(&all_[first]);
    for (std::size_t at = 0; at < ways_ * sizeof(Way); at += kHostLine) __builtin_prefetch(begin + at, 1);
    return false;
  }

  // The way of the line's set that goes next, among those for which `may_evict(payload)` holds; null when none does.
  // The caller looks at what it evicts and then calls `claim`.
  template <class MayEvict>
  Payload* victim(LineAddress line, MayEvict may_evict) {
    return victim_of(line == last_.line ? last_.set : index_(line), may_evict);
  }
  template <class MayEvict>
  Payload* victim_of(std::size_t set, MayEvict may_evict) {
    Way* const first = &all_[set * ways_];
    const std::size_t way = replacement_.victim(set, [&](std::size_t w) { return may_evict(first[w]); });
    return way == kNoWay ? nullptr : first + way;
  }

  // `visit(payload)` sees every way of the line's set.
  template <class Visit>
  void each_beside(LineAddress line, Visit visit) const {
    const std::size_t first = (line == last_.line ? last_.set : index_(line)) * ways_;
    for (std::size_t way = first; way < first + ways_; ++way) visit(all_[way]);
  }

  // The line that a way holds; LineAddress::none() when it is empty.
  LineAddress line_of(const Payload& way) const { return static_cast<const Way&>(way).line; }

  // Gives a way to a line, which counts as a touch unless the policy tells the two apart.
  void claim(Payload& way, LineAddress line) {
    const std::size_t place = place_of(way), set = place / ways_;
    write(way, line, print_of(line));
    last_ = {line, set, place % ways_, place};
    if constexpr (requires { replacement_.claimed(set, place % ways_); })
      replacement_.claimed(set, place % ways_);
    else
      replacement_.touch(set, place % ways_);
  }
  // Empties a way.
  void drop(Payload& way) {
    write(way, LineAddress::none(), 0);
    last_ = {};
  }

  std::size_t lines() const { return all_.size(); }
  // `visit(payload)` sees every way.
  template <class Visit>
  void each(Visit visit) {
    for (Way& way : all_) visit(way);
  }

 private:
  static constexpr std::size_t kChunk = 8;  // ways whose prints lie in one word

  // The line that was looked for last, as it often is again, and where it is; kNoWay: it is not here.
  struct Last {
    LineAddress line = LineAddress::none();
    std::size_t set = 0, way = kNoWay, place = 0;
  };

  // What is kept with a line, and which one it is.
  struct Way : Payload {
    LineAddress line = LineAddress::none();
  };
  std::size_t place_of(const Payload& way) const {
    return static_cast<std::size_t>(&static_cast<const Way&>(way) - all_.data());
  }
  void write(Payload& way, LineAddress line, std::uint64_t print) {
    const std::size_t place = place_of(way);
    way = Payload{};
    all_[place].line = line;
    const std::size_t set = place / ways_, index = place % ways_;
    const auto shift = 8 * static_cast<unsigned>(index % kChunk);
    std::uint64_t& chunk = prints_[set * chunks_ + index / kChunk];
    chunk = (chunk & ~(0xFFULL << shift)) | print << shift;
  }
  // A byte that tells most lines apart; 0 is that of an empty way.
  static std::uint64_t print_of(LineAddress line) {
    const std::uint64_t print = line.number() * 0x9E3779B97F4A7C15ULL >> 56U;
    return print + (print == 0 ? 1 : 0);
  }
  Last looked_up(LineAddress line) const {
    Last result{line, index_(line), kNoWay, 0};
    const std::size_t first = result.set * ways_;
    each_candidate(result.set, line, [&](std::size_t way) -> const Payload* {
      if (all_[first + way].line != line) return nullptr;
      result.way = way;
      result.place = first + way;
      return &all_[first + way];
    });
    return result;
  }
  // Calls visit(way) for ways whose print is the line's, and some others, until it returns a payload; null: none has.
  template <class Visit>
  auto each_candidate(std::size_t set, LineAddress line, Visit&& visit) const -> decltype(visit(0)) {
    if (ways_ < kChunk) {  // looking at all of them is as quick
      for (std::size_t way = 0; way < ways_; ++way)
        if (const auto found = visit(way)) return found;
      return nullptr;
    }
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    const std::uint64_t wanted = print_of(line) * kOnes;
    const std::uint64_t* const chunks = &prints_[set * chunks_];
    for (std::size_t c = 0; c < chunks_; ++c) {
      const std::uint64_t differs = chunks[c] ^ wanted;  // a byte of it is 0 where the prints agree
      for (std::uint64_t left = (differs - kOnes) & ~differs & kOnes << 7U; left != 0; left &= left - 1) {
        const std::size_t way = c * kChunk + static_cast<std::size_t>(std::countr_zero(left)) / kChunk;
        if (way >= ways_) break;
        if (const auto found = visit(way)) return found;
      }
    }
    return nullptr;
  }

  Index index_;
  std::size_t ways_;
  std::size_t chunks_;  // words of prints that a set has
  Replacement replacement_;
  std::vector<std::uint64_t> prints_;  // of the lines, looked at first: a small part of the tags
  HugePageVector<Way> all_;
  Last last_;
};

}  // namespace tilescope
