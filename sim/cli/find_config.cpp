#include "sim/cli/find_config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "sim/cli/usage_error.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

std::string gpu_directory() {
  for (const std::string& directory : config_directories()) {
    const fs::path gpus = fs::path(directory) / "gpus";
    std::error_code error;
    if (fs::is_directory(gpus, error)) return gpus.string();
  }
  return "";
}

bool looks_like_file(const std::string& text) {
  return text.ends_with(".yaml") || text.ends_with(".yml") || text.find('/') != std::string::npos;
}

std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, error);
  return error || relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace

std::vector<std::string> config_directories() {
  const char* chosen = std::getenv("TILESCOPE_CONFIGS");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> directories;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    directories.push_back((program.parent_path().parent_path() / "share" / "tilescope" / "configs").string());
  }
  directories.emplace_back(TILESCOPE_SOURCE_CONFIGS);
  // Where no /proc says which program this is: the places of installed data (XDG Base Directory Specification).
  const char* data = std::getenv("XDG_DATA_DIRS");
  std::istringstream places(data != nullptr && *data != '\0' ? data : "/usr/local/share:/usr/share");
  for (std::string place; std::getline(places, place, ':');)
    directories.push_back((fs::path(place) / "tilescope" / "configs").string());
  return directories;
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(gpu_directory(), error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_gpu(const std::string& name_or_file) {
  if (looks_like_file(name_or_file)) return name_or_file;
  const std::vector<std::string> names = gpu_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    return shown(fs::path(gpu_directory()) / (name_or_file + ".yaml"));
  }
  if (names.empty()) {
    throw UsageError("no built-in GPUs found in " + list_of(config_directories()),
                     "set TILESCOPE_CONFIGS to the configs directory, or name a .yaml file");
  }
  throw UsageError("unknown GPU " + in_quotes(name_or_file) + did_you_mean(name_or_file, names) + "; must be " +
                   list_of(names) + ", or a .yaml file");
}

std::string find_tune_set() {
  for (const std::string& directory : config_directories()) {
    const fs::path set = fs::path(directory) / "tune" / "gemm_sm90.yaml";
    std::error_code error;
    if (fs::is_regular_file(set, error)) return shown(set);
  }
  return "";
}

}  // namespace tilescope::cli
