// Bytes that are zero at first. Those that nobody writes take no memory of the host, and no time.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace tilescope::sass {

class ZeroedBytes {
 public:
  explicit ZeroedBytes(std::size_t size)
      : bytes_(static_cast<std::uint8_t*>(std::calloc(size != 0 ? size : 1, 1))), size_(size) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }
  std::uint8_t* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  void clear() { std::memset(bytes_.get(), 0, size_); }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t size_;
};

}  // namespace tilescope::sass
