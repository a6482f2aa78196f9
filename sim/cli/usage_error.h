// The user asked for something that does not exist or cannot be: exit code 2.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tilescope::cli {

// Printed as "tilescope: " + sentence, and the hint, if any, on a line of its own.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& sentence, std::string hint = "")
      : std::runtime_error(sentence), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

}  // namespace tilescope::cli
