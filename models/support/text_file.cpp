#include "models/support/text_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace tilescope {
namespace {

// What is read at a time beyond the size that the file says it has.
constexpr std::size_t kPart = std::size_t{64} << 10U;

std::string unreadable(int error) { return "cannot be read: " + std::generic_category().message(error); }

// Empty for a regular file.
std::string why_irregular(const struct stat& facts) {
  if (S_ISDIR(facts.st_mode)) return "is a directory; must be a file";
  if (!S_ISREG(facts.st_mode)) return "is a pipe, a socket or a device; must be a file";
  return {};
}

struct OpenFile {
  int descriptor;
  explicit OpenFile(const std::string& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
};

}  // namespace

std::optional<Diagnostic> refuse_irregular_file(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return Diagnostic{path, 0, 0, unreadable(errno)};
  const std::string why = why_irregular(facts);
  if (!why.empty()) return Diagnostic{path, 0, 0, why};
  return std::nullopt;
}

tl::expected<std::string, Diagnostic> read_text_file(const std::string& path, std::size_t most_bytes) {
  const auto refuse = [&path](std::string why) { return tl::unexpected(Diagnostic{path, 0, 0, std::move(why)}); };
  if (path.find('\0') != std::string::npos) return refuse("holds a NUL byte; must be the name of a file");
  if (auto irregular = refuse_irregular_file(path)) return tl::unexpected(std::move(*irregular));
  const OpenFile file(path);
  struct stat facts {};
  if (file.descriptor < 0 || fstat(file.descriptor, &facts) != 0) return refuse(unreadable(errno));
  if (const std::string why = why_irregular(facts); !why.empty()) return refuse(why);  // replaced in between
  const auto too_large = [&] { return refuse(fmt::format("is too large; must have at most {} bytes", most_bytes)); };
  if (static_cast<std::uintmax_t>(facts.st_size) > most_bytes) return too_large();
  std::string text;
  std::size_t size = 0;
  while (true) {  // a file of /proc says 0 and holds more
    if (size == text.size()) text.resize(std::max(static_cast<std::size_t>(facts.st_size) + 1, size + kPart));
    const ssize_t got = read(file.descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(unreadable(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > most_bytes) return too_large();
  }
  text.resize(size);
  return text;
}

}  // namespace tilescope
