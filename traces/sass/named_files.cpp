#include "traces/sass/named_files.h"

#include <filesystem>

#include "models/support/diagnostic.h"

namespace tilescope::sass {

tl::expected<std::string, std::string> NamedFiles::path_of(const std::string& name) const {
  const std::string path = name.starts_with('/') ? name : folder + name;
  if (within.empty()) return path;
  const auto inside = std::filesystem::path(path).lexically_relative(within).lexically_normal();
  if (name.starts_with('/') || inside.empty() || *inside.begin() == "..")
    return tl::unexpected(in_quotes(name) + " lies outside the bundle " + in_quotes(within));
  return std::filesystem::path(path).lexically_normal().string();
}

NamedFiles files_beside(const std::string& path, const std::string& within) {
  const std::size_t slash = path.rfind('/');
  return {slash == std::string::npos ? "" : path.substr(0, slash + 1), within};
}

}  // namespace tilescope::sass
