// tilescope plot: what is drawn where, and what it refuses. Whole pictures of kernels stand in tests/golden/plot.txt.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "cli_answer.h"
#include "sim/results/views/bar_chart.h"
#include "sim/results/views/chart_scale.h"
#include "sim/results/views/line_chart.h"
#include "sim/results/views/residency_chart.h"
#include "sim/results/views/text_canvas.h"
#include "sweep_files.h"

using namespace tilescope;

namespace {

constexpr const char* kPlotStudy =
    "study: plotted\nmode: counts\nkernels: [gemm_tiled]\nparameters:\n  M,N,K: [32, 64, 96]\n  tile: [16, 32]\n"
    "  swizzle: [none, xor]\n";

std::string stored(const SweepFolder& folder) {
  const std::string study = folder.write("plotted.yaml", kPlotStudy);
  std::string store = folder / "plotted.db";
  REQUIRE(ask({"sweep", study, "-o", store}).code == 0);
  return store;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Characters, not bytes.
std::size_t characters(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a canvas has eight dots to a character, and leaves out what lies outside") {
  TextCanvas canvas(4, 2, false);
  canvas.line(0.25, 0.1, 0.25, 0.9);  // the left column of the first character
  canvas.line(1, 1.9, 2.9, 1.9);      // the lowest row of two
  canvas.line(-5, -5, -1, -1);
  canvas.put(3, 0, "x");
  canvas.put(4, 0, "y");
  CHECK(canvas.lines() == std::vector<std::string>{"⡇  x", " ⣀⣀"});
  TextCanvas plain(3, 1, true);
  plain.line(0.5, 0.5, 2.5, 0.5);
  plain.put_text(1, 0, "abc");
  CHECK(plain.lines() == std::vector<std::string>{".ab"});
}

TEST_CASE("values beside an axis are round, and few enough") {
  CHECK(round_values({0, 10, false}, 6) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(round_values({0, 103, false}, 6) == std::vector<double>{0, 20, 40, 60, 80, 100});
  CHECK(round_values({-3, 3, false}, 3) == std::vector<double>{-2, 0, 2});
  CHECK(round_values({0.5, 2000, true}, 6) == std::vector<double>{1, 10, 100, 1000});
  CHECK(round_values({1, 1e9, true}, 4).size() <= 4);
  const ChartScale scale = scale_from_zero(3, 9.1, 6);
  CHECK(scale.low == 0);
  CHECK(scale.high == 10);
  CHECK(scale.share(5) == 0.5);
  CHECK(scale_from_zero(-3, 9, 6).low == -4);
  CHECK(scale_from_zero(0, 0, 6).high == 1);
  CHECK(ChartScale{1, 100, true}.share(10) == doctest::Approx(0.5));
  CHECK(axis_number(1'500'000) == "1.5M");
  CHECK(axis_number(0) == "0");
}

TEST_CASE("a line chart puts least and greatest at its corners") {
  const LineChart chart{"bm", "tflops", {{"", {{1, 0}, {3, 10}}}}, false};
  const auto lines = lines_of(line_chart(chart, {.width = 40, .ascii = true}));
  REQUIRE(lines.size() == 22);
  CHECK(lines[0] == "tflops");
  CHECK(lines[1].starts_with("10-|   "));
  CHECK(lines[1].ends_with(".o"));
  CHECK(lines[1].size() == 40);
  CHECK(lines[18].starts_with(" 0-|o"));
  CHECK(lines[20] == "    1" + std::string(34, ' ') + "3");
  CHECK(lines[21].find("bm") != std::string::npos);
}

TEST_CASE("a bar of half the value is half as long, to an eighth of a character") {
  const auto lines =
      lines_of(bar_chart("y", {{"a", "", 16}, {"b", "", 8}, {"c", "", 0.1}, {"d", "", 0}}, {.width = 40}));
  REQUIRE(lines.size() == 5);
  const auto full = [](const std::string& line) {
    std::size_t count = 0;
    for (std::size_t at = line.find("█"); at != std::string::npos; at = line.find("█", at + 1)) ++count;
    return count;
  };
  CHECK(full(lines[1]) == 32);
  CHECK(full(lines[2]) == 16);
  CHECK(lines[3].find("▎") != std::string::npos);
  CHECK(lines[4].find("▏") == std::string::npos);
  for (std::size_t i = 1; i < lines.size(); ++i) CHECK(characters(lines[i]) == 40);
}

TEST_CASE("a place that is taken half of the time is half dark") {
  // SM 0: one of two places from 0 to 400; SM 1: both from 0 to 200.
  const ResidencyChart chart{"t", {{0, 0, 400, 0}, {1, 0, 200, 1}, {2, 0, 200, 1}}, 2, 2, 400, 1000};
  const auto lines = lines_of(residency_chart(chart, {.width = 46, .ascii = true}));
  REQUIRE(lines.size() == 7);
  CHECK(lines[1] == "SM 0-|" + std::string(40, ':'));
  CHECK(lines[2] == "SM 1-|" + std::string(20, '#'));
  CHECK(lines[5].find("cycles, 1k = 1 us") != std::string::npos);
  CHECK(lines[6] == "'.' to '#': up to 2 CTAs on each SM; 3 CTAs shown");
}

TEST_CASE("plot of a store: a mark for each value, lines for numbers, bars for words") {
  const SweepFolder folder;
  const std::string store = stored(folder);
  const CliAnswer lines =
      ask({"plot", store, "--x", "M", "--y", "smsp__inst_executed.sum", "--series", "tile", "--ascii"});
  REQUIRE(lines.code == 0);
  CHECK(lines.out.starts_with("smsp__inst_executed.sum [inst]\n"));
  CHECK(lines.out.find("o 16   x 32\n") != std::string::npos);
  CHECK(lines.out.find("each mark is the least of 2 points\n") != std::string::npos);
  const auto marks = [&](char mark) {
    std::size_t count = 0;
    for (const std::string& line : lines_of(lines.out))
      if (const auto bar = line.find('|'); bar != std::string::npos)
        count +=
            static_cast<std::size_t>(std::count(line.begin() + static_cast<std::ptrdiff_t>(bar), line.end(), mark));
    return count;
  };
  CHECK(marks('o') == 3);
  CHECK(marks('x') + marks('o') >= 4);  // marks of equal values lie on each other

  const CliAnswer bars =
      ask({"plot", store, "--x", "swizzle", "--y", "smsp__inst_executed.sum:max", "--where", "tile == 32 && M == 64"});
  REQUIRE(bars.code == 0);
  const auto rows = lines_of(bars.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == "smsp__inst_executed.sum [inst] over swizzle");
  CHECK(rows[1].starts_with("none  █"));
  CHECK(rows[2].starts_with("xor   █"));
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(characters(rows[i]) == 80);

  const std::string copy = folder.write("other.db", folder.read("plotted.db"));
  const CliAnswer two = ask({"plot", store, copy, "--x", "M", "--y", "dram__bytes_read.sum", "--log", "--width", "50"});
  REQUIRE(two.code == 0);
  CHECK(two.out.find("● plotted   ■ other\n") != std::string::npos);
  for (const std::string& line : lines_of(two.out)) CHECK(characters(line) <= 50);
}

TEST_CASE("plot refuses what it cannot draw") {
  const SweepFolder folder;
  const std::string store = stored(folder);
  const struct {
    std::vector<std::string> words;
    std::string sentence;
  } rows[] = {
      {{}, "no STORE or KERNEL given"},
      {{store}, "must be given --x and --y (of a store's points), or --view (of kernels)"},
      {{store, "--x", "M"}, "must be given --x and --y"},
      {{store, "--x", "MM", "--y", "M"}, "no column 'MM' (did you mean M?)"},
      {{store, "--x", "M", "--y", "swizzle"}, "--y: column 'swizzle' has 'none'; must be numbers"},
      {{store, "--x", "M", "--y", "tflops"}, "no column 'tflops'"},
      {{store, "--x", "swizzle", "--y", "M", "--log"}, "--log: 'swizzle' has words, which are drawn as bars from 0"},
      {{store, "--x", "tile", "--y", "smsp__inst_executed_op_global_atom.sum", "--log"}, "--log: got a value 0 of"},
      {{store, "--x", "M", "--y", "tile", "--where", "M > 1000"}, "no point has a value of 'M' and 'tile'"},
      {{store, "--x", "M", "--y", "tile", "--gpu", "h100"}, "--gpu is for kernels; it needs --view"},
      {{store, "--x", "M", "--y", "tile", "--width", "10"}, "--width: got '10'; must be a whole number from 40 to 400"},
      {{"gemm_tiled", "--view", "roof"}, "unknown view 'roof' (did you mean roofline?)"},
      {{"gemm_tiled", "--view", "timeline", "--x", "M"}, "--x is for stores; it does not go with --view"},
      {{"gemm_tiled", "gemm_naive", "--view", "timeline"}, "--view timeline takes one KERNEL, got 2"},
      {{folder / "nowhere.db", "--x", "M", "--y", "tile"}, "no such file"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> words = row.words;
    words.insert(words.begin(), "plot");
    CAPTURE(row.sentence);
    const CliAnswer answer = ask(words);
    CHECK_MESSAGE(refused(answer, row.sentence), answer.err);
  }
}
