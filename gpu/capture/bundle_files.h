// The files of a bundle while it is recorded. A file appears whole, by renaming, or grows by whole lines, each one
// write; so whatever ends the program leaves a bundle that can be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::capture {

// A file that grows at its end, which is mapped: adding to it costs no system call, and what was added stays when the
// program crashes. Zeros behind the last byte are cut off when the program has ended.
class GrowingFile {
 public:
  bool open(const std::string& path);
  void append(std::string_view bytes);

 private:
  bool open_window();

  int file_ = -1;
  char* window_ = nullptr;
  std::uint64_t window_begin_ = 0, used_ = 0;
};

class BundleFiles {
 public:
  // Claims `directory`, which exists. The first process of a program takes it; each further one takes child-PID in it.
  // Empty: it could be; otherwise why not.
  std::string claim(const std::string& directory);

  const std::string& directory() const { return directory_; }
  bool write(const std::string& path, std::string_view contents) const;
  bool append(const std::string& path, std::string_view line) const;
  bool exists(const std::string& path) const;
  // A line of the file "order".
  void append_order(int id, int stream, bool is_graph);
  std::uint64_t order_lines() const { return order_lines_; }

  // One record of the file "journal" (journal.h).
  void append_journal(std::string_view record) { journal_.append(record); }

 private:
  std::string directory_;
  GrowingFile order_, journal_;
  std::uint64_t order_lines_ = 0;
};

// Cuts zero bytes off the end of "order", as an interrupted program leaves them.
void trim_order(const std::string& directory);

}  // namespace tilescope::capture
