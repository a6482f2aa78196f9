// What a kernel executes, for tests: counted without any model of time or caches, instructions per class, requests,
// sectors, wavefronts. Names follow Nsight Compute: a request is an executed global or shared instruction with at least
// one active lane.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engine_runs.h"
#include "models/access_cost.h"
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
  explicit StreamCounter(const Kernel& kernel)
      : kernel_(kernel), costs_(test::h200(), kernel.patterns()), stream_(kernel.make_stream()) {}
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
  SegmentCounts walk(const Segment& segment) const;
  void add_operand(StreamSummary& sum, OpClass op, const MemoryOperand& operand) const;

  const Kernel& kernel_;
  AccessCosts costs_;
  std::unique_ptr<WarpStream> stream_;
  std::vector<SegmentCounts> by_key_;
  StreamSummary other_;
};

inline void StreamCounter::add_operand(StreamSummary& sum, OpClass op, const MemoryOperand& operand) const {
  const LanePattern& pattern = costs_.pattern(operand);
  if (pattern.active == 0) return;
  const int lanes = std::popcount(pattern.active);
  switch (op) {
    case OpClass::global_load:
      ++sum.global_load_requests;
      sum.global_load_lanes += lanes;
      sum.global_load_sectors += costs_.footprint(operand).sectors;
      break;
    case OpClass::global_store:
      ++sum.global_store_requests;
      sum.global_store_lanes += lanes;
      sum.global_store_sectors += costs_.footprint(operand).sectors;
      break;
    case OpClass::shared_load:
      sum.shared_load_wavefronts += costs_.shared(operand, SharedOp::load).wavefronts;
      sum.shared_load_ideal += costs_.shared(operand, SharedOp::load).ideal;
      break;
    case OpClass::shared_store:
      sum.shared_store_wavefronts += costs_.shared(operand, SharedOp::store).wavefronts;
      sum.shared_store_ideal += costs_.shared(operand, SharedOp::store).ideal;
      break;
    default:
      break;
  }
}

inline std::int64_t StreamSummary::instructions() const {
  return std::accumulate(executed.begin(), executed.end(), std::int64_t{0});
}

inline void StreamSummary::add(const StreamSummary& other, std::int64_t times) {
  for (std::size_t op = 0; op < executed.size(); ++op) executed[op] += times * other.executed[op];
  global_load_requests += times * other.global_load_requests;
  global_load_sectors += times * other.global_load_sectors;
  global_load_lanes += times * other.global_load_lanes;
  global_store_requests += times * other.global_store_requests;
  global_store_sectors += times * other.global_store_sectors;
  global_store_lanes += times * other.global_store_lanes;
  shared_load_wavefronts += times * other.shared_load_wavefronts;
  shared_load_ideal += times * other.shared_load_ideal;
  shared_store_wavefronts += times * other.shared_store_wavefronts;
  shared_store_ideal += times * other.shared_store_ideal;
}

inline void StreamCounter::add_warp(std::int64_t cta, int warp) {
  stream_->start(cta, warp, Operands::all);
  for (Segment segment; stream_->next(segment);) {
    if (segment.key >= by_key_.size()) by_key_.resize(segment.key + 1);
    SegmentCounts& counts = by_key_[segment.key];
    if (counts.seen == 0 || segment.key == 0) {
      if (segment.key == 0) other_.add(counts.once, counts.seen);
      counts = walk(segment);
    }
    ++counts.seen;
    for (const auto& [position, op] : counts.global) add_operand(other_, op, segment.operands[position]);
  }
}

inline void StreamCounter::add_ctas(std::int64_t first, std::int64_t count) {
  const auto warps = static_cast<int>(kernel_.launch().warps_per_cta());
  for (std::int64_t cta = first; cta < first + count; ++cta)
    for (int warp = 0; warp < warps; ++warp) add_warp(cta, warp);
}

inline StreamSummary StreamCounter::total() const {
  StreamSummary sum = other_;
  for (const SegmentCounts& counts : by_key_) sum.add(counts.once, counts.seen);
  return sum;
}

inline StreamCounter::SegmentCounts StreamCounter::walk(const Segment& segment) const {
  SegmentCounts counts;
  std::uint32_t position = 0;
  for (std::uint32_t i = 0; i < segment.length; ++i) {
    const OpClass op = segment.code[i].op;
    ++counts.once.executed[static_cast<std::size_t>(op)];
    for (int n = memory_operands(op); n > 0; --n, ++position) {
      if (op == OpClass::global_load || op == OpClass::global_store)
        counts.global.emplace_back(position, op);
      else
        add_operand(counts.once, op, segment.operands[position]);
    }
  }
  return counts;
}

// The whole grid.
inline StreamSummary summarise(const Kernel& kernel) {
  StreamCounter counter(kernel);
  counter.add_ctas(0, kernel.launch().grid.count());
  return counter.total();
}

}  // namespace tilescope
