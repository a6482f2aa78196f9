#include "sim/engine/launch_history.h"

#include <algorithm>

#include "sim/engine/stall_spans.h"

namespace tilescope {
namespace {

// Two windows become one.
template <class Window>
void pair_up(std::vector<Window>& windows) {
  const std::size_t half = (windows.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    if (i != 0) windows[i] = std::move(windows[2 * i]);
    if (2 * i + 1 < windows.size()) windows[i] += windows[2 * i + 1];
  }
  windows.resize(half);
}

template <class Numbers>
void add(Numbers& to, const Numbers& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

std::vector<std::uint64_t> growth(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after) {
  std::vector<std::uint64_t> result = after;
  for (std::size_t i = 0; i < before.size(); ++i) result[i] -= before[i];
  return result;
}

}  // namespace

SmWindow& SmWindow::operator+=(const SmWindow& other) {
  add(stall_cycles, other.stall_cycles);
  add(instructions, other.instructions);
  data_wavefronts += other.data_wavefronts;
  tag_cycles += other.tag_cycles;
  tensor_cycles += other.tensor_cycles;
  async_copies += other.async_copies;
  bulk_bytes += other.bulk_bytes;
  return *this;
}

ChipWindow& ChipWindow::operator+=(const ChipWindow& other) {
  memory += other.memory;
  slice_sectors.resize(std::max(slice_sectors.size(), other.slice_sectors.size()));
  channel_bytes.resize(std::max(channel_bytes.size(), other.channel_bytes.size()));
  for (std::size_t i = 0; i < other.slice_sectors.size(); ++i) slice_sectors[i] += other.slice_sectors[i];
  for (std::size_t i = 0; i < other.channel_bytes.size(); ++i) channel_bytes[i] += other.channel_bytes[i];
  return *this;
}

SmWindow& SmHistory::at(Cycle when) {
  auto index = static_cast<std::size_t>(std::max<Cycle>(0, when) / window_);
  while (index >= LaunchHistory::kMostWindows) {
    pair_up(windows_);
    window_ *= 2;
    index /= 2;
  }
  if (index >= windows_.size()) windows_.resize(index + 1);
  return windows_[index];
}

void SmHistory::widen_to(Cycle window) {
  for (; window_ < window; window_ *= 2) pair_up(windows_);
}

template <class Add>
void SmHistory::spread(Cycle from, Cycle until, Add&& add) {
  if (until <= from) return;
  static_cast<void>(at(until - 1));  // the windows are as wide as they have to be
  for (Cycle at_cycle = from; at_cycle < until;) {
    const Cycle next = std::min(until, (std::max<Cycle>(0, at_cycle) / window_ + 1) * window_);
    add(at(at_cycle), static_cast<std::uint64_t>(next - at_cycle));
    at_cycle = next;
  }
}

void SmHistory::issued(const Issue& issue, const WorkCounters& before, const WorkCounters& after) {
  each_stall_span(issue, before, after, [&](Stall reason, Cycle from, Cycle until) {
    spread(from, until, [reason](SmWindow& window, std::uint64_t cycles) {
      window.stall_cycles[static_cast<std::size_t>(reason)] += cycles;
    });
  });
  SmWindow& window = at(issue.when);
  ++window.instructions[static_cast<std::size_t>(traits(issue.instruction.op).pipe)];
  window.data_wavefronts += after.data_wavefronts - before.data_wavefronts;
  window.tag_cycles += after.tag_cycles - before.tag_cycles;
  window.async_copies += issue.instruction.op == OpClass::async_copy;
}

void SmHistory::multiplies(std::int64_t /*cta*/, int /*sub*/, Cycle from, Cycle until) {
  spread(from, until, [](SmWindow& window, std::uint64_t cycles) { window.tensor_cycles += cycles; });
}

void SmHistory::brings(std::int64_t /*cta*/, std::uint32_t /*barrier*/, std::int64_t bytes, Cycle when) {
  at(when).bulk_bytes += bytes;
}

void LaunchHistory::begin(std::size_t sms) {
  *this = {};
  sms_.resize(sms);
}

void LaunchHistory::note(Cycle when, const ChipTotals& totals) {
  auto index = static_cast<std::size_t>(when / window_);
  while (index >= kMostWindows) {
    pair_up(chip_);
    window_ *= 2;
    index /= 2;
  }
  if (index >= chip_.size()) chip_.resize(index + 1);
  MemoryCounters grown = totals.memory;
  grown -= last_.memory;
  chip_[index] +=
      {grown, growth(last_.slice_sectors, totals.slice_sectors), growth(last_.channel_bytes, totals.channel_bytes)};
  last_ = totals;
}

void LaunchHistory::end(Cycle when) {
  until_ = when;
  Cycle widest = window_;
  for (const SmHistory& sm : sms_) widest = std::max(widest, sm.window());
  for (; window_ < widest || until_ > static_cast<Cycle>(kMostWindows) * window_; window_ *= 2) pair_up(chip_);
  std::size_t count =
      std::max(chip_.size(), static_cast<std::size_t>(std::max<Cycle>(1, (until_ + window_ - 1) / window_)));
  by_sm_.clear();
  for (SmHistory& sm : sms_) {
    sm.widen_to(window_);
    by_sm_.push_back(sm.windows());
    count = std::max(count, by_sm_.back().size());
  }
  until_ = std::max(until_, static_cast<Cycle>(count - 1) * window_ + 1);
  for (auto& windows : by_sm_) windows.resize(count);
  chip_.resize(count);
  for (ChipWindow& one : chip_) {
    one.slice_sectors.resize(last_.slice_sectors.size());
    one.channel_bytes.resize(last_.channel_bytes.size());
  }
}

Cycle LaunchHistory::end_of(std::size_t i) const {
  return i + 1 == windows() ? until_ : static_cast<Cycle>(i + 1) * window_;
}

}  // namespace tilescope
