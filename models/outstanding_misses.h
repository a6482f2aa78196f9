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
  // Sends a request at `when`. Its reply frees the place that it takes.
  Fill send(MemoryRequest request, Cycle when);
  std::vector<MemoryRequest>& outbox() { return outbox_; }

  // When the next request may leave as far as places are concerned: 0 when there is one, the arrival that frees one
  // when it is known, kNever when it is not known yet.
  Cycle room(Cycle now);

  // Takes the chip's answer; appends instructions that are now complete. Returns the line that has come, for reads.
  struct Delivered {
    LineAddress line;
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
    std::uint32_t first_waiter = kNone;
    std::uint32_t next_free = 0;
    bool is_read = false;
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
  std::int64_t in_flight_ = 0;  // lines
  std::vector<Cycle> known_;    // min-heap: arrivals that will free a place
  std::vector<MemoryRequest> outbox_;
  Pool<Instruction> instructions_;
  Pool<Line> lines_;
  Pool<Waiter> waiters_;
};

}  // namespace tilescope
