#include "traces/stream_summary.h"

#include <bit>
#include <numeric>

namespace tilescope {
namespace {

void add_operand(StreamSummary& sum, OpClass op, const MemoryOperand& operand, const PatternTable& patterns) {
  const LanePattern& pattern = patterns.pattern(operand.pattern);
  if (pattern.active == 0) return;
  const int lanes = std::popcount(pattern.active);
  switch (op) {
    case OpClass::global_load:
      ++sum.global_load_requests;
      sum.global_load_lanes += lanes;
      sum.global_load_sectors += patterns.footprint(operand.pattern, operand.base).sectors;
      break;
    case OpClass::global_store:
      ++sum.global_store_requests;
      sum.global_store_lanes += lanes;
      sum.global_store_sectors += patterns.footprint(operand.pattern, operand.base).sectors;
      break;
    case OpClass::shared_load:
      sum.shared_load_wavefronts += patterns.shared_cost(operand.pattern, SharedOp::load).wavefronts;
      sum.shared_load_ideal += patterns.shared_cost(operand.pattern, SharedOp::load).ideal;
      break;
    case OpClass::shared_store:
      sum.shared_store_wavefronts += patterns.shared_cost(operand.pattern, SharedOp::store).wavefronts;
      sum.shared_store_ideal += patterns.shared_cost(operand.pattern, SharedOp::store).ideal;
      break;
    default:
      break;
  }
}

}  // namespace

std::int64_t StreamSummary::instructions() const {
  return std::accumulate(executed.begin(), executed.end(), std::int64_t{0});
}

void StreamSummary::add(const StreamSummary& other, std::int64_t times) {
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

void StreamCounter::add_warp(std::int64_t cta, int warp) {
  stream_->start(cta, warp, Operands::all);
  for (Segment segment; stream_->next(segment);) {
    if (segment.key >= by_key_.size()) by_key_.resize(segment.key + 1);
    SegmentCounts& counts = by_key_[segment.key];
    if (counts.seen == 0 || segment.key == 0) {
      if (segment.key == 0) other_.add(counts.once, counts.seen);
      counts = walk(segment, kernel_.patterns());
    }
    ++counts.seen;
    for (const auto& [position, op] : counts.global)
      add_operand(other_, op, segment.operands[position], kernel_.patterns());
  }
}

void StreamCounter::add_ctas(std::int64_t first, std::int64_t count) {
  const auto warps = static_cast<int>(kernel_.launch().warps_per_cta());
  for (std::int64_t cta = first; cta < first + count; ++cta)
    for (int warp = 0; warp < warps; ++warp) add_warp(cta, warp);
}

StreamSummary StreamCounter::total() const {
  StreamSummary sum = other_;
  for (const SegmentCounts& counts : by_key_) sum.add(counts.once, counts.seen);
  return sum;
}

StreamCounter::SegmentCounts StreamCounter::walk(const Segment& segment, const PatternTable& patterns) {
  SegmentCounts counts;
  std::uint32_t position = 0;
  for (std::uint32_t i = 0; i < segment.length; ++i) {
    const OpClass op = segment.code[i].op;
    ++counts.once.executed[static_cast<std::size_t>(op)];
    for (int n = memory_operands(op); n > 0; --n, ++position) {
      if (op == OpClass::global_load || op == OpClass::global_store)
        counts.global.emplace_back(position, op);
      else
        add_operand(counts.once, op, segment.operands[position], patterns);
    }
  }
  return counts;
}

StreamSummary summarise(const Kernel& kernel) {
  StreamCounter counter(kernel);
  counter.add_ctas(0, kernel.launch().grid.count());
  return counter.total();
}

}  // namespace tilescope
