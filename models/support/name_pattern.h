// A user's regular expression over names. RE2 matches in time linear in the text, whatever the pattern, and over bytes.
//
// Syntax: RE2's (Perl's without look-ahead, look-behind and back references). A repetition counts to 1000 at most.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace re2 {
class RE2;
}

namespace tilescope {

class NamePattern {
 public:
  // Matches nothing.
  NamePattern() = default;
  // Or what is wrong with the pattern, to stand in parentheses.
  static tl::expected<NamePattern, std::string> make(const std::string& text);

  std::size_t groups() const;  // that it captures
  // Of the whole name: the match, then what each group captured ("" where it took no part). Empty: no match.
  std::vector<std::string> captures(std::string_view name) const;
  bool occurs_in(std::string_view name) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace tilescope
