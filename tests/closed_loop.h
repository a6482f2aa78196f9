// Loads and stores that begin when others are done, served by a memory system alone, in order of time, as the engine
// serves those of its SMs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engine/held_replies.h"
#include "sim/engine/memory_system.h"

namespace tilescope::test {

class ClosedLoop {
 public:
  explicit ClosedLoop(const GpuSpec& gpu) : memory(gpu) {}

  // what(time) happens at `time`. REQUIRES: not before what happens now.
  void at(Cycle time, std::function<void(Cycle)> what) {
    events_.push({time, number_++, place_in(whats_, free_whats_, std::move(what))});
  }
  // Serves a read of the time that it is; done(ready): its data is usable in the SM then.
  void load(MemoryRequest request, std::function<void(Cycle)> done) {
    request.fill = place_in(waiting_, free_, std::move(done));
    const Cycle ready = memory.serve(request);
    if (memory.coming())
      held_.add(*memory.coming(), request.fill, request.sm);
    else
      reply(request.fill, ready);
  }
  // Until nothing happens any more, or not before `end`.
  void run(Cycle end = kNever) {
    while (true) {
      const Cycle next = events_.empty() ? kNever : events_.top().time;
      if (!held_.empty() && held_.earliest() < next + (next == kNever ? 0 : memory.request_cycles())) {
        replies_.clear();
        held_.take_in(memory, held_.earliest() + 1,
                      [this](const HeldReplies::Held& held) { replies_.push_back(held); });
        for (const HeldReplies::Held& one : replies_) reply(one.fill, one.ready);
        continue;
      }
      if (events_.empty() || next >= end) return;
      const Event event = events_.top();
      events_.pop();
      memory.begin_round();
      taken_from(whats_, free_whats_, event.what)(event.time);
    }
  }

  MemorySystem memory;

 private:
  using What = std::function<void(Cycle)>;
  struct Event {
    Cycle time;
    std::uint64_t number;
    std::uint32_t what;  // its place
    bool operator<(const Event& other) const { return std::tie(time, number) > std::tie(other.time, other.number); }
  };
  static std::uint32_t place_in(std::vector<What>& all, std::vector<std::uint32_t>& free, What what) {
    if (free.empty()) {
      free.push_back(static_cast<std::uint32_t>(all.size()));
      all.emplace_back();
    }
    const std::uint32_t place = free.back();
    free.pop_back();
    all[place] = std::move(what);
    return place;
  }
  static What taken_from(std::vector<What>& all, std::vector<std::uint32_t>& free, std::uint32_t place) {
    free.push_back(place);
    return std::exchange(all[place], nullptr);
  }
  void reply(std::uint32_t fill, Cycle ready) { taken_from(waiting_, free_, fill)(ready); }

  std::priority_queue<Event> events_;  // the earliest first
  std::uint64_t number_ = 0;
  HeldReplies held_;
  std::vector<HeldReplies::Held> replies_;
  std::vector<What> waiting_;        // by fill
  std::vector<std::uint32_t> free_;  // fills
  std::vector<What> whats_;          // of events
  std::vector<std::uint32_t> free_whats_;
};

}  // namespace tilescope::test
