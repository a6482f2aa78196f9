// What is wrong with an input file, as a value: where, and one sentence with the value seen and what is accepted.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tilescope {

struct Diagnostic {
  std::string file;  // or the command line's words, such as "--set l2.size_mib=50"
  int line = 0;      // 1-based; 0: the file as a whole
  int column = 0;    // 1-based
  std::string message;

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;  // every error of one run

// "configs/broken.yaml:4:15: error: l2.line_bytes: got '100'; must be 64 or 128"
std::string to_string(const Diagnostic& diagnostic);

// One line each, every line ended.
std::string to_string(const Diagnostics& diagnostics);

// For the program's edge, where a value cannot be handed on. what() is to_string(diagnostics).
class DiagnosticsError : public std::runtime_error {
 public:
  explicit DiagnosticsError(Diagnostics diagnostics);
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

// A value as it appears in a message: 'text', shortened, with control characters escaped.
std::string in_quotes(const std::string& text);

}  // namespace tilescope
