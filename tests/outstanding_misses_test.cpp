// models/outstanding_misses.h: who is told of a line's arrival, and when there is a place for one more.
#include "models/outstanding_misses.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace tilescope;

namespace {

MemoryRequest request(RequestKind kind) {
  MemoryRequest one;
  one.kind = kind;
  return one;
}

std::vector<int> warps(const std::vector<OutstandingMisses::Arrival>& arrivals) {
  std::vector<int> all;
  all.reserve(arrivals.size());
  for (const OutstandingMisses::Arrival& arrival : arrivals) all.push_back(arrival.warp);
  return all;
}

}  // namespace

TEST_CASE("an instruction is complete with the last of its lines, of reads and of writes; several may share a line") {
  OutstandingMisses misses(100, 0);
  std::vector<OutstandingMisses::Arrival> arrivals;
  const auto first = misses.begin(1, 0), second = misses.begin(2, 1), third = misses.begin(3, 2),
             stores = misses.begin(4, 6);
  const auto shared = misses.send(request(RequestKind::read), 10);
  misses.wait_for(shared, first);
  misses.wait_for(shared, second);
  misses.wait_for(shared, third);
  const auto own = misses.send(request(RequestKind::read), 11, first);
  const auto one = misses.send(request(RequestKind::write), 12, stores);
  const auto other = misses.send(request(RequestKind::partial_write), 13, stores);
  const auto unasked = misses.send(request(RequestKind::write), 14);
  CHECK(misses.outbox().size() == 5);

  CHECK(misses.deliver({shared, 500}, arrivals).is_read);
  CHECK(warps(arrivals) == std::vector<int>{3, 2});
  CHECK_FALSE(misses.deliver({one, 700}, arrivals).is_read);
  CHECK_FALSE(misses.deliver({unasked, 600}, arrivals).is_read);
  CHECK(arrivals.size() == 2);
  misses.deliver({own, 400}, arrivals);
  misses.deliver({other, 650}, arrivals);
  CHECK(warps(arrivals) == std::vector<int>{3, 2, 1, 4});
  CHECK(arrivals[2].ready == 500);
  CHECK(arrivals[3].ready == 700);
}

TEST_CASE("a read that is open takes more sectors, until its time or until it is served") {
  OutstandingMisses misses(100, 0);
  MemoryRequest read = request(RequestKind::read);
  read.sectors = SectorMask::of(0);
  const auto fill = misses.send(read, 10);
  for (int i = 0; i < 200; ++i) misses.send(request(RequestKind::write), 20);
  MemoryRequest bulk = request(RequestKind::bulk_read);  // whose numbers are those of copies
  bulk.fill = fill;
  bulk.time = 20;
  misses.outbox().push_back(bulk);
  CHECK_FALSE(misses.join(fill, SectorMask::of(1), false, 10));  // not left open
  misses.leave_open(fill, 17);
  CHECK(misses.join(fill, SectorMask::of(1), true, 16));
  CHECK_FALSE(misses.join(fill, SectorMask::of(2), false, 17));
  int reads = 0;
  misses.outbox().take(11, [&](const MemoryRequest& one) {
    ++reads;
    CHECK(one.fill == fill);
    CHECK(one.sectors == SectorMask(0b0011));
    CHECK(one.whole_line);
  });
  CHECK(reads == 1);
  CHECK_FALSE(misses.join(fill, SectorMask::of(2), false, 12));
}

TEST_CASE("there is room as long as fewer lines are on their way than may be, from each arrival on") {
  std::mt19937 random(11);
  for (const std::int64_t most : {4, 64, 5000}) {
    CAPTURE(most);
    OutstandingMisses misses(most, 0);
    std::vector<OutstandingMisses::Arrival> arrivals;
    std::vector<Cycle> known;          // arrivals that are known
    std::vector<std::uint32_t> asked;  // and requests that are not answered
    std::int64_t out = 0;
    for (Cycle now = 0; now < 4000; ++now) {
      out -= static_cast<std::int64_t>(std::erase_if(known, [now](Cycle ready) { return ready <= now; }));
      const Cycle room = misses.room(now);
      REQUIRE(room == (out < most ? 0 : known.empty() ? kNever : *std::min_element(known.begin(), known.end())));
      if (room == 0)
        for (unsigned lines = random() % 7; lines > 0; --lines, ++out)
          asked.push_back(misses.send(request(random() % 2 == 0 ? RequestKind::read : RequestKind::write), now));
      if (now % 50 != 49) continue;
      for (const std::uint32_t fill : asked) {
        known.push_back(now + 1 + static_cast<Cycle>(random() % 900));
        misses.deliver({fill, known.back()}, arrivals);
      }
      asked.clear();
    }
  }
}
