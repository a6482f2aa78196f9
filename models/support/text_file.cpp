#include "models/support/text_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tilescope {

tl::expected<std::string, Diagnostic> read_text_file(const std::string& path, std::size_t most_bytes) {
  const auto refuse = [&path](std::string why) { return tl::unexpected(Diagnostic{path, 0, 0, std::move(why)}); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return refuse("is a directory; must be a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse("cannot be read: " + std::generic_category().message(errno != 0 ? errno : EIO));
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return refuse("cannot be read: " + std::generic_category().message(EIO));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes) return refuse(fmt::format("is too large; must have at most {} bytes", most_bytes));
  return text;
}

}  // namespace tilescope
