// The control codes that the code builder assigns, on sequences read off compiled code.
#include <doctest/doctest.h>

#include "traces/kernels/code_builder.h"

using namespace tilescope;

TEST_CASE("a consumer of a fixed-latency result issues when the result is there") {
  struct {
    OpClass producer, consumer;
    int stall;
  } const rows[] = {{OpClass::fma, OpClass::fma, 4},
                    {OpClass::alu, OpClass::alu, 4},
                    {OpClass::imad, OpClass::fma, 4},
                    {OpClass::uniform, OpClass::alu, 6},
                    {OpClass::alu, OpClass::global_load, 5}};
  for (const auto& row : rows) {
    CodeBuilder code;
    const Register value = code.emit(row.producer);
    if (memory_operands(row.consumer) > 0)
      code.load(row.consumer, {}, {value});
    else
      code.emit(row.consumer, {value});
    CHECK(code.finish()[0].stall == row.stall);
  }
}

TEST_CASE("a branch waits thirteen cycles for its predicate, and instructions in between count") {
  CodeBuilder code;
  const Register p = code.emit(OpClass::alu);
  code.filler(OpClass::fma, 3);
  code.effect(OpClass::branch, {}, p);
  const auto made = code.finish();
  CHECK(made[0].stall + made[1].stall + made[2].stall + made[3].stall == 13);
  CHECK(made[4].stall == 5);
}

TEST_CASE("shared loads return in order: only the last of a consumer's sets a scoreboard") {
  CodeBuilder code;
  const Register a = code.load(OpClass::shared_load, {}, {});
  const Register b = code.load(OpClass::shared_load, {}, {});
  code.emit(OpClass::fma, {a, b});
  const auto made = code.finish();
  CHECK(made[0].write_scoreboard == kNoScoreboard);
  CHECK(made[0].stall == 4);  // one load per warp every four cycles
  CHECK(made[1].write_scoreboard == 0);
  CHECK(made[1].stall == 2);
  CHECK(made[2].wait_mask == 1);
}

TEST_CASE("global loads that meet in one consumer share a scoreboard; others have their own") {
  CodeBuilder code;
  const Register a = code.load(OpClass::global_load, {}, {});
  const Register b = code.load(OpClass::global_load, {}, {});
  const Register c = code.load(OpClass::global_load, {}, {});
  code.emit(OpClass::fma, {a, b});
  code.emit(OpClass::fma, {c});
  const auto made = code.finish();
  CHECK(made[0].write_scoreboard == made[1].write_scoreboard);
  CHECK(made[2].write_scoreboard != made[0].write_scoreboard);
  CHECK(made[3].wait_mask == 1U << made[0].write_scoreboard);
  CHECK(made[4].wait_mask == 1U << made[2].write_scoreboard);
}

TEST_CASE("more results in flight than scoreboards: late ones share, and nobody reads too early") {
  CodeBuilder code;
  std::vector<Register> values(10);
  for (Register& value : values) value = code.load(OpClass::global_load, {}, {});
  for (const Register value : values) code.emit(OpClass::fma, {value});
  const auto made = code.finish();
  unsigned waited = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    REQUIRE(made[i].write_scoreboard < kScoreboards);
    waited |= made[10 + i].wait_mask;
    CHECK((waited >> made[i].write_scoreboard & 1U) != 0);
  }
}

TEST_CASE("a pointer that a load still reads is not overwritten before") {
  CodeBuilder code;
  const Register pointer = code.emit(OpClass::alu);
  code.load(OpClass::global_load, {}, {pointer});
  code.emit_to(pointer, OpClass::alu, {pointer});
  const auto made = code.finish();
  REQUIRE(made[1].read_scoreboard != kNoScoreboard);
  CHECK(made[2].wait_mask == 1U << made[1].read_scoreboard);
}

TEST_CASE("a result that is used in the next pass of a loop is waited for there") {
  CodeBuilder code;
  const Register value = code.name();
  code.section(true);
  code.emit(OpClass::fma, {value});
  code.load_to(value, OpClass::shared_load, {}, {});
  const auto made = code.finish();
  REQUIRE(made[1].write_scoreboard != kNoScoreboard);
  CHECK(made[0].wait_mask == 1U << made[1].write_scoreboard);
}
