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
  void at(Cycle time, std::function<void(Cycle)> what) { events_.push({time, number_++, std::move(what)}); }
  // Serves a read of the time that it is; done(ready): its data is usable in the SM then.
  void load(MemoryRequest request, std::function<void(Cycle)> done) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(waiting_.size()));
      waiting_.emplace_back();
    }
    request.fill = free_.back();
    free_.pop_back();
    const Cycle ready = memory.serve(request);
    waiting_[request.fill] = std::move(done);
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
      event.what(event.time);
    }
  }

  MemorySystem memory;

 private:
  struct Event {
    Cycle time;
    std::uint64_t number;
    std::function<void(Cycle)> what;
    bool operator<(const Event& other) const { return std::tie(time, number) > std::tie(other.time, other.number); }
  };
  void reply(std::uint32_t fill, Cycle ready) {
    const std::function<void(Cycle)> done = std::exchange(waiting_[fill], nullptr);
    free_.push_back(fill);
    done(ready);
  }

  std::priority_queue<Event> events_;  // the earliest first
  std::uint64_t number_ = 0;
  HeldReplies held_;
  std::vector<HeldReplies::Held> replies_;
  std::vector<std::function<void(Cycle)>> waiting_;  // by fill
  std::vector<std::uint32_t> free_;                  // fills
};

}  // namespace tilescope::test
