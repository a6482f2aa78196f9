#include "sim/engine/traffic_memo.h"

#include <unordered_map>
#include <vector>

#include "models/pipes.h"
#include "models/support/content_hash.h"
#include "models/support/spec_hash.h"
#include "sim/engine/counting/segment_totals.h"

namespace tilescope {
namespace {

constexpr std::int64_t kCtasPerCheck = 256;  // CTAs

std::uint64_t content_hash_of(const LanePattern& pattern) {
  ContentHash hash;
  for (const std::int64_t offset : pattern.offset) hash.add(static_cast<std::uint64_t>(offset));
  hash.add(pattern.active);
  hash.add(pattern.bytes);
  return hash.digest()[0];
}

class Surveyor {
 public:
  Surveyor(const GpuSpec& gpu, const Kernel& kernel)
      : gpu_(gpu), kernel_(kernel), costs_(gpu, kernel.patterns()), pipes_(gpu) {}

  std::optional<LaunchSurvey> survey(const Occupancy& occupancy, unsigned thin_shift,
                                     const std::function<void()>& check) {
    hash_.add(config_hash(spec_tree(gpu_)));
    hash_.add(thin_shift);
    hash_.add(static_cast<std::uint64_t>(occupancy.ctas_per_sm));
    hash_.add(static_cast<std::uint64_t>(occupancy.l1_kib));
    const std::int64_t ctas = kernel_.launch().grid.count();
    const auto warps = static_cast<int>(kernel_.launch().warps_per_cta());
    hash_.add(static_cast<std::uint64_t>(ctas));
    hash_.add(static_cast<std::uint64_t>(warps));
    const auto stream = kernel_.make_stream();
    for (std::int64_t cta = 0; cta < ctas; ++cta) {
      if (cta % kCtasPerCheck == 0) check();
      for (int warp = 0; warp < warps; ++warp)
        if (!add_warp(*stream, cta, warp)) return std::nullopt;
    }
    LaunchSurvey survey{hash_.digest(), {}};
    for (const auto& [key, kind] : kinds_) kind.totals.add_to(survey.segments, kind.times);
    return survey;
  }

 private:
  struct Kind {  // segments with one key
    SegmentTotals totals;
    std::uint64_t hash = 0;
    std::uint64_t times = 0;
  };

  bool add_warp(WarpStream& stream, std::int64_t cta, int warp) {
    stream.start(cta, warp, Operands::global);
    std::uint32_t steps = 0;
    for (Segment segment; stream.next(segment);) {
      ++steps;
      if (segment.key == 0) return false;
      Kind& kind = kind_of(segment, cta, warp, steps);
      ++kind.times;
      hash_.add(kind.hash);
      for (const LineAccess& access : kind.totals.lines) {
        const MemoryOperand& operand = segment.operands[access.operand];
        hash_.add(operand.base ^ pattern_hash(operand.pattern));
      }
    }
    hash_.add(steps);
    return true;
  }

  Kind& kind_of(const Segment& segment, std::int64_t cta, int warp, std::uint32_t steps) {
    if (segment.key == last_key_) return *last_kind_;
    const auto [known, fresh] = kinds_.try_emplace(segment.key);
    if (fresh) known->second = made(segment, cta, warp, steps);
    last_key_ = segment.key;
    last_kind_ = &known->second;
    return *last_kind_;
  }

  // The first segment of its kind, with all operands.
  Kind made(const Segment& segment, std::int64_t cta, int warp, std::uint32_t steps) {
    Segment whole = segment;
    const auto probe = kernel_.make_stream();
    if (!segment.complete) {
      probe->start(cta, warp, Operands::all);
      for (std::uint32_t i = 0; i < steps; ++i) probe->next(whole);
    }
    Kind kind{totals_of(whole, costs_, pipes_, gpu_), 0, 0};
    ContentHash hash;
    hash.add(static_cast<std::uint64_t>(kind.totals.busy));
    hash.add(static_cast<std::uint64_t>(kind.totals.alone));
    hash.add(static_cast<std::uint64_t>(kind.totals.slack));
    hash.add(kind.totals.loads_lines ? 1 : 0);
    hash.add(kind.totals.instructions[static_cast<std::size_t>(OpClass::barrier)]);
    for (const LineAccess& access : kind.totals.lines) {
      const Instruction& instruction = segment.code[access.position];
      hash.add(4 * static_cast<unsigned>(access.access) + 2 * instruction.cached + (instruction.whole_line() ? 1 : 0));
    }
    kind.hash = hash.digest()[0];
    return kind;
  }

  std::uint64_t pattern_hash(PatternId id) {
    if (id >= patterns_.size()) patterns_.resize(id + 1, 0);
    if (patterns_[id] == 0) patterns_[id] = content_hash_of(kernel_.patterns().pattern(id)) | 1U;
    return patterns_[id];
  }

  const GpuSpec& gpu_;
  const Kernel& kernel_;
  AccessCosts costs_;
  PipeTable pipes_;
  ContentHash hash_;
  std::unordered_map<std::uint32_t, Kind> kinds_;
  std::uint32_t last_key_ = 0;
  Kind* last_kind_ = nullptr;
  std::vector<std::uint64_t> patterns_;  // by id; 0: not yet worked out
};

}  // namespace

std::optional<LaunchSurvey> survey_launch(const GpuSpec& gpu, const Kernel& kernel, const Occupancy& occupancy,
                                          unsigned thin_shift, const std::function<void()>& check) {
  return Surveyor(gpu, kernel).survey(occupancy, thin_shift, check);
}

std::optional<TrafficMemo::Traffic> TrafficMemo::find(const TrafficKey& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void TrafficMemo::add(const TrafficKey& key, const Traffic& traffic) {
  const std::scoped_lock lock(mutex_);
  known_[key] = traffic;
}

}  // namespace tilescope
