// Units that are types: moments and durations of the chip, lines of memory, sectors of a line. Each says in its name
// what it is made from, and nothing is converted silently. All of it is as cheap as the integer inside.
//
// An SM counts whole cycles of its own clock; the chip behind it, whose L2 and HBM run on other clocks, counts ticks of
// a 1024th of an SM cycle, so that every rate is an integer and results are the same on any machine.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace tilescope {

inline constexpr std::int64_t kSmsPerTpc = 2;
inline constexpr std::int64_t kSectorBytes = 32;
inline constexpr std::int64_t kLineBytes = 128;
inline constexpr std::int64_t kSectorsPerLine = kLineBytes / kSectorBytes;

using Cycle = std::int64_t;  // SM clock
inline constexpr Cycle kNever = std::numeric_limits<std::int64_t>::max() / 4;

// A moment or a duration of the chip: 1/1024 of an SM cycle. Made by to_ticks, left by to_cycles_up.
class Tick {
 public:
  constexpr Tick() = default;
  explicit constexpr Tick(std::int64_t count) : count_(count) {}
  constexpr std::int64_t count() const { return count_; }

  constexpr Tick& operator+=(Tick other) { return count_ += other.count_, *this; }
  constexpr Tick& operator-=(Tick other) { return count_ -= other.count_, *this; }
  friend constexpr Tick operator+(Tick a, Tick b) { return a += b; }
  friend constexpr Tick operator-(Tick a, Tick b) { return a -= b; }
  friend constexpr Tick operator*(std::int64_t times, Tick tick) { return Tick(times * tick.count_); }
  friend constexpr Tick operator*(Tick tick, std::int64_t times) { return times * tick; }
  friend constexpr Tick operator/(Tick tick, std::int64_t parts) { return Tick(tick.count_ / parts); }
  friend constexpr std::int64_t operator/(Tick tick, Tick period) { return tick.count_ / period.count_; }
  friend constexpr Tick operator%(Tick tick, Tick period) { return Tick(tick.count_ % period.count_); }
  friend constexpr auto operator<=>(Tick, Tick) = default;

 private:
  std::int64_t count_ = 0;
};

inline constexpr Tick kCycle{1024};

constexpr Tick to_ticks(Cycle cycles) { return cycles * kCycle; }
// The nearest whole tick.
inline Tick to_ticks(double cycles) { return Tick(std::llround(cycles * static_cast<double>(kCycle.count()))); }
// A part of a tick is dropped.
inline Tick to_ticks_down(double cycles) {
  return Tick(static_cast<std::int64_t>(cycles * static_cast<double>(kCycle.count())));
}
constexpr Cycle to_cycles_up(Tick ticks) { return (ticks + kCycle - Tick(1)) / kCycle; }

// A line of 128 B: a byte address / 128.
class LineAddress {
 public:
  // The line that holds the byte at `address`.
  static constexpr LineAddress of(std::uint64_t address) {
    return LineAddress(address / static_cast<std::uint64_t>(kLineBytes));
  }
  static constexpr LineAddress numbered(std::uint64_t number) { return LineAddress(number); }
  static constexpr LineAddress none() { return LineAddress(~0ULL); }  // no byte lives there

  constexpr LineAddress() = default;  // line 0
  constexpr std::uint64_t number() const { return number_; }
  friend constexpr LineAddress operator+(LineAddress line, std::int64_t lines) {
    return LineAddress(line.number_ + static_cast<std::uint64_t>(lines));
  }
  friend constexpr auto operator<=>(LineAddress, LineAddress) = default;

 private:
  explicit constexpr LineAddress(std::uint64_t number) : number_(number) {}
  std::uint64_t number_ = 0;
};

// Which of a line's four sectors of 32 B: bit s stands for sector s. A range over it gives their numbers, rising.
class SectorMask {
 public:
  constexpr SectorMask() = default;
  // REQUIRES: bits < 16.
  explicit constexpr SectorMask(unsigned bits) : bits_(static_cast<std::uint8_t>(bits)) {}
  static constexpr SectorMask of(std::size_t sector) { return SectorMask(1U << sector); }
  static constexpr SectorMask all() { return SectorMask(kAll); }

  constexpr unsigned bits() const { return bits_; }
  constexpr unsigned count() const { return static_cast<unsigned>(std::popcount(bits_)); }
  constexpr std::int64_t bytes() const { return count() * kSectorBytes; }
  constexpr bool any() const { return bits_ != 0; }
  constexpr bool none() const { return bits_ == 0; }
  constexpr bool has(std::size_t sector) const { return (bits_ >> sector & 1U) != 0; }

  constexpr SectorMask operator~() const { return SectorMask(~unsigned{bits_} & kAll); }
  constexpr SectorMask& operator&=(SectorMask other) { return *this = SectorMask(bits() & other.bits()); }
  constexpr SectorMask& operator|=(SectorMask other) { return *this = SectorMask(bits() | other.bits()); }
  constexpr SectorMask& operator-=(SectorMask other) { return *this = SectorMask(bits() & ~other.bits()); }
  friend constexpr SectorMask operator&(SectorMask a, SectorMask b) { return a &= b; }
  friend constexpr SectorMask operator|(SectorMask a, SectorMask b) { return a |= b; }
  // The sectors of `a` that are not in `b`.
  friend constexpr SectorMask operator-(SectorMask a, SectorMask b) { return a -= b; }
  friend constexpr bool operator==(SectorMask, SectorMask) = default;

  class Iterator {
   public:
    explicit constexpr Iterator(unsigned rest) : rest_(rest) {}
    constexpr std::size_t operator*() const { return static_cast<std::size_t>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() { return rest_ &= rest_ - 1, *this; }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    unsigned rest_;
  };
  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  static constexpr unsigned kAll = (1U << kSectorsPerLine) - 1;
  std::uint8_t bits_ = 0;
};

}  // namespace tilescope
