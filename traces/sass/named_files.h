// The files that a launch file names: paths from its own folder, within a bundle only files of the bundle.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace tilescope::sass {

struct NamedFiles {
  std::string folder;  // of the launch file, with its slash; "": the current one
  std::string within;  // the folder that every named file lies in; "": anywhere

  // Where `name` lies, or one sentence: with `within`, a name that leads out of it, or that is absolute, is refused.
  tl::expected<std::string, std::string> path_of(const std::string& name) const;
};

// Of the launch file `path`.
NamedFiles files_beside(const std::string& path, const std::string& within);

}  // namespace tilescope::sass
