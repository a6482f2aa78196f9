#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli_answer.h"

namespace {

std::string indices(int count, const std::string& first = "0") {
  std::string text = first;
  for (int i = 1; i < count; ++i) text += " " + std::to_string(i);
  return text;
}

nlohmann::json answer_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "banks");
  arguments.insert(arguments.end(), {"--format", "json"});
  const CliAnswer answer = ask(arguments);
  CAPTURE(answer.err);
  REQUIRE(answer.code == 0);
  return nlohmann::json::parse(answer.out);
}

}  // namespace

TEST_CASE("banks refuses every wrong input with one sentence") {
  const struct {
    std::vector<std::string> arguments;
    const char* sentence;
  } rows[] = {
      {{}, "neither --lanes nor --expr is given; must be one of them"},
      {{"--lanes", indices(32), "--expr", "lane"}, "--lanes and --expr are both given; must be one of them"},
      {{"--lanes", indices(31)}, "--lanes: got 31 indices; must be 32, one for each lane (-1: inactive)"},
      {{"--lanes", indices(33)}, "--lanes: got 33 indices; must be 32"},
      {{"--lanes", ""}, "--lanes: got 0 indices; must be 32"},
      {{"--lanes", indices(32, "x")}, "--lanes: lane 0: got 'x'; must be a whole number"},
      {{"--lanes", indices(32, "1.5")}, "--lanes: lane 0: got '1.5'; must be a whole number"},
      {{"--lanes", indices(32, "-2")}, "--lanes: lane 0: got -2; must be 0 to 2147483647, or -1 for an inactive lane"},
      {{"--lanes", indices(32, "2147483648")}, "--lanes: lane 0: got 2147483648; must be 0 to"},
      {{"--lanes", indices(32, "99999999999999999999")}, "--lanes: lane 0: got 99999999999999999999; must be 0 to"},
      {{"--expr", "lane-5"}, "--expr: lane 0: got -5; must be 0 to 2147483647, or -1"},
      {{"--expr", "lane*4000000000"}, "--expr: lane 1: got 4000000000; must be 0 to"},
      {{"--expr", "8/lane"}, "--expr: column 2: division by zero (in lane 0)"},
      {{"--expr", "lane*"}, "--expr: column 6: the expression ends"},
      {{"--expr", "lane", "--width", "16"}, "unknown width '16'; must be 32, 64 or 128"},
      {{"--expr", "lane", "--op", "atom"}, "unknown op 'atom'; must be ld or st"},
      {{"--expr", "lane", "--format", "csv"}, "unknown format 'csv'; must be table or json"},
      {{"--expr", "lane", "--widht", "32"}, "unknown option --widht (did you mean --width?)"},
      {{"lane"}, "too many words"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> arguments = row.arguments;
    arguments.insert(arguments.begin(), "banks");
    const CliAnswer answer = ask(arguments);
    CAPTURE(row.sentence);
    CAPTURE(answer.err);
    CHECK(refused(answer, row.sentence));
  }
}

TEST_CASE("banks gives wavefronts, ideal, phases and collisions as JSON") {
  const auto json = answer_of({"--expr", "lane*2"});
  CHECK(json["schema"] == "tilescope.banks/1");
  CHECK(json["wavefronts"] == 2);
  CHECK(json["ideal"] == 1);
  REQUIRE(json["phases"].size() == 1);
  CHECK(json["phases"][0]["lanes"].size() == 32);
  CHECK(json["phases"][0]["collisions"].size() == 16);
  CHECK(json["phases"][0]["collisions"][1]["bank"] == 2);
  CHECK(json["phases"][0]["collisions"][1]["words"][1]["lanes"][0] == 17);
  CHECK(answer_of({"--lanes", indices(32), "--width", "128"})["phases"].size() == 4);
  CHECK(answer_of({"--expr", "-1"})["wavefronts"] == 0);
  CHECK(answer_of({"--expr", "0", "--width", "128"})["wavefronts"] == 2);
}

TEST_CASE("a lane list and a formula for the same lanes get the same answer") {
  auto from_list = answer_of({"--lanes", indices(32)});
  auto from_formula = answer_of({"--expr", "lane"});
  CHECK(from_list == from_formula);
}

TEST_CASE("hints name the smallest padding and a swizzle that take a conflict away, and do") {
  const auto column = answer_of({"--expr", "lane*32"})["hints"];
  REQUIRE(column.size() == 2);
  CHECK(column[0]["kind"] == "padding");
  CHECK(column[0]["padding"] == 1);
  CHECK(column[0]["wavefronts"] == answer_of({"--expr", "lane*33"})["wavefronts"]);
  CHECK(column[1]["kind"] == "xor_swizzle");
  CHECK(column[1]["wavefronts"] == answer_of({"--expr", "lane*32 + (0 ^ lane%32)"})["wavefronts"]);

  // ldmatrix-like: eight rows of 128 B, 16 B per lane.
  const auto rows = answer_of({"--expr", "(lane%8)*8 + lane/8", "--width", "128"})["hints"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["wavefronts"] == 4);
  CHECK(rows[1]["wavefronts"] == 4);
  CHECK(answer_of({"--expr", "(lane%8)*8 + (lane/8 ^ lane%8)", "--width", "128"})["wavefronts"] == 4);
}

TEST_CASE("without a conflict there is no hint") {
  for (const char* expression : {"lane", "lane*33", "0", "lane/32*32"}) {
    CAPTURE(expression);
    CHECK(answer_of({"--expr", expression})["hints"].empty());
  }
}

TEST_CASE("the bank grid fits into 120 columns and has no colour in a pipe") {
  for (const char* width : {"32", "64", "128"}) {
    std::istringstream lines(ask({"banks", "--expr", "lane*32", "--width", width}).out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  pass") || line.starts_with("  bank")) CHECK(line.size() <= 120);
      CHECK(line.find('\x1b') == std::string::npos);
    }
  }
}
