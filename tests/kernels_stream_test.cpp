// What every generated stream promises to its reader.
#include <doctest/doctest.h>

#include <map>
#include <thread>
#include <vector>

#include "kernel_walk.h"
#include "stream_summary.h"

using namespace tilescope;
using test::kernel;

namespace {

const std::pair<const char*, ParameterTexts> kKernels[] = {
    {"gemm_naive", {{"M", "70"}, {"N", "50"}, {"K", "45"}}},
    {"gemm_tiled", {{"M", "70"}, {"N", "50"}, {"K", "45"}, {"tile", "16"}}},
    {"gemm_tiled", {{"M", "64"}, {"N", "64"}, {"K", "112"}, {"tile", "16"}}},
    {"gemm_tiled", {{"M", "32"}, {"N", "32"}, {"K", "44"}, {"tile", "4"}, {"raster", "grouped"}}},
    {"gemm_register", {{"M", "128"}, {"N", "256"}, {"K", "64"}}},
    {"reread", {{"bytes", "100000"}, {"passes", "2"}, {"ctas", "2"}}},
    {"transpose", {{"M", "70"}, {"N", "50"}}},
};

}  // namespace

TEST_CASE("segments with one key have the same code and shared patterns") {
  for (const auto& [name, parameters] : kKernels) {
    const auto made = kernel(name, parameters);
    std::map<std::uint32_t, std::vector<std::uint64_t>> by_key;
    const auto stream = made->make_stream();
    for (std::int64_t cta = 0; cta < made->launch().grid.count(); ++cta)
      for (int warp = 0; warp < static_cast<int>(made->launch().warps_per_cta()); ++warp) {
        stream->start(cta, warp, Operands::all);
        for (Segment segment; stream->next(segment);) {
          std::vector<std::uint64_t> contents{static_cast<std::uint64_t>(segment.code - made->code().data()),
                                              segment.length};
          const MemoryOperand* operand = segment.operands;
          for (std::uint32_t i = 0; i < segment.length; ++i)
            for (int n = memory_operands(segment.code[i].op); n > 0; --n, ++operand)
              if (segment.code[i].op == OpClass::shared_load || segment.code[i].op == OpClass::shared_store)
                contents.push_back(operand->pattern);
          REQUIRE(segment.key != 0);
          REQUIRE(segment.code + segment.length <= made->code().data() + made->code().size());
          CHECK(by_key.try_emplace(segment.key, contents).first->second == contents);
        }
      }
  }
}

TEST_CASE("asking for global operands only gives the same ones") {
  for (const auto& [name, parameters] : kKernels) {
    const auto made = kernel(name, parameters);
    const auto all = made->make_stream();
    const auto some = made->make_stream();
    const std::int64_t last = made->launch().grid.count() - 1;
    for (const std::int64_t cta : {std::int64_t{0}, last, std::int64_t{0}}) {
      all->start(cta, 0, Operands::all);
      some->start(cta, 0, Operands::global);
      Segment a, b;
      while (all->next(a)) {
        REQUIRE(some->next(b));
        REQUIRE(a.code == b.code);
        int n = 0;
        for (std::uint32_t i = 0; i < a.length; ++i) {
          const OpClass op = a.code[i].op;
          if (op == OpClass::global_load || op == OpClass::global_store) CHECK(a.operands[n] == b.operands[n]);
          n += memory_operands(op);
        }
      }
      CHECK_FALSE(some->next(b));
    }
  }
}

TEST_CASE("counting by key gives what counting one by one gives") {
  for (const auto& [name, parameters] : kKernels) {
    const auto made = kernel(name, parameters);
    const AccessCosts costs(test::h200(), made->patterns());
    StreamSummary by_hand;
    test::walk(*made, [&](OpClass op, const MemoryOperand& operand, const LanePattern& pattern) {
      if (op == OpClass::shared_load && pattern.active != 0)
        by_hand.shared_load_wavefronts += costs.shared(operand, SharedOp::load).wavefronts;
      if (op == OpClass::global_load && pattern.active != 0)
        by_hand.global_load_sectors += costs.footprint(operand).sectors;
    });
    const StreamSummary sum = summarise(*made);
    CHECK(sum.shared_load_wavefronts == by_hand.shared_load_wavefronts);
    CHECK(sum.global_load_sectors == by_hand.global_load_sectors);
  }
}

TEST_CASE("every address is a multiple of the access width") {
  for (const auto& [name, parameters] : kKernels)
    test::walk(*kernel(name, parameters), [](OpClass, const MemoryOperand& operand, const LanePattern& pattern) {
      test::for_each_lane(operand, pattern, [&](std::uint64_t at) {
        if (at % pattern.bytes != 0) FAIL("a misaligned address");
      });
    });
}

TEST_CASE("streams of one kernel may be walked from several threads at once") {
  for (const auto& [name, parameters] : kKernels) {
    const auto expected = summarise(*kernel(name, parameters));
    const auto shared = kernel(name, parameters);
    StreamSummary sums[3];
    std::vector<std::thread> threads;
    for (StreamSummary& sum : sums) threads.emplace_back([&] { sum = summarise(*shared); });
    for (std::thread& thread : threads) thread.join();
    for (const StreamSummary& sum : sums) {
      CHECK(sum.executed == expected.executed);
      CHECK(sum.global_load_sectors == expected.global_load_sectors);
      CHECK(sum.shared_load_wavefronts == expected.shared_load_wavefronts);
    }
  }
}
