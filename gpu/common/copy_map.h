// Which word of which line each lane of an asynchronous copy reads, and where in shared memory it writes it: the maps
// of counted_copy_maps, made so that the rule by which hardware splits a copy into passes shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::gpu {

struct CopyLane {
  bool active = false;
  int line = 0, word = 0;  // read: 32 lines of 32 words
  int row = 0, bank = 0;   // written: 32 rows of 32 banks
};

struct CopyMap {
  std::string name;
  std::array<CopyLane, 32> lanes;
};

namespace copy_maps_detail {

// `lines` lines whose lanes take turns (lane = lines * p + line) or follow one another (lane = each * line + p).
// `bank_of(line, p)`; every lane writes a row of its own unless `one_row`.
template <class BankOf>
CopyMap in_lines(std::string name, int lines, int each, bool turns, BankOf bank_of, bool one_row = false) {
  CopyMap map{std::move(name), {}};
  for (int line = 0; line < lines; ++line)
    for (int p = 0; p < each; ++p) {
      const int lane = turns ? lines * p + line : each * line + p;
      map.lanes[static_cast<std::size_t>(lane)] = {true, line, p, one_row ? 0 : lane,
                                                   (bank_of(line, p) % 32 + 32) % 32};
    }
  return map;
}

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : state_(seed * 2654435761U + 12345U) {}
  int below(int limit) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<int>((state_ >> 16) % static_cast<std::uint32_t>(limit));
  }

 private:
  std::uint32_t state_;
};

}  // namespace copy_maps_detail

inline std::vector<CopyMap> copy_maps() {
  using copy_maps_detail::in_lines;
  std::vector<CopyMap> maps;
  const auto add = [&](CopyMap map) { maps.push_back(std::move(map)); };
  for (const bool turns : {true, false}) {
    const std::string order = turns ? "turns" : "blocks";
    add(in_lines(order + " 2x16 p+l", 2, 16, turns, [](int l, int p) { return p + l; }));
    add(in_lines(order + " 2x16 p+16l", 2, 16, turns, [](int l, int p) { return p + 16 * l; }));
    add(in_lines(order + " 2x16 p", 2, 16, turns, [](int, int p) { return p; }));
    add(in_lines(order + " 2x16 p-l", 2, 16, turns, [](int l, int p) { return p - l; }));
    add(in_lines(order + " 2x16 p+15l", 2, 16, turns, [](int l, int p) { return p + 15 * l; }));
    add(in_lines(order + " 2x16 15-p+l", 2, 16, turns, [](int l, int p) { return 15 - p + l; }));
    add(in_lines(order + " 3x10 p+l", 3, 10, turns, [](int l, int p) { return p + l; }));
    add(in_lines(order + " 4x8 p+l", 4, 8, turns, [](int l, int p) { return p + l; }));
    add(in_lines(order + " 4x8 p+8l", 4, 8, turns, [](int l, int p) { return p + 8 * l; }));
    add(in_lines(order + " 4x8 first two meet", 4, 8, turns, [](int l, int p) { return l < 2 ? p + l : p + 8 * l; }));
    add(in_lines(order + " 4x8 last two meet", 4, 8, turns,
                 [](int l, int p) { return l < 2 ? p + 8 * l : p + 14 + l; }));
    add(in_lines(order + " 4x8 middle two meet", 4, 8, turns, [](int l, int p) {
      return l == 0 ? p : l == 3 ? p + 24 : p + 8 + l;
    }));
    add(in_lines(order + " 4x8 one bank", 4, 8, turns, [](int, int) { return 0; }));
    add(in_lines(order + " 4x8 a bank each", 4, 8, turns, [](int l, int) { return 8 * l; }));
    add(in_lines(order + " 4x8 two banks each", 4, 8, turns, [](int l, int p) { return 8 * l + p % 2; }));
    add(in_lines(order + " 4x8 two banks each in halves", 4, 8, turns, [](int l, int p) { return 8 * l + p / 4; }));
    add(in_lines(order + " 4x8 two banks", 4, 8, turns, [](int, int p) { return p % 2; }));
    add(in_lines(order + " 4x8 four banks each", 4, 8, turns, [](int l, int p) { return 8 * l + p % 4; }));
    add(in_lines(order + " 4x8 turned", 4, 8, turns, [](int l, int p) { return 4 * p + l; }));
    add(in_lines(order + " 8x4 a bank each", 8, 4, turns, [](int l, int) { return 4 * l; }));
    add(in_lines(order + " 16x2 a bank each", 16, 2, turns, [](int l, int) { return 2 * l; }));
    add(in_lines(order + " 1x32 one bank", 1, 32, turns, [](int, int) { return 0; }));
    add(in_lines(order + " 1x32 two banks", 1, 32, turns, [](int, int p) { return p % 2; }));
    add(in_lines(order + " 1x32 eight banks", 1, 32, turns, [](int, int p) { return p % 8; }));
    add(in_lines(order + " 1x32 turned", 1, 32, turns, [](int, int p) { return 31 - p; }));
    add(in_lines(
        order + " 2x16 one row", 2, 16, turns, [](int l, int p) { return p + 16 * l; }, true));
  }
  // Tiles of 32-bit words as compilers place them: every fourth word of four lines into rows of a swizzled tile, the
  // same into rows of a padded one, and eight neighbouring words of four lines into columns.
  const auto every_fourth = [](CopyMap map) {
    for (CopyLane& lane : map.lanes) lane.word *= 4;
    return map;
  };
  add(every_fourth(in_lines("swizzled 4x8", 4, 8, false, [](int l, int p) { return p % 2 * 16 + l / 2; })));
  add(every_fourth(in_lines("strided 4x8", 4, 8, false, [](int l, int p) { return 8 * l + p; })));
  add(in_lines("columns 4x8", 4, 8, false, [](int l, int) { return l; }));
  for (int seed = 0; seed < 24; ++seed) {
    copy_maps_detail::Dice dice(static_cast<std::uint32_t>(seed));
    const int lines = std::array{1, 2, 3, 4, 8, 16}[static_cast<std::size_t>(seed % 6)];
    const int banks = std::array{32, 16, 4, 32}[static_cast<std::size_t>(seed / 6)];
    CopyMap map{"random " + std::to_string(seed), {}};
    for (int lane = 0; lane < 32; ++lane)
      map.lanes[static_cast<std::size_t>(lane)] = {seed < 18 || dice.below(4) != 0, dice.below(lines), dice.below(32),
                                                   lane, dice.below(banks)};
    add(std::move(map));
  }
  return maps;
}

}  // namespace tilescope::gpu
