// Copies of buffers' memory, in the files memory/HASH.zst of the bundle. The same contents are stored once; what is
// zero is not stored.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bundle_files.h"
#include "hash.h"
#include "launch.h"

namespace tilescope::capture {

constexpr std::uint64_t kChunk = 64 * 1024;  // left out when all of it is zero
constexpr std::uint64_t kPiece = 1 << 20;    // the most that one file holds: at a multiple of it in the buffer

// A stretch of bytes that are not all zero, in whole chunks of `piece`.
struct Stretch {
  std::size_t begin = 0, end = 0;
  bool operator==(const Stretch& other) const { return begin == other.begin && end == other.end; }
};
std::vector<Stretch> stretches_of(std::string_view piece);

// A window of a buffer to copy.
struct Window {
  std::uint64_t begin = 0, end = 0;
};
// Which part of each buffer fits under the limit: all of the small ones first; of one that does not fit, from its
// lowest address asked for on. `asked`: the lowest offset that an argument points to, in the order of `places`.
std::vector<Window> windows_within(const std::vector<Allocation>& places, const std::vector<std::uint64_t>& asked,
                                   std::uint64_t limit);

class Contents {
 public:
  // Brings bytes of the device; false: it could not.
  using Copy = std::function<bool(void* to, std::uint64_t from, std::uint64_t bytes)>;
  // Sees what was copied.
  using See = std::function<void(std::string_view)>;

  // Stores the window of `buffer` and notes it there; what is stored is mixed into `identity`. Not to be called by two
  // threads at once.
  void store(const BundleFiles& files, Buffer& buffer, const Window& window, const Copy& copy, const See& see,
             Hash& identity);

 private:
  std::unordered_set<Hash> stored_;
};

}  // namespace tilescope::capture
