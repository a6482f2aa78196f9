#include <doctest/doctest.h>

#include <map>

#include "sim/studies/sweep/point_expression.h"
#include "sim/studies/sweep/value_list.h"

using namespace tilescope;
using namespace tilescope::sweep;

namespace {

std::optional<std::string> value_of(const std::string& name) {
  static const std::map<std::string, std::string> values = {
      {"bm", "128"},      {"bk", "8"}, {"raster", "grouped"}, {"bounds", "0"}, {"gpu.l2.size_mib", "37.5"},
      {"cached", "false"}};
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string joined(const std::string& text) {
  const auto values = listed_values(text);
  if (!values) return "! " + values.error();
  std::string all;
  for (const std::string& value : *values) all += (all.empty() ? "" : " ") + value;
  return all;
}

}  // namespace

TEST_CASE("a range holds every step up to its stop, or what makes it impossible") {
  const struct {
    const char *text, *values;
  } rows[] = {
      {"64", "64"},
      {"064", "64"},
      {"row", "row"},
      {"0:4:1", "0 1 2 3 4"},
      {"0:5:2", "0 2 4"},
      {"7:7:3", "7"},
      {"256:4096:*2", "256 512 1024 2048 4096"},
      {"0.5:1:0.1", "0.5 0.6 0.7 0.8 0.9 1"},
      {"4:0:1", "! impossible range '4:0:1': start 4 must not be above stop 0"},
      {"0:4:0", "! impossible range '0:4:0': step 0 must be above 0"},
      {"0:4:-1", "! impossible range '0:4:-1': step -1 must be above 0"},
      {"1:8:*1", "! impossible range '1:8:*1': factor 1 must be above 1"},
      {"0:8:*2", "! impossible range '0:8:*2': start 0 must be above 0 with a factor"},
      {"1:99999:1", "! range '1:99999:1' has more than 10000 values"},
      {"1:2", "! got '1:2'; must be start:stop:step, such as 0:8:2, or start:stop:*factor, such as 256:16384:*2"},
      {"1:x:2", "! got '1:x:2'; must be start:stop:step, such as 0:8:2, or start:stop:*factor, such as 256:16384:*2"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(joined(row.text) == row.values);
  }
}

TEST_CASE("constraints compare numbers and words of a point") {
  const struct {
    const char* formula;
    bool holds;
  } rows[] = {
      {"bm*bk == 1KiB", true},
      {"bm*bk + bk*bm <= 2047", false},
      {"bm/bk > 15.9 && bm/bk < 16.1", true},
      {"7/2 == 3.5", true},
      {"bm % 48 == 32", true},
      {"raster == 'grouped' || missing > 1", true},
      {"raster != 'row'", true},
      {"raster == 1", false},
      {"bounds == 0", true},
      {"bounds == 'auto'", false},
      {"bounds", false},
      {"!cached", true},
      {"gpu.l2.size_mib * 2 == 75", true},
      {"bm > 64 ? bk == 8 : bk == 16", true},
      {"-bk + 8", false},
      {"40MiB < 1GiB", true},
      {"1 + 2*3 == 7 && (1+2)*3 == 9", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.formula);
    CHECK(PointExpression(row.formula).holds(value_of) == row.holds);
  }
  const struct {
    const char *formula, *error;
  } bad[] = {
      {"", "column 1: the formula ends where a number, a name or '(' is expected"},
      {"bm <=", "column 6: the formula ends where a number, a name or '(' is expected"},
      {"bm = 3", "column 4: unexpected '='; must be an operator or the end"},
      {"bm & 3", "column 4: unexpected '&'; must be an operator or the end"},
      {"48KB > bm", "column 1: unreadable number '48KB'; must be a number such as 64, 0.5, 48KiB, 40MiB or 1GiB"},
      {"raster * 2", "column 1: got 'grouped'; must be a number here"},
      {"bm % 0", "column 4: division by zero"},
      {"bm / 0", "column 4: division by zero"},
      {"bm % 1.5", "column 4: got 1.5 beside %; must be a whole number"},
      {"missing", "column 1: missing has no value here"},
      {"(bm", "column 4: expected ')' for the '(' in column 1"},
      {"$1", "column 1: unexpected '$'; must be a number, a name or '('"},
  };
  for (const auto& row : bad) {
    CAPTURE(row.formula);
    std::string error;
    try {
      static_cast<void>(PointExpression(row.formula).holds(value_of));
    } catch (const ExpressionError& broken) {
      error = broken.what();
    }
    CHECK(error == row.error);
  }
}

TEST_CASE("a formula tells the names it has, with their places") {
  const PointExpression formula("bm*bk <= gpu.l2.size_mib || bm > 'bk'");
  REQUIRE(formula.names().size() == 4);
  CHECK(formula.names()[2].text == "gpu.l2.size_mib");
  CHECK(formula.names()[2].column == 10);
  CHECK(formula.names()[3].text == "bm");
}
