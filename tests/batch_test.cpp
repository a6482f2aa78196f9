#include "sim/studies/batch.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace tilescope;

namespace {

std::vector<double> some_work(std::size_t cases) {
  std::vector<double> work;
  for (std::size_t i = 0; i < cases; ++i) work.push_back(static_cast<double>(i * 7 % 5));
  return work;
}

}  // namespace

TEST_CASE("every case runs once, whatever the number of threads and the work") {
  for (const std::size_t cases : {0, 1, 2, 7, 100})
    for (const int threads : {-1, 1, 2, 3, 16})
      for (const bool weighed : {false, true}) {
        CAPTURE(cases);
        CAPTURE(threads);
        std::vector<int> runs(cases, 0);
        BatchOptions options;
        options.threads = threads;
        if (weighed) options.work = some_work(cases);
        BatchProgress last;
        options.on_progress = [&](const BatchProgress& now) { last = now; };
        const BatchEnd end = run_batch(
            cases, [&](const BatchCase& one) { ++runs[one.number()]; }, options);
        CHECK(runs == std::vector<int>(cases, 1));
        CHECK(!end.stopped);
        end.rethrow_first();
        if (cases == 0) continue;
        CHECK(last.done == cases);
        CHECK(last.of == cases);
        CHECK(last.fraction == 1);
      }
}

TEST_CASE("of unequal cases the longest begin first; of equal ones every thread has neighbours") {
  std::vector<std::size_t> order;
  BatchOptions options;
  options.work = {1, 5, 3, 5, 0};
  run_batch(
      5, [&](const BatchCase& one) { order.push_back(one.number()); }, options);
  CHECK(order == std::vector<std::size_t>{1, 3, 2, 0, 4});

  order.clear();
  options.work.clear();
  run_batch(
      5, [&](const BatchCase& one) { order.push_back(one.number()); }, options);
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("what a case throws is that case's alone; the first by number comes out") {
  for (const int threads : {1, 4}) {
    std::atomic<int> runs = 0;
    BatchOptions options;
    options.threads = threads;
    const BatchEnd end = run_batch(
        20,
        [&](const BatchCase& one) {
          ++runs;
          if (one.number() % 7 == 5) throw std::runtime_error("case " + std::to_string(one.number()));
        },
        options);
    CHECK(runs == 20);
    CHECK(!end.stopped);
    for (std::size_t i = 0; i < 20; ++i) CHECK((end.errors[i] != nullptr) == (i % 7 == 5));
    CHECK_THROWS_WITH_AS(end.rethrow_first(), "case 5", std::runtime_error);
  }
}

TEST_CASE("a request to stop ends what runs and begins nothing more") {
  for (const int threads : {1, 3}) {
    std::atomic<int> stop = 0;
    std::atomic<int> ended = 0;
    BatchOptions options;
    options.threads = threads;
    options.stop = &stop;
    const BatchEnd end = run_batch(
        100,
        [&](const BatchCase& one) {
          if (one.number() == 0) stop = 2;
          while (true) {
            one.at(0.5);
            if (stop == 0 && one.number() > 0) break;
          }
          ++ended;
        },
        options);
    CHECK(end.stopped);
    CHECK(ended < 100);
    end.rethrow_first();
  }
}

TEST_CASE("what the progress callback throws stops the batch and comes through") {
  BatchOptions options;
  options.work = {2, 2, 4};  // the third begins, and is half done for good
  options.on_progress = [](const BatchProgress& now) {
    CHECK(now.fraction == doctest::Approx(0.25));
    throw std::runtime_error("enough");
  };
  const auto forever = [](const BatchCase& one) {
    while (true) one.at(0.5);
  };
  CHECK_THROWS_WITH_AS(run_batch(3, forever, options), "enough", std::runtime_error);
}

TEST_CASE("progress is told by the calling thread") {
  const auto caller = std::this_thread::get_id();
  BatchOptions options;
  options.threads = 4;
  int calls = 0;
  options.on_progress = [&](const BatchProgress&) {
    ++calls;
    CHECK(std::this_thread::get_id() == caller);
  };
  run_batch(
      50, [&](const BatchCase& one) { one.at(0.5); }, options);
  CHECK(calls >= 1);
}
