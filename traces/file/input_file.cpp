#include "traces/file/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "traces/file/trace_error.h"

namespace tilescope::trace {

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  const auto refuse = [this](const std::string& why) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw TraceError(path_, why);
  };
  const auto cannot = [] { return "cannot be read: " + std::generic_category().message(errno); };
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer must not hang
  if (descriptor_ < 0) refuse(cannot());
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse(cannot());
  if (S_ISDIR(status.st_mode)) refuse("is a directory; must be a trace file");
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file; must be a trace file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::string InputFile::read(std::uint64_t offset, std::uint64_t bytes) const {
  std::string content(bytes, '\0');
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t got =
        ::pread(descriptor_, content.data() + done, content.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw TraceError(path_, "cannot be read: " + std::generic_category().message(errno));
    if (got == 0) throw TraceError(path_, "the file", offset + done, "ends while it is being read");
    done += static_cast<std::size_t>(got);
  }
  return content;
}

}  // namespace tilescope::trace
