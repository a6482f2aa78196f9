#include "models/support/diagnostic.h"

#include <fmt/core.h>

#include <utility>

namespace tilescope {

std::string to_string(const Diagnostic& diagnostic) {
  if (diagnostic.line == 0) return fmt::format("{}: error: {}", diagnostic.file, diagnostic.message);
  return fmt::format("{}:{}:{}: error: {}", diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.message);
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_string(diagnostic) + "\n";
  return text;
}

DiagnosticsError::DiagnosticsError(Diagnostics diagnostics)
    : std::runtime_error(to_string(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::string in_quotes(const std::string& text) {
  constexpr std::size_t longest = 60;
  std::string shown = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown + (text.size() > longest ? "...'" : "'");
}

}  // namespace tilescope
