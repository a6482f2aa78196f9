// Device memory: independent channels, each with a data bus and banks that hold one open row.
//
// Reads: the bus is taken for the burst; a bank whose open row differs delays the data by precharge and activate, while
// other banks keep the bus busy (a controller reorders). Writes collect in the channel and go out in batches, each of
// which turns the bus around once. Refresh blocks the channel for a share of the time.
#pragma once

#include <cstdint>
#include <vector>

#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/units.h"

namespace tilescope {

struct HbmCounters {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
};

class Hbm {
 public:
  explicit Hbm(const GpuSpec& gpu);

  // Fetches the sectors of a line (widened to whole fetches); returns the tick in which the last is at the slice.
  // `fetched` receives the sectors that came.
  Tick read(std::uint64_t line, unsigned channel, std::uint8_t sectors, Tick now, std::uint8_t& fetched);
  // Takes sectors to write back. Returns the tick in which the channel has accepted them: later than `now` when it
  // drains a batch.
  Tick write(std::uint64_t line, unsigned channel, std::uint8_t sectors, Tick now);

  const HbmCounters& counters() const { return counters_; }

 private:
  struct Bank {
    std::uint64_t row = ~0ULL;
    Tick row_ready = 0;
  };
  struct Channel {
    Calendar bus;
    Tick next_refresh = 0;
    std::int64_t collected = 0;  // fetches waiting to be written
    bool read_since = false;     // the last batch of writes
    std::vector<Bank> banks;
  };

  // Opens the line's row if it is not; returns when its data can be on the bus.
  Tick open_row(Channel& channel, std::uint64_t line, Tick now);
  void refresh(Channel& channel, Tick now);
  std::uint8_t widen(std::uint8_t sectors) const;
  std::int64_t fetches(std::uint8_t sectors) const;

  std::int64_t fetch_bytes_;
  std::uint64_t row_lines_;  // consecutive lines that share a row index over all channels
  Tick burst_;               // one fetch on one channel's bus
  Tick latency_;
  Tick row_miss_;
  Tick refresh_interval_;
  Tick refresh_;
  Tick turnaround_;
  std::int64_t write_batch_;
  std::vector<Channel> channels_;
  HbmCounters counters_;
};

}  // namespace tilescope
