// What is done to a bundle once its program has ended, by the launcher: code is disassembled, launch files name the
// listings, and bundle.yaml says how the program ended. Works on an interrupted bundle too, and again.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilescope::capture {

struct Ending {
  std::vector<std::string> program;  // its words
  std::string memory;                // word of --memory
  std::string exit;                  // "0", "3", "signal 9"; empty: not known
};

struct Finished {
  std::size_t launches = 0, different = 0, refused = 0, listings = 0;
  std::vector<std::string> bundles;   // the directory and those of child processes
  std::vector<std::string> problems;  // sentences
};

// Without an ending (--finish), what bundle.yaml says stays. REQUIRES: no program records into the directory.
Finished finish(const std::string& directory, const std::optional<Ending>& ending, bool keep_cubins);

}  // namespace tilescope::capture
