#include "models/support/suggest.h"

#include <algorithm>

#include "models/support/lower_case.h"

namespace tilescope {
namespace {

// Optimal string alignment: Levenshtein's distance with swapped neighbours counted once.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> closest_match(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 80;  // a longer word is no typing mistake
  if (word.empty() || word.size() > longest) return std::nullopt;
  const std::string wanted = lower_case(word);
  const std::string* best = nullptr;
  std::size_t best_distance = std::min<std::size_t>(3, std::max<std::size_t>(1, wanted.size() / 3)) + 1;
  std::vector<const std::string*> begun;
  for (const std::string& candidate : candidates) {
    const std::string folded = lower_case(candidate);
    if (wanted.size() >= 2 && folded.starts_with(wanted)) begun.push_back(&candidate);
    const std::size_t distance = edit_distance(wanted, folded);
    if (distance < best_distance && distance < std::max(wanted.size(), folded.size())) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr && begun.size() == 1) best = begun.front();
  return best == nullptr ? std::nullopt : std::optional<std::string>(*best);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto match = closest_match(word, candidates);
  return match ? " (did you mean " + *match + "?)" : "";
}

std::string list_of(const std::vector<std::string>& words, std::string_view last_joint) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + std::string(last_joint) + " " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace tilescope
