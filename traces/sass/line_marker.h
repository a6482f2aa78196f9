// The remarks that `nvdisasm -g` puts before the instructions of a source line, of code compiled with -lineinfo:
//
//   //## File "/home/me/gemm.cu", line 31
//
// `nvdisasm -gi` says of an inlined function where it was called, from the innermost call to the kernel:
//
//   //## File "/home/me/load.h", line 7 inlined at "/home/me/gemm.cu", line 31
//   //## File "/home/me/gemm.cu", line 31
#pragma once

#include <optional>
#include <string_view>

namespace tilescope::sass {

struct LineMarker {
  std::string_view file;
  int line = 0;
  std::string_view caller_file;  // empty: not inlined
  int caller_line = 0;

  // `outer` follows this marker, and says where the call lies.
  bool is_called_from(const LineMarker& outer) const {
    return !caller_file.empty() && outer.file == caller_file && outer.line == caller_line;
  }
};

// nullopt: another line. REQUIRES: `line` without white space around it.
std::optional<LineMarker> parse_line_marker(std::string_view line);

}  // namespace tilescope::sass
