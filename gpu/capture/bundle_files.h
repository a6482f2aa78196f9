// The files of a bundle while it is recorded. A file appears whole, by renaming, or grows by whole lines, each one
// write; so whatever ends the program leaves a bundle that can be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::capture {

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

 private:
  bool open_order_window();

  std::string directory_;
  // The end of "order" is mapped, so that a launch costs no system call; zeros behind the last line are cut off at the
  // end.
  int order_ = -1;
  char* window_ = nullptr;
  std::uint64_t window_begin_ = 0, used_ = 0, order_lines_ = 0;
};

// Cuts zero bytes off the end of "order", as an interrupted program leaves them.
void trim_order(const std::string& directory);

}  // namespace tilescope::capture
