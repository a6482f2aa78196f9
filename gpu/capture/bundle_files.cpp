#include "bundle_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace tilescope::capture {
namespace {

constexpr std::uint64_t kWindow = 1 << 20;

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::string BundleFiles::claim(const std::string& directory) {
  directory_ = directory;
  const std::string own = std::to_string(getpid());
  int claim = open((directory + "/recorder").c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (claim < 0 && errno == EEXIST) {
    directory_ = directory + "/child-" + own;
    if (mkdir(directory_.c_str(), 0755) != 0) return "cannot make " + directory_ + ": " + std::strerror(errno);
    claim = open((directory_ + "/recorder").c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  }
  if (claim < 0) return "cannot write into " + directory_ + ": " + std::strerror(errno);
  write_all(claim, own + "\n");
  close(claim);
  for (const char* folder : {"/launches", "/code", "/memory"}) mkdir((directory_ + folder).c_str(), 0755);
  if (!order_.open(directory_ + "/order") || !journal_.open(directory_ + "/journal"))
    return "cannot write into " + directory_ + ": " + std::strerror(errno);
  return {};
}

bool BundleFiles::write(const std::string& path, std::string_view contents) const {
  static std::atomic<unsigned> number{0};
  const std::string final_path = directory_ + "/" + path;
  const std::string other = final_path + ".part" + std::to_string(number++);
  const int file = open(other.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool written = write_all(file, contents);
  close(file);
  if (written && rename(other.c_str(), final_path.c_str()) == 0) return true;
  unlink(other.c_str());
  return false;
}

bool BundleFiles::append(const std::string& path, std::string_view line) const {
  const int file = ::open((directory_ + "/" + path).c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool written = write_all(file, line);
  close(file);
  return written;
}

bool BundleFiles::exists(const std::string& path) const { return access((directory_ + "/" + path).c_str(), F_OK) == 0; }

bool GrowingFile::open(const std::string& path) {
  file_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  return file_ >= 0;
}

bool GrowingFile::open_window() {
  if (window_ != nullptr) munmap(window_, kWindow);
  window_ = nullptr;
  window_begin_ = used_ / kWindow * kWindow;
  // Without room on the disk a mapped write would end the program.
  if (posix_fallocate(file_, static_cast<off_t>(window_begin_), kWindow) != 0) return false;
  void* mapped = mmap(nullptr, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(window_begin_));
  if (mapped != MAP_FAILED) window_ = static_cast<char*>(mapped);
#ifdef MADV_POPULATE_WRITE  // one call instead of a page fault for every few launches
  if (window_ != nullptr) madvise(window_, kWindow, MADV_POPULATE_WRITE);
#endif
  return window_ != nullptr;
}

void GrowingFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (window_ == nullptr || used_ - window_begin_ >= kWindow) {
      if (!open_window()) {
        const ssize_t count = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(used_));
        if (count > 0) used_ += static_cast<std::uint64_t>(count);
        return;
      }
    }
    const std::string_view part = bytes.substr(0, kWindow - (used_ - window_begin_));
    std::memcpy(window_ + (used_ - window_begin_), part.data(), part.size());
    used_ += part.size();
    bytes.remove_prefix(part.size());
  }
}

void BundleFiles::append_order(int id, int stream, bool is_graph) {
  ++order_lines_;
  char line[48];
  char* end = std::to_chars(line, line + 20, id).ptr;
  *end++ = ' ';
  end = std::to_chars(end, end + 20, stream).ptr;
  const std::string_view rest = is_graph ? " graph\n" : "\n";
  end = std::copy(rest.begin(), rest.end(), end);
  order_.append({line, static_cast<std::size_t>(end - line)});
}

void trim_order(const std::string& directory) {
  const int file = open((directory + "/order").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  off_t end = lseek(file, 0, SEEK_END);
  char part[4096];
  while (end > 0) {
    const off_t from = end > static_cast<off_t>(sizeof part) ? end - static_cast<off_t>(sizeof part) : 0;
    ssize_t count = pread(file, part, static_cast<std::size_t>(end - from), from);
    if (count <= 0) break;
    while (count > 0 && part[count - 1] != '\n') --count;
    end = from + count;
    if (count > 0) break;
  }
  (void)!ftruncate(file, end);
  close(file);
}

}  // namespace tilescope::capture
