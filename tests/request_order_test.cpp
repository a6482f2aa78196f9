// sim/engine/request_order.h: what SMs have sent, in the order in which the chip serves it.
#include "sim/engine/request_order.h"

#include <doctest/doctest.h>

#include <random>

using namespace tilescope;

namespace {

MemoryRequest sent(Cycle time, std::uint16_t sm, std::uint32_t fill) {
  MemoryRequest request;
  request.time = time;
  request.sm = sm;
  request.fill = fill;
  return request;
}

std::vector<std::uint32_t> served(RequestOrder& order) {
  std::vector<std::uint32_t> fills;
  order.each([&](const MemoryRequest& request) { fills.push_back(request.fill); });
  return fills;
}

}  // namespace

TEST_CASE("requests are served by time, then by SM, then as sent") {
  std::vector<MemoryRequest> first = {sent(9, 0, 1), sent(5, 0, 2), sent(5, 0, 3)};
  std::vector<MemoryRequest> second = {sent(5, 1, 4), sent(4, 1, 5)};
  RequestOrder order;
  order.take(first, 100);
  order.take(second, 100);
  CHECK(served(order) == std::vector<std::uint32_t>{5, 2, 3, 4, 1});
  CHECK(first.empty());
  CHECK(order.earliest_kept() == kNever);
}

TEST_CASE("a request of a later window stays where it is, and is served in its turn") {
  std::vector<MemoryRequest> outbox = {sent(30, 1, 1), sent(5, 1, 2), sent(20, 1, 3)};
  RequestOrder order;
  order.take(outbox, 20);
  CHECK(served(order) == std::vector<std::uint32_t>{2});
  CHECK(order.earliest_kept() == 20);
  std::vector<MemoryRequest> other = {sent(20, 0, 4)};
  order.clear();
  order.take(other, 40);
  order.take(outbox, 40);
  CHECK(served(order) == std::vector<std::uint32_t>{4, 3, 1});
}

TEST_CASE("few requests far apart come in the same order as many near each other") {
  std::mt19937 random(7);
  for (const Cycle apart : {1, 40, 4'000'000}) {
    CAPTURE(apart);
    RequestOrder order;
    std::vector<MemoryRequest> all;
    for (std::uint16_t sm = 0; sm < 8; ++sm) {
      std::vector<MemoryRequest> outbox;
      outbox.reserve(50);
      for (int i = 0; i < 50; ++i)
        outbox.push_back(sent(static_cast<Cycle>(random() % 60) * apart, sm,
                              static_cast<std::uint32_t>(all.size() + outbox.size())));
      all.insert(all.end(), outbox.begin(), outbox.end());
      order.take(outbox, kNever);
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    std::vector<std::uint32_t> expected;
    expected.reserve(all.size());
    for (const MemoryRequest& request : all) expected.push_back(request.fill);
    CHECK(served(order) == expected);
  }
}
