// Where a configuration's values stand in its YAML text, and what the comment beside each says about its source.
//
//   hbm:
//     latency_ns: 135           # M: pointer chase beyond L2
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tilescope::calibrate {

struct ValuePlace {
  int line = 0;           // 1-based
  std::size_t begin = 0;  // the value's characters, byte offsets in the text: [begin, end)
  std::size_t end = 0;
  std::size_t comment = 0;     // where '#' stands; the line's end without one
  std::size_t line_end = 0;    // before the newline
  char source = 0;             // 'M', 'P', 'A' or 'F'; 0: the line names none
  std::string source_comment;  // "pointer chase beyond L2"
};

// By dotted key ("hbm.latency_ns"), for every scalar of every section. REQUIRES: `text` is valid YAML (a GpuSpec was
// read from it). A value that shares its line with another one is left out: it has no comment of its own.
std::map<std::string, ValuePlace> value_places(const std::string& text);

}  // namespace tilescope::calibrate
