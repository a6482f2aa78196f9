// What bulk and tensor copies move, as a base address plus a pattern: rows of bytes in global memory, in the order in
// which the copy walks through them. Interned, like lane patterns: a tiled kernel has a handful of them.
//
// Thread-safe: `intern` takes a lock; look-ups by id never do. Ids depend on the order of interning and must not reach
// any output.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tilescope {

struct BoxPattern {
  std::vector<std::int64_t> rows;  // byte, of each row's first byte from the base; rows outside the tensor are left out
  std::int64_t row_bytes = 0;      // of a row, as far as it lies inside the tensor
  std::int64_t bytes = 0;  // that the copy moves in shared memory, what is filled in for places outside included
  auto operator<=>(const BoxPattern&) const = default;
};

using BoxId = std::uint32_t;

class BoxTable {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 20U;  // distinct boxes

  BoxTable();
  BoxTable(const BoxTable&) = delete;
  BoxTable& operator=(const BoxTable&) = delete;

  // Box 0 is the empty one. Throws std::length_error beyond kMost.
  BoxId intern(const BoxPattern& box);
  const BoxPattern& box(BoxId id) const { return *chunks_[id / kChunk][id % kChunk]; }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t kChunk = 256;

  std::mutex mutex_;
  std::map<BoxPattern, BoxId> known_;
  std::unique_ptr<std::unique_ptr<const BoxPattern*[]>[]> chunks_;  // of keys of known_, which never move
  std::atomic<std::size_t> size_{0};
};

}  // namespace tilescope
