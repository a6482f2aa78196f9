// What a launch does over its time, in windows of equal length: the states of each SM's warps, what its pipes take and
// its tensor cores work on, the bytes that bulk copies bring it, and what L2 slices and HBM channels move.
//
// The windows grow with the launch, so that there are never more than kMostWindows. Of a sampled run it holds the
// launch's beginning, which is timed instruction by instruction. What the launch reads before its CTAs is in
// the first, of no channel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/memory_counters.h"
#include "sim/engine/issue_listener.h"

namespace tilescope {

struct SmWindow {
  std::array<std::uint64_t, kStalls> stall_cycles{};  // warp cycles in each state; selected: instructions issued
  std::array<std::uint64_t, kPipes> instructions{};   // warp instructions that each pipe has taken
  std::uint64_t data_wavefronts = 0;                  // of the data stage
  std::uint64_t tag_cycles = 0;                       // tag stage busy
  std::uint64_t tensor_cycles = 0;                    // of products, over the four tensor cores
  std::uint64_t async_copies = 0;                     // cp.async instructions
  std::int64_t bulk_bytes = 0;                        // that bulk copies have brought to mbarriers

  SmWindow& operator+=(const SmWindow& other);
};

struct ChipWindow {
  MemoryCounters memory;                     // what was counted in the window
  std::vector<std::uint64_t> slice_sectors;  // by L2 slice, those of the first partition first: taken in or given
  std::vector<std::uint64_t> channel_bytes;  // by HBM channel, read and written

  ChipWindow& operator+=(const ChipWindow& other);
};

// One SM's. Heard from by one thread at a time.
class SmHistory : public IssueListener {
 public:
  void issued(const Issue& issue, const WorkCounters& before, const WorkCounters& after) override;
  void multiplies(std::int64_t cta, int sub, Cycle from, Cycle until) override;
  void brings(std::int64_t cta, std::uint32_t barrier, std::int64_t bytes, Cycle when) override;

  Cycle window() const { return window_; }
  const std::vector<SmWindow>& windows() const { return windows_; }
  // REQUIRES: a power of two times window().
  void widen_to(Cycle window);

 private:
  SmWindow& at(Cycle when);
  // add(window, cycles) for each window that [from, until) touches.
  template <class Add>
  void spread(Cycle from, Cycle until, Add&& add);

  Cycle window_ = 256;
  std::vector<SmWindow> windows_;
};

class LaunchHistory {
 public:
  static constexpr std::size_t kMostWindows = 128;

  // Before a run: of a GPU with as many SMs.
  void begin(std::size_t sms);
  SmHistory& sm(std::size_t index) { return sms_[index]; }
  // What the chip had counted by `when`, and what had been counted when it was told last.
  struct ChipTotals {
    MemoryCounters memory;
    std::vector<std::uint64_t> slice_sectors, channel_bytes;
  };
  void note(Cycle when, const ChipTotals& totals);
  // The run has ended, or what is timed of it: all windows are equally long from here on.
  void end(Cycle when);
  // The launch has read so many bytes before its CTAs. Behind end().
  void add_before(std::uint64_t bytes) {
    if (!chip_.empty()) chip_.front().memory.hbm.read_bytes += bytes;
  }

  // Cycles of the SM clock; window i begins at i times that, the last ends at until().
  Cycle window() const { return window_; }
  Cycle until() const { return until_; }
  // The end of window i, in cycles: that of the last is until().
  Cycle end_of(std::size_t i) const;
  std::size_t windows() const { return chip_.size(); }
  // By window; as many as windows().
  const std::vector<ChipWindow>& chip() const { return chip_; }
  // By SM and window; as many windows for each.
  const std::vector<std::vector<SmWindow>>& sms() const { return by_sm_; }

 private:
  std::vector<SmHistory> sms_;
  std::vector<std::vector<SmWindow>> by_sm_;
  std::vector<ChipWindow> chip_;
  ChipTotals last_;
  Cycle window_ = 256;
  Cycle until_ = 0;
};

}  // namespace tilescope
