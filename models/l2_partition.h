// One partition of the L2: slices over sectored tags. A slice looks up one line a clock, for reads and for stores;
// meanwhile it sends what it has of one, two sectors a clock, pauses after more than two, and takes in what was fetched
// for it or stored: four sectors in three clocks, two sectors a clock of a store to a line that has been stored to
// before. Sending and taking in last a clock at least. A look-up of a read that finds nothing takes no time. In front
// of it is an input that lets in one sector of a store a clock.
//
// Source: SMs that read one sector of each line get 79.8 a cycle from an H200's slices, which have 81 clocks in a cycle
// of the SMs, and 65.6 from an H100's, which have 68; two of each 76.5 and 65.6 lines, all four 36.9 and 31.4:
// 91 % of two sectors a clock on both (gpu/microbench/l2_shares.cu). Half lines of device memory come at 30.9 a cycle
// on an H200, through 1.5 slices each: 1.75 clocks a slice at most (strided in gpu/measured). Near lines are stored
// at 20.0 and 17.0 a cycle, 4 clocks of the input each (home_rates.cu). Of lines half of which are far, 8.8 to 9.2
// and 7.2 to 7.4 a cycle are copied, by way of 1.5 slices each: 9 clocks for what is read and what is written
// (home_rates.cu; copy in gpu/measured). Where half of the SMs store and half read, lines do not hold each other up,
// and of single sectors an H100's slices look up 69 a cycle, those that pass two slices twice (slice_shares.cu).
//
// Lines that were read and are then stored to are taken in like new ones: 792 CTAs of an H200 that store what they have
// read take 4,965 cycles in place and 4,945 elsewhere (cold_burst.cu).
//
// A sector that is written in part is not present: a read fetches what it lacks. A set holds few lines with such
// sectors; beyond them one is completed, with fetches of its own, and written back. Source: all reads of such sectors
// miss, and of 131,072 lines with a word stored to each sector two thirds are fetched and written back
// (counted_partial.cu).
//
// Both home lines and copies of lines whose home is the other partition live here. A sector whose data is still on its
// way counts as present, and is ready when the data is.
#pragma once

#include <cstdint>
#include <vector>

#include "models/address_hash.h"
#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/line_sample.h"
#include "models/memory_counters.h"
#include "models/memory_request.h"
#include "models/partial_words.h"
#include "models/port.h"
#include "models/replacement/chosen.h"
#include "models/sectored_tags.h"

namespace tilescope {

class L2Partition {
 public:
  struct Lookup {
    SectorMask present;
    SectorMask held;  // of the whole line
    Tick ready;       // the slice has looked up the line and sent those: it had their data, and was not busy
    Tick looked_up;   // the slice is done, whatever it found
    Tick began;       // atomics: the slice's atomic unit has taken it up
  };
  struct Evicted {
    LineAddress line;
    SectorMask dirty;    // sectors to write back; none: nothing to do
    SectorMask partial;  // of these, written in part: what they lack has to be fetched first
  };
  struct Written {
    Evicted evicted;
    Evicted completed;  // stays, but has more lines written in part beside it than a set may hold
  };

  // Of the given spec's L2, one partition with `size_mib / partitions`, for one line in `2^thin_shift` (LineSample).
  // `floor`: of its calendars.
  L2Partition(const GpuSpec& gpu, const AddressHash& hash, unsigned thin_shift, const CalendarFloor* floor = nullptr);

  // The line is looked up soon: SectoredTags::announce.
  void announce(LineAddress line) const { tags_.announce(line); }
  bool announce_found(LineAddress line) const { return tags_.announce_found(line); }

  // Looks up sectors for a read. The slice is busy for the look-up and for the sectors it sends.
  Lookup lookup(LineAddress line, SectorMask sectors, Tick now);
  // Puts sectors in, with data from `ready` on. Returns what had to leave. The slice takes them in by take_in().
  Evicted fill(LineAddress line, SectorMask sectors, Tick ready);
  // Data of a line that are still on their way come later, at `ready`.
  void put_off(LineAddress line, Tick ready);
  // Somebody has looked up data of the line that were still on their way.
  bool followed(LineAddress line);
  // The slice takes in what has come at `now`. Returns for how long stores that it has taken in hold it up.
  Tick take_in(LineAddress line, SectorMask sectors, Tick now);
  // Takes written sectors from the crossbar, whichever partition is their home. Returns when the slice has seen them.
  Tick accept(LineAddress line, SectorMask sectors, Tick now) { return accept(line, sectors, false, now); }
  // The same; `partial`: some of them are written in part.
  Tick accept(LineAddress line, SectorMask sectors, bool partial, Tick now);
  // Takes written sectors from the other partition. Returns when the slice has seen them.
  Tick accept_passed_on(LineAddress line, SectorMask sectors, Tick now);
  // How long each of them takes when nothing else has come.
  Tick least(LineAddress line, SectorMask sectors, bool partial);
  Tick least_passed_on(LineAddress line, SectorMask sectors);
  // Does an atomic on sectors, of which those not present have to be fetched: the slice's atomic unit takes a time for
  // each, longer for one that changes in part, and waits for the one before when both are floating-point on the same
  // word. Sets `began` too.
  Lookup atomic(const MemoryRequest& request, Tick now);
  // Keeps sectors that it has seen, of which these words are written (MemoryRequest::words). A sector counts as present
  // when it was, or when all of its words have been written. Returns what had to leave.
  Written write(LineAddress line, SectorMask sectors, std::uint32_t words = PartialWords::kAll);
  // Keeps sectors written by SMs beside it whose home is the other partition. Returns what had to leave.
  Evicted keep(LineAddress line, SectorMask sectors, std::uint32_t words = PartialWords::kAll);
  // Forgets sectors of a copy that the home partition has overwritten.
  void invalidate(LineAddress line, SectorMask sectors);

  // Holds what `before` holds, all of it there at once. REQUIRES: a partition of the same L2, for the same lines.
  void begin_as_left_by(const L2Partition& before);

  // By slice: sectors that it has taken in or given.
  const std::vector<std::uint64_t>& slice_sectors() const { return slice_sectors_; }

 private:
  // Of a slice, for data that it gives or takes; one L2 clock at least.
  Tick time_of(SectorMask sectors, std::int64_t bytes_per_clock) const;
  // Of a line, in one word, as the host reads them here and there in megabytes.
  class Sectors {
   public:
    Tick ready() const { return Tick(static_cast<std::int64_t>(ready_)); }
    SectorMask present() const { return SectorMask(present_); }
    SectorMask dirty() const { return SectorMask(dirty_); }
    SectorMask partial() const { return SectorMask(partial_); }  // not present, some of their words are
    bool written() const { return written_ != 0; }    // an SM of this partition or of the other has stored to it
    bool followed() const { return followed_ != 0; }  // by another look-up, while data were on their way
    void set_followed(bool followed) { followed_ = followed ? 1 : 0; }
    void set_written() { written_ = 1; }
    void set_ready(Tick ready) { ready_ = static_cast<std::uint64_t>(ready.count()) & kLatest; }
    void set_present(SectorMask sectors) { present_ = sectors.bits() & kAll; }
    void set_dirty(SectorMask sectors) { dirty_ = sectors.bits() & kAll; }
    void set_partial(SectorMask sectors) { partial_ = sectors.bits() & kAll; }

   private:
    static constexpr std::uint64_t kLatest = (1ULL << 50U) - 1;  // 2^40 cycles
    static constexpr unsigned kAll = 15;
    std::uint64_t ready_ : 50 = 0, followed_ : 1 = 0, written_ : 1 = 0, present_ : 4 = 0, dirty_ : 4 = 0,
                           partial_ : 4 = 0;
  };
  using Tags = SectoredTags<Sectors, ChosenReplacement>;
  static Tags make_tags(const GpuSpec& gpu, const AddressHash& hash, unsigned thin_shift);
  Sectors& claim(LineAddress line, Evicted& evicted);
  void take_words(Sectors& here, LineAddress line, SectorMask sectors, std::uint32_t words);
  // These are whole, or gone.
  void drop_partial(Sectors& here, LineAddress line, SectorMask sectors);
  // Where lines of the set beside this one are written in part, more than may be: the one used least recently.
  Evicted complete(const Sectors& beside, LineAddress line);

  const AddressHash& hash_;
  Tick lookup_;    // one L2 clock
  Tick send_gap_;  // after what takes longer than a clock to send
  std::int64_t slice_bytes_, slice_write_bytes_;
  Tick sector_in_, partial_in_;
  Tick atomic_sector_, atomic_partial_, atomic_compare_, atomic_repeat_;
  struct Repeat {  // the last floating-point atomic that a slice did on one word
    LineAddress line = LineAddress::none();
    std::uint8_t word = 0;
    Tick next;  // one on the same word begins
  };
  std::vector<Repeat> repeats_;                      // of the slices
  std::vector<Calendar> inputs_;                     // of the slices, from the crossbar
  std::vector<Calendar> tag_ports_, sends_, takes_;  // of the slices
  std::vector<Calendar> fills_;                      // ... what they take in, as if there were no stores
  std::vector<std::uint64_t> slice_sectors_;         // that each has taken in or given
  std::size_t partial_lines_;                        // of a set
  PartialWords partial_words_;
  Tags tags_;
};
static_assert(CachePort<L2Partition> && WritePort<L2Partition>);

}  // namespace tilescope
