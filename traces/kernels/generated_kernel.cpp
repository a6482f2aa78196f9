#include "traces/kernels/generated_kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "traces/kernels/generated_stream.h"

namespace tilescope {

GeneratedKernel::~GeneratedKernel() {
  for (auto& made : operands_) delete made.load(std::memory_order_relaxed);
}

std::unique_ptr<WarpStream> GeneratedKernel::make_stream() const { return std::make_unique<GeneratedStream>(*this); }

void GeneratedKernel::set_code(const CodeBuilder& code) {
  code_ = code.finish();
  for (const DraftSection& draft : code.sections()) {
    sections_.push_back({.first = draft.first, .length = draft.length, .accesses = draft.accesses, .advance = {}});
    most_operands_ = std::max(most_operands_, draft.accesses.size());
  }
}

int GeneratedKernel::add_section(std::size_t first, const std::vector<Instruction>& code,
                                 const std::vector<Access>& accesses) {
  sections_.push_back({.first = first, .length = code.size(), .accesses = accesses, .advance = {}});
  code_.resize(std::max(code_.size(), first + code.size()));
  std::copy(code.begin(), code.end(), code_.begin() + static_cast<std::ptrdiff_t>(first));
  most_operands_ = std::max(most_operands_, accesses.size());
  return static_cast<int>(sections_.size()) - 1;
}

void GeneratedKernel::set_advance(int section, std::array<std::int64_t, kBuffers> bytes) {
  sections_[static_cast<std::size_t>(section)].advance = bytes;
}

int GeneratedKernel::add_edge_section(int of, int step) {
  Section section = sections_[static_cast<std::size_t>(of)];
  for (Access& access : section.accesses) access.edge = access.step == step;
  sections_.push_back(std::move(section));
  return static_cast<int>(sections_.size()) - 1;
}

void GeneratedKernel::set_launch(Launch launch, int shapes) {
  launch_ = std::move(launch);
  warps_ = static_cast<std::size_t>(launch_.warps_per_cta());
  operands_ =
      std::vector<std::atomic<const SectionOperands*>>(static_cast<std::size_t>(shapes) * warps_ * sections_.size());
}

const GeneratedKernel::SectionOperands& GeneratedKernel::operands(int section, int shape, int warp) const {
  const std::size_t slot =
      (static_cast<std::size_t>(shape) * warps_ + static_cast<std::size_t>(warp)) * sections_.size() +
      static_cast<std::size_t>(section);
  const SectionOperands* known = operands_[slot].load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  std::unique_ptr<const SectionOperands> made = make_operands(section, shape, warp);
  if (operands_[slot].compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *known;  // another thread was faster
}

std::unique_ptr<GeneratedKernel::SectionOperands> GeneratedKernel::make_operands(int section, int shape,
                                                                                 int warp) const {
  auto made = std::make_unique<SectionOperands>();
  const Section& of = sections_[static_cast<std::size_t>(section)];
  for (const Access& access : of.accesses) {
    const LaneAddresses lanes_of_access = lanes(access, shape, warp);
    // Offsets may be negative against a base that the section has moved: shift them into the positive for interning.
    std::array<std::uint64_t, kLanes> address{};
    constexpr std::int64_t kShift = std::int64_t{1} << 60U;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      address[lane] = static_cast<std::uint64_t>(lanes_of_access.offset[lane] + kShift);
    MemoryOperand operand = patterns_.operand(address, lanes_of_access.active, lanes_of_access.bytes);
    const std::int64_t lowest = static_cast<std::int64_t>(operand.base) - kShift;
    operand.base = 0;
    if (lanes_of_access.active == 0) {
      operand.pattern = 0;
      made->idle.push_back(static_cast<std::uint32_t>(made->operands.size()));
    } else if (lanes_of_access.buffer == kShared) {
      operand.base = static_cast<std::uint64_t>(lowest);
    } else {
      made->global.push_back({static_cast<std::uint32_t>(made->operands.size()), lanes_of_access.buffer, lowest});
    }
    const bool moves = lanes_of_access.active != 0 && lanes_of_access.buffer != kShared;
    made->advance.push_back(moves ? of.advance[static_cast<std::size_t>(lanes_of_access.buffer)] : 0);
    made->operands.push_back(operand);
  }
  std::uint32_t position = 0;
  for (std::size_t i = of.first; i < of.first + of.length; ++i) {
    if (code_[i].op == OpClass::async_copy) made->copied.push_back(position + 1);
    position += static_cast<std::uint32_t>(memory_operands(code_[i].op));
  }
  made->key = key_of(section, *made);
  return made;
}

std::uint32_t GeneratedKernel::key_of(int section, const SectionOperands& operands) const {
  std::string shape = std::to_string(sections_[static_cast<std::size_t>(section)].first) + ":" +
                      std::to_string(sections_[static_cast<std::size_t>(section)].length);
  std::vector<bool> is_global(operands.operands.size());
  for (const GlobalOperand& global : operands.global) is_global[global.position] = true;
  for (std::size_t i = 0; i < operands.operands.size(); ++i)
    if (!is_global[i]) shape += "," + std::to_string(i) + "=" + std::to_string(operands.operands[i].pattern);
  const std::scoped_lock lock(keys_mutex_);
  return keys_.try_emplace(std::move(shape), static_cast<std::uint32_t>(keys_.size()) + 1).first->second;
}

}  // namespace tilescope
