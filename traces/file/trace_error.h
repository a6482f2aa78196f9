// The one exception of trace files: a file that cannot be read, or a kernel that cannot be recorded.
//
// what() is "path: error: <what> at byte N: <seen and accepted>" with the byte counted from the beginning of the file.
#pragma once

#include <cstdint>
#include <string>

#include "models/support/diagnostic.h"

namespace tilescope {

class TraceError : public DiagnosticsError {
 public:
  TraceError(const std::string& file, const std::string& message) : DiagnosticsError({{file, 0, 0, message}}) {}
  TraceError(const std::string& file, const std::string& part, std::uint64_t byte, const std::string& message)
      : TraceError(file, part + " at byte " + std::to_string(byte) + ": " + message) {}
};

}  // namespace tilescope
