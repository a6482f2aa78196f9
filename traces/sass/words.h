// The lines of a text, and the words of a line: what stands between white space.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::sass {

inline constexpr std::string_view kWhite = " \t\r\v\f";

// The line at `at`, without its end (LF or CR LF); `at` moves behind it. REQUIRES: at < text.size().
inline std::string_view take_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  if (line.ends_with('\r')) line.remove_suffix(1);
  at = end + 1;
  return line;
}

template <class Visit>
void for_each_word(std::string_view line, Visit visit) {
  for (std::size_t from = line.find_first_not_of(kWhite); from != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kWhite, from), line.size());
    visit(line.substr(from, end - from));
    from = line.find_first_not_of(kWhite, end);
  }
}

inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for_each_word(line, [&words](std::string_view word) { words.push_back(word); });
  return words;
}

// "0x1f", or digits of `base`; the largest number for one that does not fit into 64 bits.
inline std::optional<std::uint64_t> number_of(std::string_view text, int base = 10) {
  if (text.starts_with("0x")) text.remove_prefix(2), base = 16;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  return error == std::errc() ? value : std::numeric_limits<std::uint64_t>::max();
}

// The index-th word, from 0 on; empty when there are fewer.
inline std::string word_of(std::string_view line, int index) {
  std::string found;
  for_each_word(line, [&](std::string_view word) {
    if (index-- == 0) found = word;
  });
  return found;
}

inline std::string last_word_of(std::string_view line) {
  std::string found;
  for_each_word(line, [&](std::string_view word) { found = word; });
  return found;
}

// Without the white space around it.
inline std::string_view trimmed_word(std::string_view text) {
  const std::size_t from = text.find_first_not_of(kWhite);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kWhite) - from + 1);
}

}  // namespace tilescope::sass
