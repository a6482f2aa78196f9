// Blocks by number, decompressed once for all streams that read them at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "traces/file/block.h"

namespace tilescope::trace {

// Keeps what some stream holds, and the latest few beyond that. Safe to use from several threads.
class BlockCache {
 public:
  explicit BlockCache(const TraceFile& file) : file_(file) {}

  // Throws TraceError.
  std::shared_ptr<const Block> block(std::size_t number);

 private:
  static constexpr std::size_t kLatest = 16;
  static constexpr std::size_t kSweepAfter = 256;  // loads between two searches for blocks that nobody holds

  const TraceFile& file_;
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::weak_ptr<const Block>> held_;
  std::array<std::shared_ptr<const Block>, kLatest> latest_;
  std::size_t loads_ = 0;
};

}  // namespace tilescope::trace
