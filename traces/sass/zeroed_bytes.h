// Bytes that are zero at first, and again after clear(). Those that nobody writes take no memory of the host, and no
// time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tilescope::sass {

class ZeroedBytes {
 public:
  explicit ZeroedBytes(std::size_t size) : bytes_(allocate(size), Free{size}), size_(size) {}

  std::size_t size() const { return size_; }
  const std::uint8_t* data() const { return bytes_.get(); }
  // Where `bytes` at `offset` may be written. REQUIRES: they lie inside.
  std::uint8_t* to_write(std::size_t offset, std::size_t bytes) {
    written_ |= part_of(offset) | part_of(offset + bytes - 1);
    return bytes_.get() + offset;
  }
  void clear() {
    for (; written_ != 0; written_ &= written_ - 1) {
      const auto part = static_cast<std::size_t>(std::countr_zero(written_));
      const std::size_t first = part * kPart, end = part == kParts - 1 ? size_ : std::min(size_, first + kPart);
      std::memset(bytes_.get() + first, 0, end - first);
    }
  }

 private:
  static constexpr std::size_t kPart = 4096, kParts = 64;  // the last part is all the rest
  static std::uint64_t part_of(std::size_t offset) { return std::uint64_t{1} << std::min(offset / kPart, kParts - 1); }

  struct Free {
    std::size_t size = 0;
    void operator()(std::uint8_t* bytes) const {
#ifdef __linux__
      munmap(bytes, std::max<std::size_t>(size, 1));
#else
      std::free(bytes);
#endif
    }
  };
  static std::uint8_t* allocate(std::size_t size) {
    size = std::max<std::size_t>(size, 1);
#ifdef __linux__
    void* const bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) throw std::bad_alloc();
#else
    void* const bytes = std::calloc(size, 1);
    if (bytes == nullptr) throw std::bad_alloc();
#endif
    return static_cast<std::uint8_t*>(bytes);
  }

  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t size_;
  std::uint64_t written_ = 0;  // a bit for each part
};

}  // namespace tilescope::sass
