// Who gets which time of a shared resource, whatever the size of the ring that remembers it.
#include "models/calendar.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "models/support/bit_mixer.h"

using namespace tilescope;

namespace {

// The same with a memory for every span.
class EverySpan {
 public:
  Tick take(Tick now, Tick left) {
    const Tick span_ticks = 16 * kCycle;
    Tick end = now;
    for (std::int64_t span = now / span_ticks;; ++span) {
      Tick& taken = taken_[span];
      const Tick piece = std::min(left, span_ticks - taken);
      if (piece == Tick{}) continue;
      end = std::max(std::max(now, end), span * span_ticks + taken) + piece;
      taken += piece;
      left -= piece;
      if (left == Tick{}) return end;
    }
  }

 private:
  std::map<std::int64_t, Tick> taken_;
};

}  // namespace

TEST_CASE("a calendar that forgets what lies before its floor answers like one that forgets nothing") {
  struct {
    const char* what;
    std::uint64_t step, ahead, longest;  // cycles: from request to request, how far they look ahead, service
  } const rows[] = {{"seldom, and soon", 400, 900, 8},
                    {"often, and far ahead", 3, 20000, 4},
                    {"more than there is room for, in bursts", 1, 300, 5}};
  for (const auto& [what, step, ahead, longest] : rows) {
    CAPTURE(what);
    CalendarFloor floor;
    Calendar forgets(&floor), keeps;
    EverySpan reference;
    std::int64_t differ = 0;
    std::uint64_t now = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      now += scale_to(mix_bits(3 * i + 1), 2 * step);
      floor.time = to_ticks(static_cast<Cycle>(now));
      const Tick from = to_ticks(static_cast<Cycle>(now + scale_to(mix_bits(3 * i + 2), ahead)));
      const Tick service = Tick(1 + static_cast<std::int64_t>(scale_to(
                                        mix_bits(3 * i + 3), longest * static_cast<std::uint64_t>(kCycle.count()))));
      const Tick expected = reference.take(from, service);
      differ += forgets.take(from, service) != expected ? 1 : 0;
      differ += keeps.take(from, service) != expected ? 1 : 0;
    }
    CHECK(differ == 0);
  }
}
