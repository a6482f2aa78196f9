#include "zstd_frame.h"

#include <dlfcn.h>

#include <algorithm>

namespace tilescope::capture {
namespace {

constexpr std::size_t kBlockBytes = 128 * 1024;  // the largest block of the format

struct Library {
  std::size_t (*bound)(std::size_t) = nullptr;
  std::size_t (*compress)(void*, std::size_t, const void*, std::size_t, int) = nullptr;
  unsigned (*is_error)(std::size_t) = nullptr;

  Library() {
    void* handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return;
    bound = reinterpret_cast<decltype(bound)>(dlsym(handle, "ZSTD_compressBound"));
    is_error = reinterpret_cast<decltype(is_error)>(dlsym(handle, "ZSTD_isError"));
    if (bound != nullptr && is_error != nullptr)
      compress = reinterpret_cast<decltype(compress)>(dlsym(handle, "ZSTD_compress"));
  }
};

void append_number(std::string& text, std::uint64_t value, int bytes) {
  for (int byte = 0; byte < bytes; ++byte) text.push_back(static_cast<char>(value >> (8 * byte)));
}

}  // namespace

std::string plain_zstd_frame(std::string_view contents) {
  std::string frame;
  append_number(frame, 0xfd2fb528, 4);
  append_number(frame, 0xe0, 1);  // one segment, whose size takes eight bytes; no checksum
  append_number(frame, contents.size(), 8);
  do {
    const std::string_view block = contents.substr(0, kBlockBytes);
    contents.remove_prefix(block.size());
    const bool repeats = block.size() > 1 && block.find_first_not_of(block[0]) == std::string_view::npos;
    append_number(frame, (block.size() << 3U) | (repeats ? 2U : 0U) | (contents.empty() ? 1U : 0U), 3);
    frame.append(repeats ? block.substr(0, 1) : block);
  } while (!contents.empty());
  return frame;
}

std::string zstd_frame(std::string_view contents, int level) {
  static const Library library;
  if (library.compress != nullptr) {
    std::string frame(library.bound(contents.size()), '\0');
    const std::size_t size = library.compress(frame.data(), frame.size(), contents.data(), contents.size(), level);
    if (library.is_error(size) == 0) {
      frame.resize(size);
      return frame;
    }
  }
  return plain_zstd_frame(contents);
}

}  // namespace tilescope::capture
