// What a kernel executes, counted without any model of time or caches: instructions per class, requests, sectors,
// wavefronts. Names follow Nsight Compute: a request is an executed global or shared instruction with at least one
// active lane.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/isa/kernel.h"

namespace tilescope {

struct StreamSummary {
  std::array<std::int64_t, kOpClasses> executed{};  // warp instructions per OpClass
  std::int64_t global_load_requests = 0, global_load_sectors = 0, global_load_lanes = 0;
  std::int64_t global_store_requests = 0, global_store_sectors = 0, global_store_lanes = 0;
  std::int64_t shared_load_wavefronts = 0, shared_load_ideal = 0;
  std::int64_t shared_store_wavefronts = 0, shared_store_ideal = 0;

  std::int64_t instructions() const;
  std::int64_t count(OpClass op) const { return executed[static_cast<std::size_t>(op)]; }
  // Adds `other` `times` times.
  void add(const StreamSummary& other, std::int64_t times = 1);
};

// Counts warps of one kernel. Segments with the same key are walked once; of the others only global operands are looked
// at. REQUIRES: the kernel outlives it. Not for use from several threads at once.
class StreamCounter {
 public:
  explicit StreamCounter(const Kernel& kernel) : kernel_(kernel), stream_(kernel.make_stream()) {}
  // One warp, first instruction to last.
  void add_warp(std::int64_t cta, int warp);
  // All warps of the CTAs [first, first + count).
  void add_ctas(std::int64_t first, std::int64_t count);
  StreamSummary total() const;

 private:
  struct SegmentCounts {
    StreamSummary once;                                     // all but global operands
    std::vector<std::pair<std::uint32_t, OpClass>> global;  // position of each global operand
    std::int64_t seen = 0;
  };
  static SegmentCounts walk(const Segment& segment, const PatternTable& patterns);

  const Kernel& kernel_;
  std::unique_ptr<WarpStream> stream_;
  std::vector<SegmentCounts> by_key_;
  StreamSummary other_;
};

// The whole grid.
StreamSummary summarise(const Kernel& kernel);

}  // namespace tilescope
