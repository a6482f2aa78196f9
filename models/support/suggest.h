// "Did you mean ...?" for keys, options, kernels and parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// The candidate nearest to `word`: fewest inserted, dropped, changed or swapped characters, letter case ignored; at
// most a third of the word's length of them (never more than 3), else nothing. The first of equals wins. A word that
// begins exactly one candidate matches it.
std::optional<std::string> closest_match(std::string_view word, const std::vector<std::string>& candidates);

// " (did you mean l2.slices?)", or "" where nothing is near: made to be appended to a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// "a", "a or b", "a, b or c".
std::string list_of(const std::vector<std::string>& words, std::string_view last_joint = "or");

}  // namespace tilescope
