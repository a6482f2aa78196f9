#include "sim/results/banks/lane_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "models/support/diagnostic.h"

namespace tilescope {
namespace {

std::string out_of_range(int lane, const std::string& seen) {
  return fmt::format("lane {}: got {}; must be 0 to {}, or -1 for an inactive lane", lane, seen, kLargestIndex);
}

bool is_index(std::int64_t value) { return value >= kInactive && value <= kLargestIndex; }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  constexpr const char* kSeparators = " ,\t\r\n";
  for (std::size_t from = text.find_first_not_of(kSeparators); from != std::string::npos;) {
    const std::size_t to = std::min(text.find_first_of(kSeparators, from), text.size());
    words.push_back(text.substr(from, to - from));
    from = text.find_first_not_of(kSeparators, to);
  }
  return words;
}

}  // namespace

tl::expected<LaneMap, std::string> lane_map_of(const std::string& numbers) {
  const std::vector<std::string> words = words_of(numbers);
  LaneMap map{};
  for (std::size_t i = 0; i < words.size() && i < map.size(); ++i) {
    const std::string& word = words[i];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), map[i]);
    if (error == std::errc::result_out_of_range ||
        (error == std::errc{} && end == word.data() + word.size() && !is_index(map[i])))
      return tl::unexpected(out_of_range(static_cast<int>(i), word));
    if (error != std::errc{} || end != word.data() + word.size())
      return tl::unexpected(fmt::format("lane {}: got {}; must be a whole number", i, in_quotes(word)));
  }
  if (words.size() != map.size())
    return tl::unexpected(
        fmt::format("got {} indices; must be {}, one for each lane (-1: inactive)", words.size(), map.size()));
  return map;
}

tl::expected<LaneMap, std::string> lane_map_of(const LaneExpression& expression) {
  LaneMap map{};
  for (int lane = 0; lane < kLanes; ++lane) {
    try {
      map[static_cast<std::size_t>(lane)] = expression.value(lane);
    } catch (const ExpressionError& error) {
      return tl::unexpected(fmt::format("{} (in lane {})", error.what(), lane));
    }
    if (!is_index(map[static_cast<std::size_t>(lane)]))
      return tl::unexpected(out_of_range(lane, std::to_string(map[static_cast<std::size_t>(lane)])));
  }
  return map;
}

BasedPattern pattern_of(const LaneMap& map, int bytes) {
  std::array<std::uint64_t, kLanes> address{};
  std::uint32_t active = 0;
  for (std::size_t lane = 0; lane < map.size(); ++lane) {
    if (map[lane] == kInactive) continue;
    active |= 1U << lane;
    address[lane] = static_cast<std::uint64_t>(map[lane]) * static_cast<std::uint64_t>(bytes);
  }
  return make_pattern(address, active, bytes);
}

}  // namespace tilescope
