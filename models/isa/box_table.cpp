#include "models/isa/box_table.h"

#include <stdexcept>

namespace tilescope {

BoxTable::BoxTable() : chunks_(new std::unique_ptr<const BoxPattern*[]>[kMost / kChunk]) { intern({}); }

BoxId BoxTable::intern(const BoxPattern& box) {
  const std::scoped_lock lock(mutex_);
  const std::size_t next = size_.load(std::memory_order_relaxed);
  const auto [known, fresh] = known_.try_emplace(box, static_cast<BoxId>(next));
  if (!fresh) return known->second;
  if (next >= kMost) throw std::length_error("more than 1,048,576 distinct boxes of bulk copies");
  if (next % kChunk == 0) chunks_[next / kChunk] = std::make_unique<const BoxPattern*[]>(kChunk);
  chunks_[next / kChunk][next % kChunk] = &known->first;
  size_.store(next + 1, std::memory_order_release);
  return known->second;
}

}  // namespace tilescope
