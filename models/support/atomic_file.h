// A file that appears whole or not at all: written beside its place, moved there by commit().
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace tilescope {

// A file buffer that keeps the reason of its first failure: a stream forgets it.
class ReasonKeepingFile : public std::filebuf {
 public:
  int reason() const { return reason_; }  // an errno, 0: none

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  int reason_ = 0;
};

class AtomicFile {
 public:
  // Throws std::system_error, with the path in what(), when the file cannot be made. A path that is there and is no
  // regular file (a pipe, /dev/null) is written in place.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();  // without commit(): as if nothing had been written
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }

  // Throws std::system_error when not everything could be written; the old file, if any, is then untouched.
  void commit();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string shown_;      // as the user named it
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty: written in place
  int slot_ = -1;          // in the list of unfinished files
  ReasonKeepingFile file_;
  std::ostream stream_{&file_};
};

// Removes the temporary files of every AtomicFile not yet committed. Async-signal-safe: for the handler that ends the
// program.
void remove_unfinished_files() noexcept;

}  // namespace tilescope
