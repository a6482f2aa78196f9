// A regular file that is read at any place, by several threads at once, without being held in memory.
#pragma once

#include <cstdint>
#include <string>

namespace tilescope::trace {

class InputFile {
 public:
  // Throws TraceError when `path` is missing, unreadable or not a regular file.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // byte, when it was opened
  // REQUIRES: [offset, offset + bytes) lies inside the file. Throws TraceError when the file has become shorter
  // meanwhile.
  std::string read(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace tilescope::trace
