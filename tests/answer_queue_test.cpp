#include "models/answer_queue.h"

#include <doctest/doctest.h>

#include <vector>

#include "models/part_cycles.h"

using namespace tilescope;

TEST_CASE("answers come in order of time, and of equal times as they became known") {
  AnswerQueue answers;
  CHECK(answers.next() == kNever);
  const struct {
    std::uint16_t warp;
    Cycle ready;
  } known[] = {{0, 30}, {1, 10}, {2, 30}, {3, 20}, {4, 10}};
  for (const auto& one : known) answers.push({one.warp, 0, AsyncCopies::kNone, 1, one.ready});
  for (const int warp : {1, 4, 3, 0, 2}) {
    CHECK(answers.next() == known[warp].ready);
    CHECK(answers.pop().warp == warp);
  }
  CHECK(answers.next() == kNever);
}

TEST_CASE("parts of cycles add up: what comes together costs their sum, rounded down") {
  for (const double each : {0.0, 0.25, 0.35, 1.0, 1.8}) {
    PartCycles cost(each);
    Cycle sum = 0;
    for (int n = 1; n <= 1000; ++n) {
      sum += cost.next();
      CAPTURE(each);
      CHECK(static_cast<double>(sum) <= n * each + 0.01 * n);
      CHECK(static_cast<double>(sum) > n * each - 1 - 0.01 * n);
    }
  }
}
