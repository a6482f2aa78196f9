// What one SM waits for from the chip: lines on their way, the instructions that wait for them, and how many there are.
//
// A miss leaves as a request; its arrival is learnt later, never earlier than one look-ahead window. Several
// instructions may wait for one line.
#pragma once

#include <cstdint>
#include <vector>

#include "models/async_copies.h"
#include "models/memory_request.h"
#include "models/support/units.h"
#include "models/timed_queue.h"

namespace tilescope {

class OutstandingMisses {
 public:
  using Waiting = std::uint32_t;  // an instruction that waits for lines
  using Fill = std::uint32_t;     // a line on its way
  static constexpr std::uint32_t kNone = ~0U;

  OutstandingMisses(std::int64_t most_lines, int sm) : most_(most_lines), sm_(static_cast<std::uint16_t>(sm)) {}

  // An instruction whose last line has an arrival time.
  struct Arrival {
    std::uint16_t warp;
    std::uint8_t scoreboard;
    AsyncCopies::Group group;
    std::uint16_t passes;  // of the data stage, when its data have come
    Cycle ready;
  };

  // An instruction of `warp` that is ready at not_before(...) or when its last line is here, whichever is later. It
  // sets `scoreboard` or, as an asynchronous copy, belongs to `group`.
  Waiting begin(std::uint16_t warp, std::uint8_t scoreboard, AsyncCopies::Group group = AsyncCopies::kNone);
  void wait_for(Fill fill, Waiting waiting);
  void passes_later(Waiting waiting, std::int64_t passes) {
    instructions_.all[waiting].passes = static_cast<std::uint16_t>(passes);
  }
  void not_before(Waiting waiting, Cycle latest) { instructions_.all[waiting].latest = latest; }
  // Sends a request at `when`. Its reply frees the place that it takes; `waiting` waits for it, too. Nobody can begin
  // to wait for a write later.
  Fill send(MemoryRequest request, Cycle when, Waiting waiting = kNone);
  // A read with what it asks for can be changed until `open_until`: from then on join() takes no more.
  void leave_open(Fill fill, Cycle open_until) { lines_.all[fill].open_until = open_until; }
  // Adds sectors that are looked up at `now` to a read; false if it is no longer open.
  bool join(Fill fill, SectorMask sectors, bool whole_line, Cycle now);
  // Adds sectors, of which these words are whole, to a store to the line that has not left, which then does not before
  // `when`. Returns what its sectors were, and whether there was one.
  struct Joined {
    SectorMask before;
    bool done = false;
  };
  Joined join_store(LineAddress line, SectorMask sectors, std::uint32_t words, Cycle when);
  using Outbox = TimedQueue<MemoryRequest, &MemoryRequest::time>;
  Outbox& outbox() { return outbox_; }

  // When the next request may leave as far as places are concerned: 0 when there is one, the arrival that frees one
  // when it is known, kNever when it is not known yet.
  Cycle room(Cycle now);

  // Takes the chip's answer; appends instructions that are now complete. Returns the line that has come, for reads.
  struct Delivered {
    LineAddress line = LineAddress::none();
    bool is_read = false;
  };
  Delivered deliver(const MemoryReply& reply, std::vector<Arrival>& arrivals);

 private:
  struct Instruction {
    Cycle latest = 0;
    std::uint32_t lines_out = 0;
    std::uint32_t next_free = 0;
    AsyncCopies::Group group = AsyncCopies::kNone;
    std::uint16_t warp = 0;
    std::uint16_t passes = 0;
    std::uint8_t scoreboard = 0;
  };
  struct Line {
    LineAddress line;
    Waiting first_waiter = kNone;  // most lines have one
    std::uint32_t others = kNone;  // who came later, the last one first
    std::uint32_t next_free = 0;
    bool is_read = false;
    Cycle open_until = 0;
  };
  struct Waiter {
    Waiting waiting = 0;
    std::uint32_t next_free = 0;  // or the next of the same line
  };
  // Places of a vector that are used again.
  template <class T>
  struct Pool {
    std::vector<T> all;
    std::uint32_t free = kNone;
    std::uint32_t take() {
      if (free == kNone) {
        all.emplace_back();
        return static_cast<std::uint32_t>(all.size() - 1);
      }
      const std::uint32_t index = free;
      free = all[index].next_free;
      return index;
    }
    void give_back(std::uint32_t index) {
      all[index].next_free = free;
      free = index;
    }
  };

  std::int64_t most_;
  std::uint16_t sm_;
  static constexpr std::size_t kFewKnown = 256;
  // A write is known by the instruction that waits for it, from 1 on; 0: none does.
  static constexpr Fill kWrite = 1U << 31U;

  void answered(Waiting waiting, Cycle ready, std::vector<Arrival>& arrivals);
  void drop_arrived(Cycle now);

  std::int64_t in_flight_ = 0;  // lines, and those that have come since places were counted last
  // Arrivals that will free a place, or have. There is nearly always one, so they are looked through only when there
  // may be none, or when they have become many; in order are those that were still to come when there was none.
  std::vector<Cycle> known_;
  std::size_t many_known_ = kFewKnown;
  std::vector<Cycle> known_in_order_;  // min-heap
  Outbox outbox_;
  Pool<Instruction> instructions_;
  Pool<Line> lines_;
  Pool<Waiter> waiters_;
};

}  // namespace tilescope
