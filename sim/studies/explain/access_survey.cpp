#include "sim/studies/explain/access_survey.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "models/support/units.h"

namespace tilescope::explain {
namespace {

constexpr auto kSector = static_cast<std::uint64_t>(kSectorBytes);

// An operand that occurs often is worked out once.
struct KnownCost {
  std::int64_t cost = 0, ideal = 0;
};

class Surveyor {
 public:
  Surveyor(const GpuSpec& gpu, const Kernel& kernel)
      : kernel_(kernel), banks_(gpu.shared), stream_(kernel.make_stream()), first_(kernel.code().size() + 1) {
    for (std::size_t i = 0; i < kernel.code().size(); ++i)
      first_[i + 1] = first_[i] + static_cast<std::size_t>(memory_operands(kernel.code()[i].op));
    all_.resize(first_.back());
    distinct_.resize(first_.back());
    for (std::size_t i = 0; i < kernel.code().size(); ++i)
      for (int n = 0; n < memory_operands(kernel.code()[i].op); ++n) {
        SurveyedAccess& access = all_[first_[i] + static_cast<std::size_t>(n)];
        access.instruction = i;
        access.kind = access_of(kernel.code()[i].op, n);
      }
  }

  // Accesses of warps it met.
  std::uint64_t cta(std::int64_t number, std::uint64_t most) {
    std::uint64_t met = 0;
    for (int warp = 0; warp < kernel_.launch().warps_per_cta() && met <= most; ++warp) {
      stream_->start(number, warp, Operands::all);
      for (Segment segment; stream_->next(segment);) {
        std::size_t operand = 0;
        for (std::uint32_t i = 0; i < segment.length; ++i)
          for (int n = 0; n < memory_operands(segment.code[i].op); ++n, ++operand)
            meet(static_cast<std::size_t>(&segment.code[i] - kernel_.code().data()), n, segment.operands[operand]);
        met += operand;
      }
    }
    return met;
  }

  std::vector<SurveyedAccess> taken() {
    std::vector<SurveyedAccess> kept;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].times == 0) continue;
      const SharedOp op = is_load(all_[i].kind) ? SharedOp::load : SharedOp::store;
      for (const auto& [operand, times] : distinct_[i])
        all_[i].shared.push_back({operand.first, kernel_.patterns().pattern(operand.second), op, times});
      kept.push_back(std::move(all_[i]));
    }
    return kept;
  }

 private:
  void meet(std::size_t instruction, int index, const MemoryOperand& operand) {
    if (operand.pattern == 0) return;
    const std::size_t at = first_[instruction] + static_cast<std::size_t>(index);
    SurveyedAccess& access = all_[at];
    if (is_local(access.kind) || is_atomic(access.kind) || access.kind == AccessKind::shared_atomic) return;
    const bool shared = is_shared(access.kind);
    const std::uint64_t place = shared ? operand.base % 4 : operand.base % kSector;
    const auto [known, is_new] =
        known_[shared ? (is_load(access.kind) ? 0 : 1) : 2].try_emplace(place << 32U | operand.pattern);
    if (is_new) known->second = cost_of(access.kind, operand);
    const KnownCost cost = known->second;
    ++access.times;
    access.cost += static_cast<std::uint64_t>(cost.cost);
    access.ideal += static_cast<std::uint64_t>(cost.ideal);
    const LanePattern& pattern = kernel_.patterns().pattern(operand.pattern);
    access.bytes = std::max<int>(access.times == 1 ? 0 : access.bytes, pattern.bytes);
    if (access.times == 1 || cost.cost - cost.ideal > access.worst.cost - access.worst.ideal)
      access.worst = {operand.base, pattern, cost.cost, cost.ideal};
    if (!shared) return;
    auto& distinct = distinct_[at];
    const auto found = distinct.find({operand.base, operand.pattern});
    if (found != distinct.end())
      ++found->second;
    else if (distinct.size() < SurveyedAccess::kMostDistinct)
      distinct[{operand.base, operand.pattern}] = 1;
  }

  KnownCost cost_of(AccessKind kind, const MemoryOperand& operand) const {
    const LanePattern& pattern = kernel_.patterns().pattern(operand.pattern);
    if (!is_shared(kind)) return {sectors_of(pattern, operand.base), fewest_sectors(pattern)};
    const BankCost cost = banks_.cost(pattern, is_load(kind) ? SharedOp::load : SharedOp::store, operand.base);
    return {cost.wavefronts, cost.ideal};
  }

  const Kernel& kernel_;
  SharedBanks banks_;
  std::unique_ptr<WarpStream> stream_;
  std::vector<std::size_t> first_;  // of an instruction, in all_
  std::vector<SurveyedAccess> all_;
  std::vector<std::map<std::pair<std::uint64_t, PatternId>, std::uint64_t>> distinct_;
  std::array<std::unordered_map<std::uint64_t, KnownCost>, 3> known_;  // shared loads, stores, global
};

// What is done to an array, wherever it lies: kinds of accesses and their patterns.
std::vector<std::pair<AccessKind, LanePattern>> habits(const SharedArray& array,
                                                       const std::vector<SurveyedAccess>& accesses) {
  std::vector<std::pair<AccessKind, LanePattern>> all;
  for (const std::size_t i : array.accesses)
    for (const SharedAccess& one : accesses[i].shared) {
      const std::pair<AccessKind, LanePattern> habit{accesses[i].kind, one.pattern};
      if (std::find(all.begin(), all.end(), habit) == all.end()) all.push_back(habit);
    }
  return all;
}

// Unrolled code has an instruction for each row: neighbours with equal habits are rows of one array.
std::vector<SharedArray> joined(std::vector<SharedArray> parts, const std::vector<SurveyedAccess>& accesses) {
  std::vector<SharedArray> arrays;
  std::vector<std::pair<AccessKind, LanePattern>> of_last;
  for (SharedArray& part : parts) {
    auto own = habits(part, accesses);
    const bool alike = !arrays.empty() && arrays.back().to == part.from && own.size() == of_last.size() &&
                       std::is_permutation(own.begin(), own.end(), of_last.begin());
    if (alike) {
      SharedArray& last = arrays.back();
      last.to = part.to;
      last.accesses.insert(last.accesses.end(), part.accesses.begin(), part.accesses.end());
    } else {
      arrays.push_back(std::move(part));
      of_last = std::move(own);
    }
  }
  return arrays;
}

// Arrays: accesses whose bytes overlap belong to one.
std::vector<SharedArray> arrays_of(std::vector<SurveyedAccess>& accesses, std::uint64_t end) {
  std::vector<SharedArray> arrays;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!is_shared(accesses[i].kind)) continue;
    SharedArray one{~std::uint64_t{0}, 0, 0, 1, {i}};
    for (const SharedAccess& access : accesses[i].shared)
      for (int lane = 0; lane < kLanes; ++lane) {
        if (!access.pattern.is_active(lane)) continue;
        const std::uint64_t at =
            access.base + static_cast<std::uint64_t>(access.pattern.offset[static_cast<std::size_t>(lane)]);
        one.from = std::min(one.from, at);
        one.to = std::max(one.to, at + access.pattern.bytes);
        one.widest = std::max<int>(one.widest, access.pattern.bytes);
      }
    if (!accesses[i].shared.empty()) arrays.push_back(std::move(one));
  }
  std::sort(arrays.begin(), arrays.end(), [](const SharedArray& a, const SharedArray& b) { return a.from < b.from; });
  std::vector<SharedArray> merged;
  for (SharedArray& one : arrays) {
    if (merged.empty() || one.from >= merged.back().to) {
      merged.push_back(std::move(one));
      continue;
    }
    SharedArray& last = merged.back();
    last.to = std::max(last.to, one.to);
    last.widest = std::max(last.widest, one.widest);
    last.accesses.insert(last.accesses.end(), one.accesses.begin(), one.accesses.end());
  }
  merged = joined(std::move(merged), accesses);
  for (std::size_t a = 0; a < merged.size(); ++a) {
    merged[a].room = a + 1 < merged.size() ? merged[a + 1].from : std::max(end, merged[a].to);
    std::sort(merged[a].accesses.begin(), merged[a].accesses.end());
    for (const std::size_t access : merged[a].accesses) accesses[access].array = static_cast<int>(a);
  }
  return merged;
}

}  // namespace

std::int64_t sectors_of(const LanePattern& pattern, std::uint64_t base) {
  std::set<std::uint64_t> sectors;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!pattern.is_active(lane)) continue;
    const std::uint64_t at = base + static_cast<std::uint64_t>(pattern.offset[static_cast<std::size_t>(lane)]);
    for (std::uint64_t s = at / kSector; s <= (at + pattern.bytes - 1) / kSector; ++s) sectors.insert(s);
  }
  return static_cast<std::int64_t>(sectors.size());
}

std::int64_t distinct_bytes(const LanePattern& pattern) {
  std::set<std::int64_t> addresses;
  for (int lane = 0; lane < kLanes; ++lane)
    if (pattern.is_active(lane)) addresses.insert(pattern.offset[static_cast<std::size_t>(lane)]);
  std::int64_t bytes = 0, end = 0;
  bool first = true;
  for (const std::int64_t at : addresses) {
    const std::int64_t from = first ? at : std::max(at, end);
    bytes += std::max<std::int64_t>(0, at + pattern.bytes - from);
    end = at + pattern.bytes;
    first = false;
  }
  return bytes;
}

std::int64_t fewest_sectors(const LanePattern& pattern) {
  return (distinct_bytes(pattern) + kSectorBytes - 1) / kSectorBytes;
}

Survey survey(const GpuSpec& gpu, const Kernel& kernel, std::uint64_t most_accesses) {
  Surveyor surveyor(gpu, kernel);
  const std::int64_t ctas = kernel.launch().grid.count();
  const std::uint64_t first = std::max<std::uint64_t>(1, surveyor.cta(0, most_accesses));
  const auto affordable = static_cast<std::int64_t>(std::max<std::uint64_t>(1, most_accesses / first));
  constexpr std::int64_t kEnough = 8;
  const std::int64_t walked = std::min({ctas, affordable, kEnough});
  for (std::int64_t i = 1; i < walked; ++i) surveyor.cta(i * (ctas / walked), most_accesses);
  Survey all;
  all.ctas = walked;
  all.accesses = surveyor.taken();
  const Launch& launch = kernel.launch();
  all.arrays =
      arrays_of(all.accesses, static_cast<std::uint64_t>(launch.static_smem_bytes + launch.dynamic_smem_bytes));
  return all;
}

}  // namespace tilescope::explain
