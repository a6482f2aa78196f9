// Whether files have changed since they were looked at.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilescope::cli {

class FileWatch {
 public:
  // Files, and directories with the files in them (not below).
  explicit FileWatch(std::vector<std::string> paths);

  // Since construction, or since it last answered true; so do files that come and go.
  bool changed();

 private:
  using State = std::map<std::string, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  State look() const;

  std::vector<std::string> paths_;
  State seen_;
};

}  // namespace tilescope::cli
