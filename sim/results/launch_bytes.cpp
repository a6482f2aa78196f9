#include "sim/results/launch_bytes.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <unordered_map>
#include <unordered_set>

#include "models/support/units.h"

namespace tilescope {
namespace {

// Sectors that were touched, by pages.
class TouchedSectors {
 public:
  void touch(std::uint64_t address, std::uint64_t bytes) {
    const auto sector = static_cast<std::uint64_t>(kSectorBytes);
    for (std::uint64_t s = address / sector; s <= (address + bytes - 1) / sector; ++s) {
      const std::uint64_t page = s / kPage;
      if (page != page_ || bits_ == nullptr) {
        page_ = page;
        bits_ = &pages_[page];
      }
      bits_->set(s % kPage);
    }
  }
  double bytes() const {
    double sectors = 0;
    for (const auto& [page, bits] : pages_) sectors += static_cast<double>(bits.count());
    return sectors * static_cast<double>(kSectorBytes);
  }
  double bytes_in_pairs() const {
    std::size_t pairs = 0;
    for (const auto& [page, bits] : pages_)
      for (std::size_t i = 0; i < kPage; i += 2) pairs += bits[i] || bits[i + 1] ? 1 : 0;
    return static_cast<double>(pairs) * 2 * static_cast<double>(kSectorBytes);
  }

 private:
  static constexpr std::uint64_t kPage = 4096;
  std::unordered_map<std::uint64_t, std::bitset<kPage>> pages_;  // whose values never move
  std::uint64_t page_ = 0;
  std::bitset<kPage>* bits_ = nullptr;
};

// An access with its repetitions: equal ones touch the same sectors.
struct AccessRun {
  std::uint64_t base = 0;
  std::int64_t advance = 0;
  std::uint32_t repeats = 0;
  PatternId pattern = 0;
  bool operator==(const AccessRun&) const = default;
};
struct AccessRunHash {
  std::size_t operator()(const AccessRun& run) const {
    std::uint64_t h = run.base * 0x9e3779b97f4a7c15U;
    h = (h ^ static_cast<std::uint64_t>(run.advance) ^ std::uint64_t{run.pattern} << 32U ^ run.repeats) *
        0xff51afd7ed558ccdU;
    return static_cast<std::size_t>(h ^ h >> 29U);
  }
};

bool reads(AccessKind kind) { return is_load(kind) || is_atomic(kind) || kind == AccessKind::shared_atomic; }
bool writes(AccessKind kind) { return !is_load(kind) || is_atomic(kind) || kind == AccessKind::shared_atomic; }

class LaunchWalk {
 public:
  explicit LaunchWalk(const Kernel& kernel) : kernel_(kernel), stream_(kernel.make_stream()) {}

  // Accesses of warps it met.
  std::uint64_t cta(std::int64_t number) {
    std::uint64_t met = 0;
    for (std::int64_t warp = 0; warp < kernel_.launch().warps_per_cta(); ++warp) {
      stream_->start(number, static_cast<int>(warp), Operands::all);
      for (Segment segment; stream_->next_run(segment);) met += walk(segment);
    }
    return met;
  }

  LaunchBytes bytes;
  TouchedSectors read, written;

 private:
  std::uint64_t walk(const Segment& segment) {
    std::size_t operand = 0;
    const AsyncOperand* asynchronous = segment.asynchronous;
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      const OpClass op = segment.code[i].op;
      for (int n = 0; n < memory_operands(op); ++n, ++operand)
        access(access_of(op, n), segment, operand, segment.code[i].op);
      if (!takes_async_operands(op) || asynchronous == nullptr) continue;
      for (bool more = true; more; ++asynchronous) {
        bulk(op, *asynchronous, segment.repeats);
        more = asynchronous->more != 0;
      }
    }
    return operand;
  }

  void access(AccessKind kind, const Segment& segment, std::size_t index, OpClass op) {
    const MemoryOperand& operand = segment.operands[index];
    const LanePattern& pattern = kernel_.patterns().pattern(operand.pattern);
    if (pattern.active == 0) return;
    const double asked = static_cast<double>(std::popcount(pattern.active)) * pattern.bytes * segment.repeats;
    if (is_shared(kind)) {
      if (reads(kind)) bytes.shared_read += asked;
      if (writes(kind)) bytes.shared_written += asked;
      return;
    }
    if (kind == AccessKind::none || op == OpClass::prefetch) return;
    if (reads(kind)) bytes.global_read += asked;
    if (writes(kind)) bytes.global_written += asked;
    if (is_local(kind)) return;  // lies in caches, or need not exist
    const AccessRun run{operand.base, segment.repeats > 1 ? segment.advance[index] : 0, segment.repeats,
                        operand.pattern};
    if (reads(kind) && seen_read_.insert(run).second) touch(read, run, pattern);
    if (writes(kind) && seen_written_.insert(run).second) touch(written, run, pattern);
  }

  static void touch(TouchedSectors& sectors, const AccessRun& run, const LanePattern& pattern) {
    for (std::uint32_t i = 0; i < run.repeats; ++i) {
      const std::uint64_t base = run.base + static_cast<std::uint64_t>(run.advance) * i;
      for (int lane = 0; lane < kLanes; ++lane)
        if (pattern.is_active(lane))
          sectors.touch(base + static_cast<std::uint64_t>(pattern.offset[static_cast<std::size_t>(lane)]),
                        pattern.bytes);
    }
  }

  void bulk(OpClass op, const AsyncOperand& operand, std::uint32_t repeats) {
    const bool load = op == OpClass::bulk_load;
    if (!load && op != OpClass::bulk_store && op != OpClass::bulk_reduction) return;
    const BoxPattern& box = kernel_.patterns().boxes.box(operand.box);
    const double moved = static_cast<double>(box.rows.size()) * static_cast<double>(box.row_bytes) * repeats;
    (load ? bytes.global_read : bytes.global_written) += moved;
    (load ? bytes.shared_written : bytes.shared_read) += static_cast<double>(box.bytes) * repeats;
    if (box.row_bytes <= 0) return;
    for (const std::int64_t row : box.rows)
      (load ? read : written)
          .touch(operand.address + static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(box.row_bytes));
  }

  const Kernel& kernel_;
  std::unique_ptr<WarpStream> stream_;
  std::unordered_set<AccessRun, AccessRunHash> seen_read_, seen_written_;
};

}  // namespace

LaunchBytes launch_bytes(const Kernel& kernel, std::uint64_t most_accesses) {
  LaunchWalk walk(kernel);
  const std::int64_t ctas = kernel.launch().grid.count();
  const std::uint64_t first = std::max<std::uint64_t>(1, walk.cta(0));
  const std::int64_t affordable = std::max<std::int64_t>(1, static_cast<std::int64_t>(most_accesses / first));
  const std::int64_t walked = std::min(ctas, affordable);
  for (std::int64_t i = 1; i < walked; ++i) walk.cta(walked == ctas ? i : i * (ctas / walked));
  LaunchBytes bytes = walk.bytes;
  bytes.ctas_walked = walked;
  if (walked == ctas) {
    bytes.least_read = walk.read.bytes();
    bytes.least_written = walk.written.bytes();
    bytes.least_read_in_pairs = walk.read.bytes_in_pairs();
    return bytes;
  }
  const double all = static_cast<double>(ctas) / static_cast<double>(walked);
  for (double* value : {&bytes.global_read, &bytes.global_written, &bytes.shared_read, &bytes.shared_written})
    *value *= all;
  return bytes;
}

}  // namespace tilescope
