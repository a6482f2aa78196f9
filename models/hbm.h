// Device memory: channels of independent pseudo channels, each with a data bus and banks. A bank holds one place open,
// a part of `hbm.bank_bytes` of the addresses.
//
// Reads: a bank goes from one place to another not before its row cycle is over, while other banks keep the bus busy (a
// controller reorders). What one activation serves of a place is a few consecutive lines; a pseudo channel activates
// one such row at a time. Each place is away for refresh for a share of the time, in all channels of its stack at once;
// what waits for it then has its rows activated one after another. So loads wait long before the bus is full, and the
// last lines of a burst come later than the bus alone would bring them. A controller puts refreshes off as it likes, so
// they do not come at even intervals: kernels whose steps take as long as an interval would fall into step with them.
// What waits in the queue of a pseudo channel is served in no order of its arrival (models/waiting_reads.h).
// The bus is taken for a line's bursts, and stands idle for a moment before them, the less the more they are.
//
// Writes collect, and go out together when the reads that have been promised a turn are done: all that have come by
// then, up to `hbm.write_batch`; when more wait, they have another turn behind the reads of that time. The bus stands
// idle between a read and a write, and between a write and a read. So reads beside writes wait though the bus is hardly
// used: the fewer come, the oftener it turns. How many will come until a turn begins is not known when reads are
// promised theirs behind it; it is kept free for as many as came before the last one. Sectors that are written in part
// and leave L2 wait from when what they lack has come; what is completed or written keeps the bus for its sectors, not
// for whole fetches: of whole sectors each 64 bytes 44 a cycle are written (gpu/microbench/counted_strided_stores.cu).
//
// Source: with 512 lines of each SM under way an H200 reads 2,403 B/cycle, 97 % of the bus, in order or at random
// (gpu/microbench/load_curve.cu), half lines 82 %, an H100 93 and 80 %. Four lines at random take 919 cycles with 32
// under way of each SM, 968, 1,041 and 1,117 with 64, 96 and 128, at 71 % of the bus; four in a row 785, 832, 880 and
// 997: as banks of pseudo channels make them wait (tests/load_curve_test.cpp). Kernels that
// read a sector of each 256 or 512 bytes are limited by activations, at equal rates of a channel on an H200 and an H100
// (gpu/microbench/counted_strided.cu); reads of 64 bytes each 128 bytes come at 2,036 and 1,422 B/cycle (`strided` in
// gpu/measured). Launches that read 0.3 to 13 MB keep an H100's SMs busy for 1,180 to 1,450 cycles more than its bus
// (gpu/microbench/counted_streams.cu). Latencies of single random reads on an H200 (gpu/microbench/hbm_latency.cu):
// near 540 to 570 cycles, far 740 to 760, and one in eight spread evenly over the next 550; random 64-byte reads
// saturate at 60 % of the peak. Of loads of 4, 8, 16 and 32 lines 4 KiB apart 16, 27, 35 and 52 % wait for a refresh on
// an H100 (19, 33, 45 and 60 % on an H200): as many as of five or six places in 64 KiB of which each is away an eighth
// of the time, not of 4 to 32. Single loads of an H200 take 101, 201, 282 and 363 cycles longer, nearly all of them,
// while the SMs copy 200, 400, 600 and 710 B/cycle, a twelfth to a third of the bus; beside stores alone 47, 118, 188
// and 332 at 400, 800, 1,000 and 1,300; beside reads alone no longer up to 1,000 (gpu/microbench/waits_beside.cu).
// Copies get 84 % of the bus at most (copy_waits.cu), as if it turned every 30 lines.
#pragma once

#include <cstdint>
#include <vector>

#include "models/address_hash.h"
#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/memory_counters.h"
#include "models/port.h"
#include "models/support/units.h"
#include "models/waiting_reads.h"

namespace tilescope {

class Hbm {
 public:
  // Whoever asks for reads with tickets.
  class Owner {
   public:
    // It can be told that the read's data come later.
    virtual bool may_be_put_off(std::uint32_t ticket) = 0;
    // They come at `ready`.
    virtual void put_off(std::uint32_t ticket, Tick ready) = 0;

   protected:
    ~Owner() = default;
  };
  // `hash` and `owner` outlive it. `floor`: of its calendars. `owner`: null: there are no reads with tickets.
  Hbm(const GpuSpec& gpu, const AddressHash& hash, const CalendarFloor* floor = nullptr, Owner* owner = nullptr);

  // Fetches sectors of a line, widened to whole fetches: all of them are there when the last is at the slice.
  PortAnswer lookup(LineAddress line, SectorMask sectors, Tick now);
  // The same of a read that can be told of another time until its data are there, by its ticket.
  PortAnswer lookup(LineAddress line, SectorMask sectors, Tick now, std::uint32_t ticket);
  // Fetches no more than these sectors, to complete what is written of them. Returns the tick in which they have been
  // on the bus. Source: dram__bytes_read of sectors that leave L2 written in part, one of each line, is 32 B a sector
  // (gpu/microbench/counted_partial.cu).
  Tick complete(LineAddress line, SectorMask sectors, Tick now);
  // Takes sectors of a line to write back of which some are complete at `whole`, not before `now`: they wait to be
  // written from then on, behind the reads that have been promised a turn by then.
  void accept_when_whole(LineAddress line, SectorMask sectors, Tick whole, Tick now);
  // Takes sectors to write back. Returns the tick in which the channel has accepted them: later than `now` when as many
  // wait as go out together.
  Tick accept(LineAddress line, SectorMask sectors, Tick now);

  const HbmCounters& counters() const { return counters_; }
  // By channel: bytes read and written.
  std::vector<std::uint64_t> channel_bytes() const;

 private:
  static constexpr std::uint64_t kNone = ~0ULL;
  struct Bank {
    std::uint64_t place = kNone, place_before = kNone;  // open, or to be opened; open before
    Tick opened, opened_before;                         // from when on
    std::uint64_t row = kNone, row_before = kNone;      // the last two that were activated in `place`
    Tick active, active_before;                         // from when on
  };
  // Sectors that wait to be written from `whole` on.
  struct Incomplete {
    Tick whole;
    std::int64_t count;
  };
  struct PseudoChannel {
    Calendar bus;
    Calendar activations;
    std::uint64_t bytes = 0;             // read and written
    Tick read_until;                     // the bus has moved all reads
    std::vector<Incomplete> incomplete;  // a heap, the first to be whole on top
    std::int64_t to_write = 0;           // sectors that wait to be written
    std::int64_t room = 0;               // ... that the planned turn of writes takes; 0: none is planned
    std::int64_t came_before = 0;        // ... that there were when the last turn began
    Tick turn_begins, turn_ends;         // of the planned turn, or of the last one
    Tick kept_until;                     // the bus is kept for turns of writes and for the way back to reads
    std::vector<Bank> banks;
    WaitingReads waiting;
  };

  // Where a line is.
  struct Where {
    PseudoChannel& channel;
    std::uint64_t stack;
    std::uint64_t place;  // its bank_lines_ lines, in one bank
    std::size_t bank;
  };
  Where where(LineAddress line);
  // Counts the bytes of sectors that are written back.
  void count_written(PseudoChannel& channel, SectorMask sectors);
  // Puts `count` sectors among those that wait to be written. Returns when there is room for them.
  Tick wait_for_turn(PseudoChannel& channel, std::int64_t count, Tick now) const;
  // The same of those that are whole by now.
  void take_whole(PseudoChannel& channel, Tick now) const;
  // The turn of writes that is planned takes as many of those that wait as it has room for.
  void take_turn(PseudoChannel& channel) const;
  // Plans the next one, behind all reads that have a turn.
  void plan_turn(PseudoChannel& channel, Tick now) const;
  // The next turn of these sectors of a line on the bus.
  WaitingReads::Read turn_of(const Where& at, LineAddress line, SectorMask sectors, Tick now);
  // When they have been on it.
  Tick moved(const Where& at, const WaitingReads::Read& read) const {
    return after_refresh(at, read.turn) + read.bursts * burst_;
  }
  void put_off(const WaitingReads::Read& read) {
    owner_->put_off(read.ticket, moved(where(read.line), read) + latency_);
  }
  // Both, in order of arrival.
  Tick fetch(LineAddress line, SectorMask sectors, Tick now);
  // Opens the line's row if it is not. Returns from when on its data can be on the bus.
  Tick open_row(const Where& at, LineAddress line, Tick now);
  // How long the bus stands idle before `count` sectors of a line: the less the more fetches they are.
  Tick gap_before(std::int64_t count) const { return burst_gap_ / std::max<std::int64_t>(1, count / fetch_sectors_); }
  // `now`, or the end of the refresh that the place is in.
  Tick after_refresh(const Where& at, Tick now) const;
  SectorMask widen(SectorMask sectors) const;

  std::int64_t fetch_sectors_;  // that are read together
  std::uint64_t row_lines_;     // consecutive lines that one activation serves
  std::uint64_t bank_lines_;    // consecutive lines in the same bank of every pseudo channel
  std::uint64_t stacks_;
  std::uint64_t channels_, pseudo_channels_;  // of all; of one
  std::size_t banks_;                         // of a pseudo channel
  Tick burst_;                                // one sector on its bus
  Tick latency_;
  Tick row_cycle_;
  Tick activate_;
  Tick burst_gap_;
  Tick refresh_interval_;
  Tick refresh_;
  Tick read_to_write_, write_to_read_;
  Tick written_;              // what the bus needs for a sector that is written
  Tick queue_;                // of a pseudo channel: what the bus needs for it when it is full
  std::int64_t write_batch_;  // sectors
  const AddressHash& hash_;
  Owner* owner_;
  std::vector<PseudoChannel> parts_;  // those of a channel beside each other
  HbmCounters counters_;
};
static_assert(ReadPort<Hbm> && WritePort<Hbm>);

}  // namespace tilescope
