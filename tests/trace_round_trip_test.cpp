#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/trace_sample_kernel.h"
#include "traces/file/trace_info.h"
#include "traces/file/trace_reader.h"

namespace tilescope::test {

TEST_CASE("a trace gives back the kernel that was recorded, segment for segment") {
  for (const std::size_t block_bytes : {1, 100, 128 * 1024}) {
    CAPTURE(block_bytes);
    const SampleKernel kernel;
    const TemporaryFile file(recorded(kernel, {3, block_bytes}));
    CHECK(same_kernel(kernel, *open_trace(file.path())));
    CHECK_NOTHROW(validate_trace(file.path()));
  }
}

TEST_CASE("recording the trace of a trace gives the same bytes") {
  const SampleKernel kernel;
  const std::string first = recorded(kernel);
  const TemporaryFile file(first);
  CHECK(recorded(*open_trace(file.path())) == first);
}

TEST_CASE("the ids of the kernel's patterns do not reach the trace") {
  const SampleKernel kernel, other;
  other.rows(0, 64, 0xF0F0F0F0U, 8);  // interned first, used by no warp
  CHECK(recorded(kernel) == recorded(other));
}

TEST_CASE("keys are numbered by their first use, whatever numbers the kernel gave out") {
  struct Renumbered : SampleKernel {
    std::vector<Planned> plan(std::int64_t cta, int warp) const override {
      auto segments = SampleKernel::plan(cta, warp);
      for (Planned& planned : segments) planned.key = planned.key == 0 ? 0 : 1000 - planned.key;
      return segments;
    }
  };
  CHECK(recorded(Renumbered()) == recorded(SampleKernel()));
}

TEST_CASE("warps can be read in any order") {
  const SampleKernel kernel({7, 3, 2});
  const TemporaryFile file(recorded(kernel, {3, 200}));
  const auto trace = open_trace(file.path());
  const auto expected = kernel.make_stream(), actual = trace->make_stream();
  for (std::int64_t i = 0; i < 42 * 3; ++i) {
    const std::int64_t warp = i * 53 % (42 * 3);  // coprime: each once
    CAPTURE(warp);
    CHECK(same_warp(kernel, *expected, *trace, *actual, warp / 3, static_cast<int>(warp % 3)));
  }
}

TEST_CASE("a stream can begin another warp before it has finished one") {
  const SampleKernel kernel;
  const TemporaryFile file(recorded(kernel));
  const auto trace = open_trace(file.path());
  const auto expected = kernel.make_stream(), actual = trace->make_stream();
  Segment segment;
  actual->start(4, 1, Operands::all);
  REQUIRE(actual->next(segment));
  REQUIRE(actual->next(segment));
  CHECK(same_warp(kernel, *expected, *trace, *actual, 4, 1));
}

TEST_CASE("two threads read one trace at once") {
  const SampleKernel kernel({40, 1, 1});
  const TemporaryFile file(recorded(kernel, {3, 300}));
  const auto trace = open_trace(file.path());
  std::atomic<int> wrong{0};
  const auto read = [&](std::int64_t from, std::int64_t step) {
    const SampleKernel own({40, 1, 1});
    const auto expected = own.make_stream(), actual = trace->make_stream();
    for (std::int64_t cta = from; cta >= 0 && cta < 40; cta += step)
      for (int warp = 0; warp < 3; ++warp)
        if (!same_warp(own, *expected, *trace, *actual, cta, warp)) ++wrong;
  };
  std::thread up(read, 0, 1), down(read, 39, -1);
  up.join();
  down.join();
  CHECK(wrong == 0);
}

TEST_CASE("what the tables say about a trace is what its streams give") {
  const SampleKernel kernel;
  std::ostringstream out;
  const RecordTotals totals = record_trace(kernel, out);
  const TemporaryFile file(out.str());
  const TraceInfo info = read_trace_info(file.path());

  CHECK(totals.file_bytes == out.str().size());
  CHECK(info.file_bytes == totals.file_bytes);
  CHECK(info.encoded_bytes == totals.encoded_bytes);
  CHECK(info.warps == 18);
  CHECK(info.segments == totals.segments);
  CHECK(info.segments == 18 * 7 + 9);  // half the CTAs take one step more
  CHECK(info.instructions == totals.instructions);
  CHECK(info.operands == totals.operands);
  const auto of = [&](OpClass op) { return info.instructions_by_class[static_cast<std::size_t>(op)]; };
  CHECK(of(OpClass::exit) == 18);
  CHECK(of(OpClass::async_copy) == 18 * 5 + 9);
  CHECK(of(OpClass::global_load) == 18);
  CHECK(of(OpClass::tensor) == 0);
}

TEST_CASE("a regular loop costs next to nothing, however long it is") {
  const std::size_t brief = recorded(SampleKernel({16, 1, 1}, 8)).size();
  const std::size_t endless = recorded(SampleKernel({16, 1, 1}, 2000)).size();
  CHECK(endless < brief + 64);
}

}  // namespace tilescope::test
