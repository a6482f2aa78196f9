#include "sim/results/banks/lane_expression.h"

#include <doctest/doctest.h>

using namespace tilescope;

namespace {

std::string error_of(const std::string& text, int lane = 0) {
  try {
    LaneExpression(text).value(lane);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "";
}

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '(') + "1" + std::string(static_cast<std::size_t>(levels), ')');
}

}  // namespace

TEST_CASE("expressions mean what they mean in C") {
  const struct {
    const char* text;
    int lane;
    std::int64_t value;
  } rows[] = {{"lane*33", 3, 99},
              {"1+2*3", 0, 7},
              {"(1+2)*3", 0, 9},
              {"10-4-3", 0, 3},
              {"100/7%5", 0, 4},
              {"-7/2", 0, -3},
              {"-7%2", 0, -1},
              {"1<<4|1", 0, 17},
              {"1|2^3&1", 0, 3},
              {"6&3==3", 0, 0},
              {"lane<16?lane:-1", 15, 15},
              {"lane<16?lane:-1", 16, -1},
              {"lane<8?0:lane<16?1:2", 20, 2},
              {"~lane & 0xF", 5, 10},
              {"!lane", 0, 1},
              {" lane >> 2 ", 31, 7},
              {"lane && 8/lane", 0, 0},
              {"lane == 0 ? 0 : 64/lane", 0, 0},
              {"-9223372036854775807-1", 0, -9223372036854775807LL - 1},
              {"1<<62", 0, std::int64_t{1} << 62},
              {"+ - -3", 0, 3}};
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(LaneExpression(row.text).value(row.lane) == row.value);
  }
}

TEST_CASE("what C leaves open, or what is no expression, is refused with its column") {
  const struct {
    std::string text, error;
  } rows[] = {{"", "column 1: the expression ends where a number, lane or '(' is expected"},
              {"lane*", "column 6: the expression ends where a number, lane or '(' is expected"},
              {"lane 3", "column 6: unexpected '3'; must be an operator or the end"},
              {"(lane", "column 6: expected ')' for the '(' in column 1"},
              {"lane ? 1", "column 9: expected ':' of the '?' in column 6"},
              {"tid*4", "column 1: unknown name 'tid'; the only one is lane"},
              {"lane*12x", "column 6: unreadable number '12x'"},
              {"lane $ 2", "column 6: unexpected '$'; must be an operator or the end"},
              {"*3", "column 1: unexpected '*'; must be a number, lane or '('"},
              {"1/(lane-lane)", "column 2: division by zero"},
              {"1%lane", "column 2: division by zero"},
              {"9223372036854775807+1", "column 20: the result does not fit into 64 bits"},
              {"9223372036854775808", "column 1: number '9223372036854775808' does not fit into 64 bits"},
              {"4611686018427387904*2", "column 20: the result does not fit into 64 bits"},
              {"1<<63", "column 2: the result does not fit into 64 bits"},
              {"1<<64", "column 2: shift by 64; must be 0 to 63"},
              {"1>>-1", "column 2: shift by -1; must be 0 to 63"},
              {nested(5000), "column 65: nested deeper than 64 levels"}};
  for (const auto& row : rows) {
    CAPTURE(row.text.substr(0, 40));
    CHECK(error_of(row.text) == row.error);
  }
}

TEST_CASE("long chains of operators are refused before they go deep") {
  std::string chain = "lane";
  for (int i = 0; i < 100000; ++i) chain += "+1";
  CHECK(error_of(chain).find("more than 1000 operators") != std::string::npos);
}

TEST_CASE("pitches are the constants that something is multiplied by, and can be replaced") {
  const LaneExpression expression("lane%8*32 + (lane/8<<3) + 5*2");
  CHECK(expression.pitches() == std::vector<std::int64_t>{8, 32});
  CHECK(expression.value_with_pitch(9, 32, 33) == 33 + 8 + 10);
  CHECK(expression.value_with_pitch(9, 8, 9) == 32 + 9 + 10);
  CHECK(expression.value(9) == 32 + 8 + 10);
}
