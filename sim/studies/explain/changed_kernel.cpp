#include "sim/studies/explain/changed_kernel.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "traces/raster.h"

namespace tilescope::explain {
namespace {

constexpr PatternId kNoPattern = ~PatternId{0};

bool takes_lanes_along(OpClass op) {
  return op == OpClass::bulk_load || op == OpClass::bulk_store || op == OpClass::bulk_reduction ||
         op == OpClass::cluster_store || op == OpClass::group_tensor;
}

// Its result, or what it counts, may be as far away as device memory.
bool brings_from_afar(OpClass op) {
  return op == OpClass::global_load || op == OpClass::local_load || op == OpClass::generic_load ||
         op == OpClass::global_atomic || op == OpClass::async_commit || op == OpClass::mbarrier_wait;
}

}  // namespace

LanePattern without_conflicts(const SharedBanks& banks, const LanePattern& pattern, SharedOp op, std::uint64_t base) {
  const BankCost cost = banks.cost(pattern, op, base);
  if (cost.wavefronts <= cost.ideal) return pattern;
  LanePattern best = pattern;
  int fewest = cost.wavefronts;
  for (const int shared_by : {1, 2, 4, 32}) {  // neighbouring lanes that have one word
    LanePattern tried = pattern;
    for (int lane = 0; lane < kLanes; ++lane)
      tried.offset[static_cast<std::size_t>(lane)] =
          pattern.is_active(lane) ? std::int64_t{lane / shared_by} * pattern.bytes : 0;
    const int wavefronts = banks.cost(tried, op).wavefronts;
    if (wavefronts < fewest) {
      fewest = wavefronts;
      best = tried;
    }
    if (fewest <= cost.ideal) break;
  }
  return best;
}

LanePattern side_by_side(const LanePattern& pattern) {
  std::vector<std::int64_t> distinct;
  for (int lane = 0; lane < kLanes; ++lane)
    if (pattern.is_active(lane)) distinct.push_back(pattern.offset[static_cast<std::size_t>(lane)]);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  LanePattern packed = pattern;
  for (int lane = 0; lane < kLanes; ++lane) {
    auto& offset = packed.offset[static_cast<std::size_t>(lane)];
    if (pattern.is_active(lane))
      offset = (std::lower_bound(distinct.begin(), distinct.end(), offset) - distinct.begin()) * pattern.bytes;
  }
  return packed;
}

bool can_move_lanes(const Kernel& kernel, std::string& why_not) {
  for (const Instruction& instruction : kernel.code())
    if (takes_lanes_along(instruction.op)) {
      why_not = "shared memory is also used by " + std::string(name(instruction.op)) +
                ", whose addresses the model does not move";
      return false;
    }
  for (const Instruction& instruction : kernel.code())
    if (is_asynchronous(instruction.op)) {
      why_not = "mbarriers lie in shared memory, which the model does not move";
      return false;
    }
  return true;
}

// Operands of the kernel's own stream, with other patterns and bases.
class ChangedKernel::Stream : public WarpStream {
 public:
  explicit Stream(const ChangedKernel& kernel) : kernel_(kernel), inner_(kernel.kernel_.make_stream()) {}

  void start(std::int64_t cta, int warp, Operands operands) override {
    repeats_left_ = 0;
    inner_->start(kernel_.place_of(cta), warp, kernel_.change_.moves_lanes() ? Operands::all : operands);
  }

  bool next(Segment& segment) override {
    if (!inner_->next(segment)) return false;
    if (kernel_.change_.moves_lanes())
      change(segment, 0);
    else
      use_own_code(segment);
    return true;
  }

  // A run stays one unless the addresses that move along in it are moved.
  bool next_run(Segment& segment) override {
    if (!kernel_.change_.moves_lanes()) {
      if (!inner_->next_run(segment)) return false;
      use_own_code(segment);
      return true;
    }
    if (repeats_left_ > 0) {
      segment = run_;
      return take_one(segment);
    }
    if (!inner_->next_run(segment)) return false;
    if (segment.repeats == 1 || !advances_in_shared(segment)) {
      change(segment, 0);
      return true;
    }
    run_ = segment;
    repeats_left_ = segment.repeats;
    return take_one(segment);
  }

 private:
  bool take_one(Segment& segment) {
    const std::int64_t done = run_.repeats - repeats_left_--;
    change(segment, done);
    segment.repeats = 1;
    segment.advance = nullptr;
    return true;
  }

  bool advances_in_shared(const Segment& segment) const {
    if (!kernel_.change_.shared_map) return false;
    std::size_t operand = 0;
    for (std::uint32_t i = 0; i < segment.length; ++i)
      for (int n = 0; n < memory_operands(segment.code[i].op); ++n, ++operand)
        if (is_shared(access_of(segment.code[i].op, n)) && segment.advance[operand] != 0) return true;
    return false;
  }

  void use_own_code(Segment& segment) const {
    if (kernel_.code_.empty() || segment.length == 0) return;
    const std::size_t from = index_of(segment.code[0]), behind = from + segment.length;
    segment.code = &kernel_.code_[kernel_.first_[from]];
    segment.length = static_cast<std::uint32_t>(kernel_.first_[behind] - kernel_.first_[from]);
  }

  // The segment's operands, `turn` repeats on.
  void change(Segment& segment, std::int64_t turn) {
    operands_.clear();
    std::size_t operand = 0;
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      const Instruction& instruction = segment.code[i];
      for (int n = 0; n < memory_operands(instruction.op); ++n, ++operand) {
        MemoryOperand one = segment.operands[operand];
        if (turn != 0) one.base += static_cast<std::uint64_t>(segment.advance[operand] * turn);
        const int parts = parts_of(instruction);
        for (int part = 0; part < parts; ++part)
          operands_.push_back(changed(instruction, access_of(instruction.op, n), part_of(one, part, parts)));
      }
    }
    use_own_code(segment);
    segment.operands = operands_.data();
    segment.complete = true;
    if (kernel_.change_.shared_map) segment.key = 0;  // equal patterns become different ones at other bases
  }

  std::size_t index_of(const Instruction& instruction) const {
    return static_cast<std::size_t>(&instruction - kernel_.kernel_.code().data());
  }

  int parts_of(const Instruction& instruction) const {
    if (kernel_.code_.empty()) return 1;
    const std::size_t index = index_of(instruction);
    return static_cast<int>(kernel_.first_[index + 1] - kernel_.first_[index]);
  }

  // One of the accesses that an operand's has become.
  struct Part {
    MemoryOperand operand;
    int part = 0, parts = 1;
  };
  static Part part_of(const MemoryOperand& operand, int part, int parts) { return {operand, part, parts}; }

  MemoryOperand changed(const Instruction& instruction, AccessKind access, const Part& one) {
    MemoryOperand operand = one.operand;
    if (operand.pattern == 0) return operand;
    const Change& change = kernel_.change_;
    const std::size_t index = index_of(instruction);
    if (is_shared(access) && (change.shared_map || one.parts > 1)) return moved(one);
    if (is_shared(access) && access != AccessKind::shared_atomic && change.without_conflicts.contains(index))
      return replaced(operand, is_load(access) ? Kind::freed_load : Kind::freed_store);
    if (is_lines(access) && change.side_by_side.contains(index)) {
      operand = replaced(operand, Kind::packed);
      operand.base -= operand.base % static_cast<std::uint64_t>(kSectorBytes);
      return operand;
    }
    return replaced(operand, Kind::same);
  }

  enum class Kind : std::uint8_t { same, freed_load, freed_store, packed };

  MemoryOperand replaced(MemoryOperand operand, Kind kind) {
    auto& known = known_[static_cast<std::size_t>(kind)];
    if (known.size() <= operand.pattern) known.resize(operand.pattern + 1, kNoPattern);
    PatternId& id = known[operand.pattern];
    if (id == kNoPattern) {
      const LanePattern& pattern = kernel_.kernel_.patterns().pattern(operand.pattern);
      id = kernel_.own_->intern(
          kind == Kind::same     ? pattern
          : kind == Kind::packed ? side_by_side(pattern)
                                 : without_conflicts(kernel_.banks_, pattern,
                                                     kind == Kind::freed_load ? SharedOp::load : SharedOp::store, 0));
    }
    operand.pattern = id;
    return operand;
  }

  MemoryOperand moved(const Part& one) {
    const MemoryOperand& operand = one.operand;
    const auto [at, is_new] = moved_[static_cast<std::size_t>(one.part)].try_emplace(
        operand.base << 26U ^ std::uint64_t{operand.pattern} << 2U ^ static_cast<std::uint64_t>(one.parts - 1));
    if (!is_new) return at->second;
    const LanePattern& pattern = kernel_.kernel_.patterns().pattern(operand.pattern);
    const int bytes = std::max(1, pattern.bytes / one.parts);
    std::array<std::uint64_t, kLanes> address{};
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!pattern.is_active(lane)) continue;
      const std::uint64_t from = operand.base +
                                 static_cast<std::uint64_t>(pattern.offset[static_cast<std::size_t>(lane)]) +
                                 static_cast<std::uint64_t>(one.part * bytes);
      address[static_cast<std::size_t>(lane)] = kernel_.change_.shared_map ? kernel_.change_.shared_map(from) : from;
    }
    return at->second = kernel_.own_->operand(address, pattern.active, bytes);
  }

  const ChangedKernel& kernel_;
  std::unique_ptr<WarpStream> inner_;
  std::vector<MemoryOperand> operands_;
  std::array<std::vector<PatternId>, 4> known_;                            // by Kind and the kernel's pattern
  std::array<std::unordered_map<std::uint64_t, MemoryOperand>, 4> moved_;  // by part; by base, pattern and parts
  Segment run_;
  std::uint32_t repeats_left_ = 0;
};

ChangedKernel::ChangedKernel(const Kernel& kernel, Change change, const SharedBanks& banks)
    : kernel_(kernel),
      change_(std::move(change)),
      banks_(banks),
      launch_(kernel.launch()),
      own_(std::make_unique<PatternTable>()) {
  if (change_.registers_per_thread) launch_.registers_per_thread = *change_.registers_per_thread;
  launch_.dynamic_smem_bytes += change_.more_shared_bytes;
  if (change_.in_words.empty() && !change_.without_waits) return;
  const std::span<const Instruction> all = kernel.code();
  for (std::size_t i = 0; i < all.size(); ++i) {
    first_.push_back(code_.size());
    const auto split = change_.in_words.find(i);
    const int parts = split == change_.in_words.end() ? 1 : split->second;
    for (int part = 0; part < parts; ++part) {
      code_.push_back(all[i]);
      origin_.push_back(i);
      if (part > 0) code_.back().wait_mask = 0;
      if (change_.without_waits && brings_from_afar(all[i].op)) code_.back().write_scoreboard = kNoScoreboard;
      if (part + 1 < parts) code_.back().stall = 1;
    }
  }
  first_.push_back(code_.size());
}

InstructionSource ChangedKernel::source_of(std::size_t instruction) const {
  if (code_.empty()) return kernel_.source_of(instruction);
  InstructionSource source = kernel_.source_of(origin_[instruction]);
  source.index = instruction;
  return source;
}

std::unique_ptr<WarpStream> ChangedKernel::make_stream() const { return std::make_unique<Stream>(*this); }

std::int64_t ChangedKernel::place_of(std::int64_t cta) const {
  if (change_.raster_group == 0) return cta;
  const Dim3& grid = launch_.grid;
  const std::int64_t plane = grid.x * grid.y;
  const TileIndex tile = tile_of({Raster::grouped, grid.x, grid.y, change_.raster_group}, cta % plane);
  return cta / plane * plane + tile.y * grid.x + tile.x;
}

}  // namespace tilescope::explain
