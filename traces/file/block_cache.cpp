#include "traces/file/block_cache.h"

#include <utility>

namespace tilescope::trace {

std::shared_ptr<const Block> BlockCache::block(std::size_t number) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = held_.find(number);
    if (found != held_.end())
      if (std::shared_ptr<const Block> block = found->second.lock()) return block;
  }
  auto loaded = std::make_shared<const Block>(file_, number);  // outside the lock: others may go on meanwhile
  std::shared_ptr<const Block> dropped;                        // freed after the lock
  const std::scoped_lock lock(mutex_);
  if (std::shared_ptr<const Block> theirs = held_[number].lock()) return theirs;
  held_[number] = loaded;
  dropped = std::exchange(latest_[loads_++ % kLatest], loaded);
  if (loads_ % kSweepAfter == 0) std::erase_if(held_, [](const auto& entry) { return entry.second.expired(); });
  return loaded;
}

}  // namespace tilescope::trace
