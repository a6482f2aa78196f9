#include "sim/results/walk/gemm_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "models/support/diagnostic.h"
#include "traces/kernels/gemm_problem.h"

namespace tilescope {
namespace {

// 0: not known, or no number: a trace may say anything.
std::int64_t parameter(const Launch& launch, const std::string& name) {
  std::int64_t number = 0;
  for (const auto& [key, value] : launch.parameters)
    if (key == name) std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

// A place in A or B.
struct Datum {
  char matrix = 'A';
  Element element;
};

class Walker {
 public:
  Walker(const Kernel& kernel, GemmWalk& walk)
      : kernel_(kernel), walk_(walk), arrays_({.m = walk.m, .n = walk.n, .k = walk.k}), stream_(kernel.make_stream()) {}

  // Which lane stores the output, and what the launch loads.
  bool find_output() {
    bool found = false;
    const auto wanted =
        arrays_.c + static_cast<std::uint64_t>((walk_.output.row * walk_.n + walk_.output.column) * kFloat);
    const Dim3& grid = walk_.grid;
    for (std::int64_t cta = 0; cta < grid.count(); ++cta)
      for (int warp = 0; warp < kernel_.launch().warps_per_cta(); ++warp)
        each_access(cta, warp, [&](AccessKind kind, const MemoryOperand& operand, const LanePattern& pattern) {
          if (kind == AccessKind::global_load)
            walk_.loaded_elements += std::popcount(pattern.active) * (pattern.bytes / kFloat);
          if (kind != AccessKind::global_store) return;
          each_lane(operand, pattern, [&](int lane, std::uint64_t address) {
            if (address != wanted) return;
            found = true;
            cta_ = cta;
            walk_.cta_x = cta % grid.x;
            walk_.cta_y = cta / grid.x;
            walk_.warp = warp;
            walk_.lane = lane;
          });
        });
    return found;
  }

  void follow() {
    std::vector<std::vector<Phase>> by_warp;
    // The first warp of all writes shared memory before the followed one reads it: everything is known then.
    for (int round = 0; round < 2; ++round) {
      by_warp.clear();
      for (int warp = 0; warp < kernel_.launch().warps_per_cta(); ++warp) by_warp.push_back(phases_of(warp));
    }
    walk_.phases = by_warp[static_cast<std::size_t>(walk_.warp)];
    for (std::size_t i = 0; i < walk_.phases.size(); ++i) merge_loads(by_warp, i);
    double value = 0;
    for (Phase& phase : walk_.phases) {
      for (const Product& one : phase.products) value += one.a * one.b;
      phase.value = value;
    }
  }

 private:
  void each_access(std::int64_t cta, int warp,
                   const std::function<void(AccessKind, const MemoryOperand&, const LanePattern&)>& body,
                   const std::function<void()>& at_barrier = {}, const std::function<void()>& at_end = {}) {
    stream_->start(cta, warp, Operands::all);
    for (Segment segment; stream_->next(segment);) {
      std::size_t operand = 0;
      for (std::uint32_t i = 0; i < segment.length; ++i) {
        const OpClass op = segment.code[i].op;
        if (op == OpClass::barrier && at_barrier) at_barrier();
        for (int n = 0; n < memory_operands(op); ++n, ++operand)
          body(access_of(op, n), segment.operands[operand],
               kernel_.patterns().pattern(segment.operands[operand].pattern));
      }
      if (at_end) at_end();
    }
  }

  // Every word of every active lane.
  static void each_lane(const MemoryOperand& operand, const LanePattern& pattern,
                        const std::function<void(int, std::uint64_t)>& body) {
    for (int lane = 0; lane < kLanes; ++lane)
      for (int word = 0; pattern.is_active(lane) && word < pattern.bytes / kFloat; ++word)
        body(lane, operand.base + static_cast<std::uint64_t>(pattern.offset[static_cast<std::size_t>(lane)]) +
                       static_cast<std::uint64_t>(word) * static_cast<std::uint64_t>(kFloat));
  }

  std::optional<Datum> datum(std::uint64_t address) const {
    const auto within = [&](std::uint64_t base, std::int64_t rows, std::int64_t columns) -> std::optional<Element> {
      if (address < base || address >= base + static_cast<std::uint64_t>(rows * columns * kFloat)) return std::nullopt;
      const auto index = static_cast<std::int64_t>(address - base) / kFloat;
      return Element{index / columns, index % columns};
    };
    if (const auto a = within(arrays_.a, walk_.m, walk_.k)) return Datum{'A', *a};
    if (const auto b = within(arrays_.b, walk_.k, walk_.n)) return Datum{'B', *b};
    return std::nullopt;
  }

  // The element that the followed lane has read, for its products.
  static void take(const Datum& datum, std::map<std::int64_t, Element>& a, std::map<std::int64_t, Element>& b) {
    if (datum.matrix == 'A')
      a[datum.element.column] = datum.element;
    else
      b[datum.element.row] = datum.element;
  }

  // A's tile lies below B's in shared memory. What is stored there is what was loaded of the matrix first: tile by
  // tile, each warp has one load and one store of either.
  std::vector<Phase> phases_of(int warp) {
    std::vector<Phase> phases(1);
    std::map<char, std::deque<std::map<int, Datum>>> loaded;  // not stored yet, by matrix; by lane
    std::map<std::int64_t, Element> a, b;                     // read by the followed lane, by k
    bool reads_shared = false;
    const bool followed = warp == walk_.warp;
    const bool keeps = kernel_.launch().static_smem_bytes > 0;
    const std::int64_t tile = parameter(kernel_.launch(), "tile"), pad = parameter(kernel_.launch(), "pad_a");
    const auto below_b = static_cast<std::uint64_t>(tile * (tile + pad) * kFloat);
    const auto close = [&] {
      if (followed)
        for (const auto& [k, element] : a)
          if (b.contains(k)) phases.back().products.push_back({k, walk_.a(element), walk_.b(b.at(k))});
      a.clear();
      b.clear();
      phases.emplace_back();
      reads_shared = false;
    };
    const auto on_access = [&](AccessKind kind, const MemoryOperand& operand, const LanePattern& pattern) {
      if (kind == AccessKind::global_load) {
        std::map<int, Datum> lanes;
        PhaseLoad load;
        load.to_shared = keeps;
        each_lane(operand, pattern, [&](int lane, std::uint64_t address) {
          const auto found = datum(address);
          if (!found) return;
          lanes[lane] = *found;
          load.matrix = found->matrix;
          load.lanes.push_back({warp, lane, found->element});
          if (!keeps && followed && lane == walk_.lane) take(*found, a, b);
        });
        if (keeps && !lanes.empty()) loaded[load.matrix].push_back(std::move(lanes));
        if (!load.lanes.empty()) phases.back().loads.push_back(std::move(load));
      } else if (kind == AccessKind::shared_store) {
        auto& waiting = loaded[operand.base < below_b ? 'A' : 'B'];
        const std::map<int, Datum> lanes = waiting.empty() ? std::map<int, Datum>{} : waiting.front();
        each_lane(operand, pattern, [&](int lane, std::uint64_t address) {
          const auto source = lanes.find(lane);
          shared_[{phases.size(), address}] = source == lanes.end() ? std::nullopt : std::optional(source->second);
        });
        if (!waiting.empty()) waiting.pop_front();
      } else if (kind == AccessKind::shared_load) {
        reads_shared = true;
        if (!followed) return;
        each_lane(operand, pattern, [&](int lane, std::uint64_t address) {
          const auto word = shared_.find({phases.size(), address});
          if (lane == walk_.lane && word != shared_.end() && word->second) take(*word->second, a, b);
        });
      }
    };
    const auto on_barrier = [&] {
      if (!reads_shared) {
        ++phases.back().barriers_before;
        return;
      }
      ++phases.back().barriers_after;
      close();
    };
    const auto on_end = [&] {
      if (!keeps && !phases.back().loads.empty()) close();
    };
    each_access(cta_, warp, on_access, on_barrier, on_end);
    if (!a.empty() && !b.empty()) close();
    if (phases.back().loads.empty() && phases.back().products.empty()) phases.pop_back();
    return phases;
  }

  // The loads of all warps in phase `index`, one entry for each matrix.
  void merge_loads(const std::vector<std::vector<Phase>>& by_warp, std::size_t index) {
    Phase& phase = walk_.phases[index];
    phase.loads.clear();
    for (const char matrix : {'A', 'B'}) {
      PhaseLoad all;
      all.matrix = matrix;
      for (const auto& phases : by_warp) {
        if (index >= phases.size()) continue;
        for (const PhaseLoad& load : phases[index].loads) {
          if (load.matrix != matrix) continue;
          all.to_shared = load.to_shared;
          all.lanes.insert(all.lanes.end(), load.lanes.begin(), load.lanes.end());
        }
      }
      if (all.lanes.empty()) continue;
      all.first = all.last = all.lanes.front().element;
      for (const LoadedElement& one : all.lanes) {
        all.first = {std::min(all.first.row, one.element.row), std::min(all.first.column, one.element.column)};
        all.last = {std::max(all.last.row, one.element.row), std::max(all.last.column, one.element.column)};
      }
      phase.loads.push_back(std::move(all));
    }
  }

  const Kernel& kernel_;
  GemmWalk& walk_;
  GemmArrays arrays_;
  std::unique_ptr<WarpStream> stream_;
  std::int64_t cta_ = 0;
  std::map<std::pair<std::size_t, std::uint64_t>, std::optional<Datum>> shared_;  // by phase and address
};

std::string too_large(const std::string& what, std::int64_t seen, std::int64_t most) {
  return fmt::format("a walk is for small launches: got {} {}; must be at most {}", seen, what, most);
}

}  // namespace

tl::expected<GemmWalk, std::string> walk_gemm(const Kernel& kernel, Element output) {
  const Launch& launch = kernel.launch();
  GemmWalk walk;
  walk.kernel = launch.kernel;
  walk.m = parameter(launch, "M");
  walk.n = parameter(launch, "N");
  walk.k = parameter(launch, "K");
  if ((launch.kernel != "gemm_naive" && launch.kernel != "gemm_tiled") || std::min({walk.m, walk.n, walk.k}) < 1)
    return tl::unexpected("a walk is for gemm_naive and gemm_tiled; got " + in_quotes(launch.kernel));
  walk.grid = launch.grid;
  walk.block = launch.block;
  walk.output = output;
  if (launch.block.count() > kWalkThreads)
    return tl::unexpected(too_large("threads in a CTA", launch.block.count(), kWalkThreads));
  if (walk.k > kWalkDepth) return tl::unexpected(too_large("as K", walk.k, kWalkDepth));
  if (launch.grid.count() > kWalkCtas) return tl::unexpected(too_large("CTAs", launch.grid.count(), kWalkCtas));
  Walker walker(kernel, walk);
  if (!walker.find_output())
    return tl::unexpected(
        fmt::format("C has {} rows and {} columns; got the element {},{}", walk.m, walk.n, output.row, output.column));
  walker.follow();
  return walk;
}

}  // namespace tilescope
