// models/timed_queue.h: what waits for its time, taken out in the order in which it was put in.
#include "models/timed_queue.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace tilescope;

namespace {

struct Item {
  int number = 0;
  Cycle when = 0;
};
using Queue = TimedQueue<Item, &Item::when>;

std::vector<int> taken(Queue& queue, Cycle until) {
  std::vector<int> numbers;
  queue.take(until, [&](const Item& item) { numbers.push_back(item.number); });
  return numbers;
}

}  // namespace

TEST_CASE("what is due leaves in the order in which it came, whatever its time; the rest stays") {
  Queue queue;
  CHECK(queue.empty());
  CHECK(queue.earliest() == kNever);
  queue.push_back({1, 30});
  queue.push_back({2, 10});
  queue.push_back({3, 20});
  CHECK(taken(queue, 10).empty());
  CHECK(taken(queue, 21) == std::vector<int>{2, 3});
  CHECK(queue.earliest() == 30);
  CHECK(queue.size() == 1);
  CHECK(taken(queue, 31) == std::vector<int>{1});
  CHECK(queue.empty());
}

TEST_CASE("thousands that come and go are taken as if each were looked at every time") {
  std::mt19937 random(5);
  for (const Cycle far : {20, 300, 4000}) {
    CAPTURE(far);
    Queue queue;
    std::vector<Item> plain;
    int number = 0;
    for (Cycle now = 0; now < 3000; now += 40) {
      for (int i = 0; i < 90; ++i) {
        const Item item{number++, now + static_cast<Cycle>(random() % static_cast<unsigned>(far))};
        queue.push_back(item);
        plain.push_back(item);
      }
      std::vector<int> expected;
      Cycle earliest = kNever;
      std::erase_if(plain, [&](const Item& item) {
        if (item.when < now) expected.push_back(item.number);
        return item.when < now;
      });
      for (const Item& item : plain) earliest = std::min(earliest, item.when);
      CHECK(taken(queue, now) == expected);
      CHECK(queue.size() == plain.size());
      CHECK(queue.earliest() == earliest);
    }
  }
}

TEST_CASE("the last one put in that fits is found while it is there, and can be changed") {
  Queue queue;
  for (int number = 0; number < 200; ++number) queue.push_back({number % 100, number});
  const auto is_seven = [](const Item& item) { return item.number == 7; };
  Item* found = queue.find_last(is_seven);
  REQUIRE(found != nullptr);
  CHECK(found->when == 107);
  found->number = 1000;
  found = queue.find_last(is_seven);
  REQUIRE(found != nullptr);
  CHECK(found->when == 7);
  CHECK(taken(queue, 8).size() == 8);
  CHECK(queue.find_last(is_seven) == nullptr);
}
