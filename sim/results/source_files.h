// Lines of source files, where they can be found; for views.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilescope {

class SourceFiles {
 public:
  // `folder`: where names are looked for too; empty: nowhere else.
  explicit SourceFiles(std::string folder) : folder_(std::move(folder)) {}
  // Line `line` (from 1) of `file` without white space around it. Looked for where the name says, from here and from
  // the folder, then in the folder itself. Empty: no such file or line.
  std::string text_of(const std::string& file, int line);

 private:
  std::vector<std::string> read(const std::string& file) const;

  std::string folder_;
  std::map<std::string, std::vector<std::string>> known_;
};

}  // namespace tilescope
