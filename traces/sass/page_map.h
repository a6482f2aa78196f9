// Pages of memory by their number: what is written over, where it lies.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilescope::sass {

inline constexpr std::uint64_t kPageBytes = 1024;  // byte; page n begins at address n * kPageBytes
using Page = std::array<std::uint8_t, kPageBytes>;

class PageMap {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t size() const { return used_; }
  // Pages that are held, in use or to be used again.
  std::size_t held() const { return pages_.size(); }
  // Index of page `number`, or kNone.
  std::uint32_t find(std::uint64_t number) const {
    const Place& place = places_[slot_of(number)];
    return place.generation == generation_ ? place.page : kNone;
  }
  // A new page, with any contents; its index. REQUIRES: find(number) == kNone.
  std::uint32_t add(std::uint64_t number) {
    if (2 * std::size_t{used_} >= places_.size()) grow();
    places_[slot_of(number)] = {number, generation_, used_};
    if (used_ == pages_.size()) {
      pages_.push_back(std::make_unique<Page>());
      numbers_.push_back(0);
    }
    numbers_[used_] = number;
    return used_++;
  }
  std::uint8_t* page(std::uint32_t index) { return pages_[index]->data(); }
  const std::uint8_t* page(std::uint32_t index) const { return pages_[index]->data(); }
  std::uint64_t number(std::uint32_t index) const { return numbers_[index]; }
  // Forgets all pages, keeping what they lay in.
  void clear() {
    used_ = 0;
    ++generation_;
  }

 private:
  struct Place {  // of the hash table
    std::uint64_t number = 0;
    std::uint32_t generation = 0;  // another one than ours: free
    std::uint32_t page = 0;
  };

  // Where page `number` is, or the free place where it would be.
  std::size_t slot_of(std::uint64_t number) const {
    std::size_t at = (number * 0x9E3779B97F4A7C15ULL) >> 32U & (places_.size() - 1);
    while (places_[at].generation == generation_ && places_[at].number != number) at = (at + 1) & (places_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Place> before(2 * places_.size());
    before.swap(places_);
    for (const Place& place : before)
      if (place.generation == generation_) places_[slot_of(place.number)] = place;
  }

  std::vector<Place> places_ = std::vector<Place>(64);  // open addressing, a power of two
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::uint64_t> numbers_;  // of each
  std::uint32_t used_ = 0;
  std::uint32_t generation_ = 1;
};

}  // namespace tilescope::sass
