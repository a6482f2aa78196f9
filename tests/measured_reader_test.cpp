#include <doctest/doctest.h>

#include <string>

#include "sim/results/views/csv_field.h"
#include "sim/studies/measured/csv_text.h"
#include "sim/studies/measured/measured_number.h"
#include "sim/studies/measured/measured_unit.h"
#include "sim/studies/measured/measurement_reader.h"

using namespace tilescope;

namespace {

std::string errors_of(const std::string& text) {
  const auto rows = read_measurement_text(text, "f.csv");
  return rows ? "" : to_string(rows.error());
}

const std::string kCycles = "gpc__cycles_elapsed.max";

}  // namespace

TEST_CASE("units are brought to base units: bytes, nanoseconds, rates per second") {
  const struct {
    const char *text, *base;
    double factor;
  } rows[] = {
      {"byte", "byte", 1},
      {"Kbyte", "byte", 1e3},
      {"Mbyte", "byte", 1e6},
      {"Gbyte", "byte", 1e9},
      {"Tbyte", "byte", 1e12},
      {"ns", "ns", 1},
      {"nsecond", "ns", 1},
      {"us", "ns", 1e3},
      {"usecond", "ns", 1e3},
      {"msecond", "ns", 1e6},
      {"ms", "ns", 1e6},
      {"second", "ns", 1e9},
      {"s", "ns", 1e9},
      {"cycle", "cycle", 1},
      {"Kcycle", "cycle", 1e3},
      {"inst", "inst", 1},
      {"sector", "sector", 1},
      {"%", "%", 1},
      {"", "", 1},
      {"hz", "hz", 1},
      {"Mhz", "hz", 1e6},
      {"Ghz", "hz", 1e9},
      {"cycle/second", "cycle/second", 1},
      {"cycle/nsecond", "cycle/second", 1e9},
      {"cycle/usecond", "cycle/second", 1e6},
      {"Gbyte/second", "byte/second", 1e9},
      {"Gbyte/s", "byte/second", 1e9},
      {"Kbyte/block", "byte/block", 1e3},
      {"register/thread", "register/thread", 1},
      {"inst/cycle", "inst/cycle", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto unit = measured_unit(row.text);
    REQUIRE(unit.has_value());
    CHECK(unit->base == row.base);
    CHECK(unit->factor == doctest::Approx(row.factor));
  }
  for (const char* unknown : {"furlong", "Xbyte", "byte/", "/second", "byte/furlong", "k"}) {
    CAPTURE(unknown);
    CHECK(!measured_unit(unknown));
  }
}

TEST_CASE("numbers may have commas where thousands end, and nowhere else") {
  const struct {
    const char* text;
    double value;
  } good[] = {{"0", 0},          {"1234", 1234},           {"1,234", 1234},   {"12,345,678.5", 12345678.5},
              {"1.5e3", 1500.0}, {"6.7e+08", 670000000.0}, {"-1,000", -1000}, {"+5", 5}};
  for (const auto& row : good) {
    CAPTURE(row.text);
    CHECK(measured_number(row.text) == row.value);
  }
  for (const char* bad : {"", "x", "12x", "1,23", ",123", "1234,567", "1,,234", "1,234,", "1.000,5", "nan", "inf",
                          "1e999", "0x10", "- 1", "-", "+-3", "--3"}) {
    CAPTURE(bad);
    CHECK(!measured_number(bad));
  }
}

TEST_CASE("quoted fields may hold commas, quotes and line breaks; positions stay true") {
  Diagnostics errors;
  const auto records = parse_csv(
      "a,\"b,\"\"c\"\"\nd\",e\r\n\n# no\n,\"\"\n", "f.csv", 1,
      [](std::string_view line) { return line.starts_with('#'); }, errors);
  CHECK(errors.empty());
  REQUIRE(records.size() == 2);
  REQUIRE(records[0].size() == 3);
  CHECK(records[0][1].text == "b,\"c\"\nd");
  CHECK(records[0][1].column == 3);
  CHECK(records[0][2].line == 2);
  CHECK(records[0][2].column == 4);
  REQUIRE(records[1].size() == 2);
  CHECK(records[1][0].line == 5);
  CHECK(records[1][1].text.empty());
  for (const char* text : {"plain", "a,b", "say \"x\"", "two\nlines", ""}) {
    const auto back = parse_csv(
        "x," + csv_field(text), "f.csv", 1, [](std::string_view) { return false; }, errors);
    CHECK(back.at(0).at(1).text == text);
  }
}

TEST_CASE("our own files: comments, any order of columns, empty cells, parameters") {
  const auto rows = read_measurement_text(
      "# GPU, date\nkernel,gpc__cycles_elapsed.max,grid,block,m,n,k,group,parameters\n"
      "gemm_x,1234,\"(4, 2, 1)\",\"(32,8)\",64,32,16,1,\n"
      "copy,,,,,,,,bytes=4096; width=16\n",
      "f.csv");
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 2);
  const Measurement& gemm = rows->at(0);
  CHECK(gemm.kernel == "gemm_x");
  CHECK(gemm.line == 3);
  CHECK(gemm.metric(kCycles) == 1234);
  CHECK(gemm.grid == Dim3{4, 2, 1});
  CHECK(gemm.block == Dim3{32, 8, 1});
  CHECK(gemm.columns == std::map<std::string, std::string>{{"m", "64"}, {"n", "32"}, {"k", "16"}, {"group", "1"}});
  CHECK(gemm.label() == "gemm_x 64x32x16");
  const Measurement& copy = rows->at(1);
  CHECK(!copy.metric(kCycles));
  CHECK(!copy.grid);
  CHECK(copy.parameters == std::map<std::string, std::string>{{"bytes", "4096"}, {"width", "16"}});
  CHECK(copy.label() == "copy bytes=4096 width=16");
}

TEST_CASE("every measured GEMM of the repository can be read") {
  const auto rows = read_measurements({TILESCOPE_SOURCE_DIR "/gpu/measured/h200/gemm_train.csv"});
  REQUIRE(rows.has_value());
  CHECK(rows->size() >= 71);
  for (const Measurement& row : *rows) {
    CHECK(row.metric(kCycles).value_or(0) > 0);
    CHECK(row.sm_mhz().value_or(0) == doctest::Approx(1980).epsilon(0.05));
    const auto hits = row.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum").value();
    const auto sectors = row.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum").value();
    CHECK(row.metric("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct").value() ==
          doctest::Approx(100 * hits / sectors));
  }
}

TEST_CASE("Nsight Compute's raw page: notices and the program's own lines are left out, units are honoured") {
  const auto rows = read_measurements({TILESCOPE_TEST_DATA "/compare/profile.ncu.csv"});
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 4);
  const Measurement& row = rows->front();
  CHECK(row.line == 6);
  CHECK(row.kernel.starts_with("void tilescope::gpu::gemm_register<(int)128,"));
  CHECK(row.block == Dim3{256, 1, 1});
  CHECK(row.grid == Dim3{4, 4, 1});
  CHECK(row.metric(kCycles) == 172502);
  CHECK(row.metric("gpu__time_duration.sum").value() == doctest::Approx(87170));  // 87.17 us
  CHECK(row.metric("dram__bytes_read.sum").value() == doctest::Approx(2112512));  // 2.112512 Mbyte
  CHECK(row.sm_mhz().value() == doctest::Approx(1980));
  CHECK(!row.metric("launch__func_cache_config"));  // a name, no number
  CHECK(rows->back().metrics.empty());              // "n/a" throughout
}

TEST_CASE("without a clock counter the SM clock is cycles over time; without either it is unknown") {
  Measurement row;
  CHECK(!row.sm_mhz());
  row.metrics["gpc__cycles_elapsed.max"] = 3000;
  CHECK(!row.sm_mhz());
  row.metrics["gpu__time_duration.sum"] = 2000;
  CHECK(row.sm_mhz().value() == doctest::Approx(1500));
}

TEST_CASE("every wrong line of a file is reported in one run, with its place") {
  CHECK(errors_of("kernel,m,grid,parameters,gpc__cycles_elapsed.max\n"
                  "a,1,\"(1, 2, 3, 4)\",,5\n"
                  ",0,(x),M,12x\n"
                  "b,1\n"
                  "c,1,,a=1;a=2,-7\n") ==
        "f.csv:2:5: error: grid: got '(1, 2, 3, 4)'; must be three whole numbers such as (32, 32, 1)\n"
        "f.csv:3:1: error: kernel: got ''; must be a kernel's name\n"
        "f.csv:3:2: error: m: got '0'; must be a whole number of at least 1\n"
        "f.csv:3:4: error: grid: got '(x)'; must be three whole numbers such as (32, 32, 1)\n"
        "f.csv:3:8: error: parameters: got 'M'; must be key=value;key=value\n"
        "f.csv:3:10: error: gpc__cycles_elapsed.max: got '12x'; must be a number, 0 or more\n"
        "f.csv:4:1: error: got 2 fields; must be 5, as in the header\n"
        "f.csv:5:6: error: parameters: got 'a=1;a=2'; must be key=value;key=value with every key once (a is given "
        "twice)\n"
        "f.csv:5:14: error: gpc__cycles_elapsed.max: got '-7'; must be a number, 0 or more\n");
}

TEST_CASE("a file that is no measurement is refused with what it lacks") {
  const struct {
    const char *text, *sentence;
  } rows[] = {
      {"", "f.csv: error: is empty; must hold a header and rows of measurements"},
      {"# only a comment\n", "is empty"},
      {"kernel,m\n", "f.csv: error: has a header and no row of measurements"},
      {"name,m\nx,1\n", "f.csv:1:1: error: no column kernel"},
      {"krenel,m\nx,1\n", "f.csv:1:1: error: unknown column 'krenel' (did you mean kernel?)"},
      {"kernel,m,m\nx,1,1\n", "f.csv:1:10: error: column 'm': given twice"},
      {"kernel,cycles\nx,1\n", "f.csv:1:8: error: unknown column 'cycles'"},
      {"kernel,m\n\"x,1\n", "f.csv:2:1: error: a quote is opened here and never closed"},
      {"kernel,m\n\"x\"y,1\n", "f.csv:2:4: error: got 'y' after a closing quote"},
      {"\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n", "must be its raw page"},
      {"\"Kernel Name\",\"gpc__cycles_elapsed.max\"\n\"\",\"furlong\"\n\"k\",\"1\"\n",
       "f.csv:2:4: error: gpc__cycles_elapsed.max: unknown unit 'furlong'"},
      {"\"Kernel Name\",\"gpc__cycles_elapsed.max\"\n\"\",\"cycle\"\n\"k\",\"1,23\"\n",
       "f.csv:3:5: error: gpc__cycles_elapsed.max: got '1,23'; must be a number"},
  };
  for (const auto& row : rows) {
    const std::string errors = errors_of(row.text);
    CAPTURE(row.text);
    CAPTURE(errors);
    CHECK(errors.find(row.sentence) != std::string::npos);
  }
  const auto missing = read_measurements({"/no/such.csv", TILESCOPE_TEST_DATA});
  REQUIRE(!missing);
  CHECK(missing.error().size() == 2);
}

TEST_CASE("a unit that nobody knows matters only for counters that can be compared") {
  const auto rows = read_measurement_text(
      "\"Kernel "
      "Name\",\"new__counter.sum\",\"gpc__cycles_elapsed.max\"\n\"\",\"furlong\",\"cycle\"\n\"k\",\"1\",\"2\"\n",
      "f.csv");
  REQUIRE(rows.has_value());
  CHECK(rows->at(0).metrics.size() == 1);
}
