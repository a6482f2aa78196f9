// The words of a line: what stands between white space.
#pragma once

#include <string>
#include <string_view>

namespace tilescope::sass {

inline constexpr std::string_view kWhite = " \t\r\v\f";

template <class Visit>
void for_each_word(std::string_view line, Visit visit) {
  for (std::size_t from = line.find_first_not_of(kWhite); from != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kWhite, from), line.size());
    visit(line.substr(from, end - from));
    from = line.find_first_not_of(kWhite, end);
  }
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
