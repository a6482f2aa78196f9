// The L1 data cache of one SM: sectored lines, write-through, no allocation by stores.
//
// Only missing sectors are fetched. A sector that was asked for but has not arrived is *pending*: later loads wait for
// the same fill and count as hits, as the hardware's counters do.
//
// Tags tell as many lines apart as the array that L1 divides with shared memory would hold; data has room in its part
// of the array only, less some lines. When that is full, a new line takes the place of the one of its set; if the
// set is empty, of one of the next set that is not. Source: l1_sets, l1_room; what goes when the room is full is a
// guess (docs/memory-system.md).
#pragma once

#include <array>
#include <cstdint>

#include "models/gpu_spec.h"
#include "models/l1_set_index.h"
#include "models/replacement/last_hits_kept.h"
#include "models/sectored_tags.h"
#include "models/support/units.h"

namespace tilescope {

class L1Cache {
 public:
  static constexpr std::uint32_t kNoFill = ~0U;

  // `capacity_kib`: what the carve-out leaves. A cache of less than one set holds nothing. `thin_shift`: only one line
  // in 2^thin_shift will come here (LineSample), and the capacity shrinks with it.
  L1Cache(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift = 0);

  struct Lookup {
    SectorMask present;                                      // sectors whose data is here, or will be at `ready`
    SectorMask pending;                                      // sectors on their way under the fills in `waits_for`
    SectorMask missing;                                      // sectors nobody has asked for
    SectorMask under_way;                                    // of the whole line, sectors that are on their way
    Cycle ready = 0;                                         // when the last of the present ones can be read
    std::array<std::uint32_t, kSectorsPerLine> waits_for{};  // by sector, valid where under way
  };
  Lookup load(LineAddress line, SectorMask sectors);
  // Makes room for the missing sectors and marks them pending under `fill`. The line that goes for them may itself wait
  // for data, which then go to the registers only.
  void allocate(LineAddress line, SectorMask missing, std::uint32_t fill);
  // Keeps sectors that a store to local memory writes, readable from `ready` on. Returns those that were here before.
  SectorMask keep(LineAddress line, SectorMask sectors, Cycle ready);
  // Drops every line that keep() has not brought: CCTL.IVALL leaves local memory alone. False when there was none.
  bool invalidate();
  // The data of `fill` arrives at `ready`.
  void filled(LineAddress line, std::uint32_t fill, Cycle ready);

 private:
  struct Sectors {
    Cycle ready = 0;
    std::array<std::uint32_t, kSectorsPerLine> fill{kNoFill, kNoFill, kNoFill, kNoFill};
    SectorMask present;
    SectorMask pending;
    bool local = false;       // kept across invalidations
    std::uint32_t epoch = 0;  // of the invalidation before which it came
  };
  using Tags = SectoredTags<Sectors, LastHitsKept, L1SetIndex>;

  static std::size_t room(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift);
  static Tags make_tags(const L1Spec& spec, const L1SetIndex& index);
  L1Cache(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift, const L1SetIndex& index);
  // Null when the line is not here, or came before the last invalidation; otherwise a hit.
  Sectors* find(LineAddress line);
  Sectors& claim(LineAddress line);
  Sectors& gives_room(LineAddress line);
  void drop(Sectors& way);
  // It has come, or is kept, since the last invalidation.
  bool lives(const Sectors& way) const {
    return (way.epoch == epoch_ || way.local) && tags_.line_of(way) != LineAddress::none();
  }

  std::size_t sets_, room_;            // lines of which there is room for data
  std::size_t living_ = 0, kept_ = 0;  // lines in use; ... which an invalidation leaves
  std::size_t next_set_ = 0;
  bool holds_nothing_;
  Tags tags_;
  std::uint32_t epoch_ = 0;
  bool filled_since_ = false;  // the last invalidation
};

}  // namespace tilescope
