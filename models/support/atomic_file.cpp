#include "models/support/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tilescope {
namespace {

// Fixed storage, because a signal handler reads it.
struct Unfinished {
  std::atomic<int> state{0};  // 0 free, 1 being filled in or out, 2 holds a path
  std::array<char, 4096> path{};
};
std::array<Unfinished, 16> unfinished;

int remember(const std::string& path) {
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    int expected = 0;
    if (path.size() >= unfinished[i].path.size() || !unfinished[i].state.compare_exchange_strong(expected, 1)) continue;
    std::memcpy(unfinished[i].path.data(), path.c_str(), path.size() + 1);
    unfinished[i].state = 2;
    return static_cast<int>(i);
  }
  return -1;  // more files at once than the list has room for: only an interrupt would leave this one behind
}

void forget(int slot) {
  if (slot >= 0) unfinished[static_cast<std::size_t>(slot)].state = 0;
}

// Opens a new file beside `target` under a name that nothing has.
std::string make_temporary(const std::string& target, mode_t mode) {
  static std::atomic<unsigned> count{0};
  while (true) {
    std::string path = fmt::format("{}.{}-{}.tmp", target, getpid(), count++);
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      close(descriptor);
      return path;
    }
    if (errno != EEXIST) return "";
  }
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (auto& file : unfinished) {
    if (file.state == 2) unlink(file.path.data());
  }
}

std::streamsize ReasonKeepingFile::xsputn(const char* text, std::streamsize count) {
  errno = 0;
  const std::streamsize written = std::filebuf::xsputn(text, count);
  if (written < count && reason_ == 0) reason_ = errno;
  return written;
}

ReasonKeepingFile::int_type ReasonKeepingFile::overflow(int_type character) {
  errno = 0;
  const int_type result = std::filebuf::overflow(character);
  if (result == traits_type::eof() && reason_ == 0) reason_ = errno;
  return result;
}

int ReasonKeepingFile::sync() {
  errno = 0;
  const int result = std::filebuf::sync();
  if (result != 0 && reason_ == 0) reason_ = errno;
  return result;
}

AtomicFile::AtomicFile(const std::string& path) : shown_(path) {
  std::error_code error;
  const auto resolved = std::filesystem::weakly_canonical(path, error);
  target_ = error ? path : resolved.string();
  struct stat status {};
  const bool there = stat(target_.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("cannot write");
  }
  if (there && S_ISREG(status.st_mode) && access(target_.c_str(), W_OK) != 0) fail("cannot write");
  if (!there || S_ISREG(status.st_mode)) {
    temporary_ = make_temporary(target_, there ? status.st_mode & 0777 : 0666);
    if (temporary_.empty()) fail("cannot write");
    slot_ = remember(temporary_);
  }
  errno = 0;
  if (file_.open(temporary_.empty() ? target_ : temporary_, std::ios::out | std::ios::binary | std::ios::trunc) ==
      nullptr) {
    const int reason = errno;
    if (!temporary_.empty()) unlink(temporary_.c_str());
    forget(slot_);
    errno = reason;
    fail("cannot write");
  }
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  forget(slot_);
}

void AtomicFile::commit() {
  stream_.flush();
  errno = file_.reason();
  if (!stream_ || file_.close() == nullptr) fail("not everything could be written to");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot write");
  temporary_.clear();
  forget(slot_);
  slot_ = -1;
}

void AtomicFile::fail(const std::string& what) const {
  throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), what + " " + shown_);
}

}  // namespace tilescope
