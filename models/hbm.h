// Device memory: independent channels, each with a data bus and banks that hold one open row.
//
// Reads: the bus is taken for the burst, and stands idle for a moment before data of another row. A row that is not
// open must be activated first: a channel activates one row at a time and a bank not before its row cycle is over,
// while other banks keep the bus busy (a controller reorders). Each bank is away for refresh for a share of the time,
// in all channels of its stack at once; a fetch whose turn at the bus comes then waits for its end, and others go on.
// So the last lines of a burst come later than the bus alone would bring them. A controller puts refreshes off as it
// likes, so they do not come at even intervals: kernels whose steps take as long as an interval would fall into step
// with them. Writes collect in the channel and go out in batches, each of which turns the bus around once.
//
// What one activation serves is a few consecutive lines; the rest of the DRAM's row has addresses that are far away.
//
// Source: at a constant rate an H200 reads 256 MiB to 1 GiB at 2,300 to 2,320 B/cycle, an H100 at 1,565 to 1,580, 93 %
// of the bus of each (gpu/microbench/l2_shares.cu), half lines at 80 and 82 %: with the same 0.2 ns for each row of 256
// bytes both lose about that. Reads of 64 bytes each 512 bytes are as slow as random ones (1,460 of 2,480 B/cycle on an
// H200, 1,054 of 1,680 on an H100), each 256 bytes nearly so (1,623 and 1,120), each 128 bytes not (2,036 and 1,422):
// `strided` in gpu/measured. Launches that read 0.3 to 13 MB keep an H100's SMs busy for 1,180 to 1,450 cycles more
// than its bus (gpu/microbench/counted_streams.cu). Latencies of single random reads on an H200
// (gpu/microbench/hbm_latency.cu): near 540 to 570 cycles, far 740 to 760, and one in eight spread evenly over the next
// 550; random 64-byte reads saturate at 60 % of the peak. Of loads of 4, 8, 16 and 32 lines 4 KiB apart 16, 27, 35 and
// 52 % wait for a refresh on an H100 (19, 33, 45 and 60 % on an H200): as many as of five or six places in 64 KiB of
// which each is away an eighth of the time, not of 4 to 32.
#pragma once

#include <cstdint>
#include <vector>

#include "models/address_hash.h"
#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/memory_counters.h"
#include "models/port.h"
#include "models/support/units.h"

namespace tilescope {

class Hbm {
 public:
  // `hash` outlives it. `floor`: of its calendars.
  Hbm(const GpuSpec& gpu, const AddressHash& hash, const CalendarFloor* floor = nullptr);

  // Fetches sectors of a line, widened to whole fetches: all of them are there when the last is at the slice.
  PortAnswer lookup(LineAddress line, SectorMask sectors, Tick now);
  // Fetches no more than these sectors, to complete what is written of them. Each pair keeps the bus busy as others do.
  // Returns the tick in which they have been on the bus.
  // Source: dram__bytes_read of sectors that leave L2 written in part, one of each line, is 32 B a sector
  // (gpu/microbench/counted_partial.cu).
  Tick complete(LineAddress line, SectorMask sectors, Tick now);
  // Takes sectors to write back. Returns the tick in which the channel has accepted them: later than `now` when it
  // drains a batch.
  Tick accept(LineAddress line, SectorMask sectors, Tick now);

  const HbmCounters& counters() const { return counters_; }
  // By channel: bytes read and written.
  std::vector<std::uint64_t> channel_bytes() const;

 private:
  static constexpr std::uint64_t kNoRow = ~0ULL;
  struct Bank {
    std::uint64_t row = kNoRow;
    Tick opened;
  };
  struct Channel {
    Calendar bus;
    Calendar activations;
    std::uint64_t bytes = 0;     // read and written
    std::int64_t collected = 0;  // fetches waiting to be written
    Tick gaps;                   // between their rows
    bool read_since = false;     // the last batch of writes
    std::vector<Bank> banks;
  };

  // The channel's bus moves the line's `count` bursts. Returns when they have been on it.
  Tick fetch(Channel& channel, LineAddress line, std::int64_t count, std::uint64_t bytes, Tick now);
  // Opens the line's row if it is not, and sets `gap` to how long the bus stands idle for that; returns from when on
  // its data can be on the bus.
  Tick open_row(Channel& channel, LineAddress line, Tick now, Tick& gap);
  // `now`, or the end of the refresh that the line's bank is in.
  Tick after_refresh(const Channel& channel, LineAddress line, Tick now) const;
  SectorMask widen(SectorMask sectors) const;
  std::int64_t fetches(SectorMask sectors) const;

  std::int64_t fetch_bytes_;
  std::uint64_t row_lines_;   // consecutive lines that one activation serves
  std::uint64_t bank_lines_;  // consecutive lines in the same bank of every channel
  std::uint64_t stacks_;
  Tick burst_;  // one fetch on one channel's bus
  Tick latency_;
  Tick row_cycle_;
  Tick activate_;
  Tick row_gap_;
  Tick refresh_interval_;
  Tick refresh_;
  Tick turnaround_;
  std::int64_t write_batch_;
  const AddressHash& hash_;
  std::vector<Channel> channels_;
  HbmCounters counters_;
};
static_assert(ReadPort<Hbm> && WritePort<Hbm>);

}  // namespace tilescope
