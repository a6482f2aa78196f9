#include "sim/cli/file_watch.h"

#include <utility>

namespace tilescope::cli {

FileWatch::FileWatch(std::vector<std::string> paths) : paths_(std::move(paths)), seen_(look()) {}

bool FileWatch::changed() {
  State now = look();
  if (now == seen_) return false;
  seen_ = std::move(now);
  return true;
}

FileWatch::State FileWatch::look() const {
  namespace fs = std::filesystem;
  State state;
  const auto add = [&state](const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return;
    const auto written = fs::last_write_time(file, error);
    const auto size = fs::file_size(file, error);
    if (!error) state[file.string()] = {written, size};
  };
  for (const std::string& path : paths_) {
    std::error_code error;
    if (fs::is_directory(path, error))
      for (const auto& entry : fs::directory_iterator(path, error)) add(entry.path());
    else
      add(path);
  }
  return state;
}

}  // namespace tilescope::cli
