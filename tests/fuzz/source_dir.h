// Where the repository's samples lie: $TILESCOPE_FUZZ_FILES, or the sources that the harness was built from.
#pragma once

#include <cstdlib>
#include <string>

namespace tilescope::fuzz {

inline std::string source_file(const std::string& path) {
  const char* moved = std::getenv("TILESCOPE_FUZZ_FILES");
  return std::string(moved != nullptr ? moved : TILESCOPE_SOURCE_DIR) + "/" + path;
}

}  // namespace tilescope::fuzz
