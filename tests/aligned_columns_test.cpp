#include "sim/results/views/aligned_columns.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli_answer.h"

using namespace tilescope;

TEST_CASE("columns are as wide as their widest cell; the first ones stand to the left") {
  const std::vector<std::vector<std::string>> lines = {{"name", "GPU", "SMs"}, {"a_long_name", "x", "132"}, {"b"}};
  CHECK(aligned_columns(lines) ==
        "name         GPU  SMs\n"
        "a_long_name    x  132\n"
        "b\n");
  CHECK(aligned_columns(lines, 2) ==
        "name         GPU  SMs\n"
        "a_long_name  x    132\n"
        "b\n");
  CHECK(aligned_columns({}).empty());
}

TEST_CASE("no name of a GPU runs into the next column of list gpus") {
  std::istringstream names(ask({"list", "gpus", "--format", "names"}).out);
  std::istringstream table(ask({"list", "gpus"}).out);
  std::string line;
  REQUIRE(std::getline(table, line));
  const std::size_t second = line.find("GPU");
  int gpus = 0;
  for (std::string name; std::getline(names, name); ++gpus) {
    REQUIRE(std::getline(table, line));
    CAPTURE(line);
    CHECK(line.substr(0, second) == name + std::string(second - name.size(), ' '));
    CHECK(second >= name.size() + 2);
    CHECK(line[second] != ' ');
  }
  CHECK(gpus > 0);
}
